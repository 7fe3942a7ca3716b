"""Bytes to text, strictly: UTF-8 or a sentence that says where the trouble is, what it looks like and what to do."""

from __future__ import annotations

import codecs
import re

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ICONV = {"Latin-1": "LATIN1"}
_PROBE = 4_096
_MANY_NULS = 0.2
"""Share of NUL bytes from which a text is taken for UTF-16: in UTF-16 every ASCII character has one."""
_EAST_ASIAN = "[\u3040-\u30ff\u3400-\u9fff]"
"""Kana and Chinese characters."""
_CONTROL_SHARE = 0.1


class PasteError(ValueError):
    """The pasted bytes can't be a task; the message is one line and says what to do."""


def decode(content: bytes) -> str:
    """UTF-8 as text; a byte order mark stays as U+FEFF. Raises PasteError for everything else, and for NUL."""
    if b"\x00" in content or content.startswith(_UTF16_MARKS):
        raise PasteError(_about_nul(content))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PasteError(_about_bytes(content, error.start)) from error


def _about_nul(content: bytes) -> str:
    """UTF-16, UTF-32 or binary?"""
    probe = content[:_PROBE]
    if probe.startswith(_UTF16_MARKS) or (probe.count(0) >= _MANY_NULS * len(probe) and not _is_binary(probe)):
        name = "UTF-32" if probe.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) else "UTF-16"
        return f"The input is {name}, and UTF-8 is needed: convert it, for example with `iconv -f {name} -t UTF-8`."
    at = content.index(0)
    return f"The input is binary ({_place(content, at)} is NUL): paste source code as UTF-8 text."


def _is_binary(probe: bytes) -> bool:
    """True when control characters other than NUL and white space are frequent, as in no text of any encoding."""
    controls = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in probe if byte)  # noqa: PLR2004  ASCII controls
    return controls > _CONTROL_SHARE * len(probe)


def _about_bytes(content: bytes, at: int) -> str:
    """What the bytes that are not UTF-8 look like."""
    where = _place(content, at)
    if _is_surrogate(content[at : at + 3]):
        return f"The input is not valid UTF-8 ({where} encodes a lone surrogate): remove that character, or write it as an escape."
    if _is_binary(content[:_PROBE]):
        return f"The input is binary ({where} is not UTF-8): paste source code as UTF-8 text."
    name = _likely_encoding(content)
    command = f"iconv -f {_ICONV.get(name, name)} -t UTF-8"
    return f"The input is not UTF-8 ({where}); it looks like {name}: convert it, for example with `{command}`."


def _is_surrogate(sequence: bytes) -> bool:
    """True for the three bytes of U+D800 to U+DFFF, which UTF-8 forbids."""
    return len(sequence) == 3 and sequence[0] == 0xED and 0xA0 <= sequence[1] <= 0xBF  # noqa: PLR2004  RFC 3629, section 4


def _likely_encoding(content: bytes) -> str:
    """GB18030 or Shift_JIS when that gives mostly Chinese or Japanese text, else Latin-1, which any bytes are."""
    for name in ("GB18030", "Shift_JIS"):
        try:
            text = content.decode(name)
        except UnicodeDecodeError:
            continue
        foreign = [character for character in text if not character.isascii()]
        if len(foreign) > 1 and 2 * len(re.findall(_EAST_ASIAN, text)) > len(foreign):
            return name
    return "Latin-1"


def _place(content: bytes, at: int) -> str:
    """Where a byte stands, for a reader: line, and byte counted from 1 in the whole input."""
    return f"line {content.count(10, 0, at) + 1}, byte {at + 1}: 0x{content[at]:02x}"
