"""Text as a reader may understand it: folded, joined and decoded, so that an order is seen however it is written down."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u043a\u043c\u0442\u043d\u0432"
    "\u03bf\u03b1\u03b9\u03c1\u03bd\u03ba\u03c4\u03c5\u0131\u0261\u0251\u0581\u0585\u057d\u0570\u0578",
    "aeopcxyijshdqwkmthboaipvktuigagouhn",
)
"""Cyrillic, Greek, phonetic and Armenian letters that look like Latin ones."""

_FOREIGN = (
    "\u0400-\u052f\u0531-\u0586\u13a0-\u13fd"  # Cyrillic, Armenian, Cherokee
    "\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b9\u03ba\u03bd\u03bf\u03c5"  # Greek, those alike
)
_MIXED = re.compile(rf"[a-z][{_FOREIGN}]|[{_FOREIGN}][a-z]", re.IGNORECASE)
_WORD_BREAK = re.compile(r"(?<=[a-z])[_\-\u2010-\u2015](?=[a-z])")
_SPELT_OUT = re.compile(r"\b(?:[a-z][ .\-*|/,:~]{1,2}){4,}[a-z]\b")
_BETWEEN = re.compile(r"[ .\-*|/,:~]{1,2}(?=[a-z])")
_COMMENT_MARK = re.compile(r"^[ \t]*(?:#+|//+|/?\*+/?|--|<!--|;+)[ \t]?", re.MULTILINE)
_SPOKEN = re.compile(r"(?P<string>\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')|(?P<name>\b[^\W\d]\w*)")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_A_SENTENCE = 3
"""Words of a name from which on it says something."""
_ENCODED = re.compile(r"(?<![\w/+])[A-Za-z0-9+/_-]{24,}={0,2}|(?:\\\\?x[0-9a-fA-F]{2}){8,}|(?<!\w)(?:[0-9a-fA-F]{2}){16,}(?!\w)")
_READABLE = re.compile(r"[\t\n -~]{12,}")
_MOST_DECODED = 200
"""Encoded stretches that are looked into."""


def words_of(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


def plain(text: str) -> str:
    """Folded: compatibility forms, accents and invisible characters gone, look-alikes made Latin, lower case, single blanks. Lines stay."""
    folded = unicodedata.normalize("NFKD", text).casefold().replace("\u2019", "'")
    seen = "".join(character for character in folded if unicodedata.category(character) not in {"Mn", "Cf"})
    return re.sub(r"[^\S\n]+", " ", _WORD_BREAK.sub(" ", seen))


def readings(text: str) -> Iterator[str]:
    """The text as it stands, with look-alikes made Latin, in one line without comment marks, and with spelt-out words joined."""
    folded = plain(text)
    alike = folded.translate(_LOOKALIKES)
    yield folded
    yield alike
    yield " ".join(_COMMENT_MARK.sub("", alike).split())
    yield _SPELT_OUT.sub(_unspelt, alike)
    yield " ".join(_sentences(text)).lower()


def _sentences(text: str) -> Iterator[str]:
    """Names of several words and the strings beside them, as if they were spoken."""
    for match in _SPOKEN.finditer(text):
        name, string = match.group("name"), match.group("string")
        words = _NAME_PART.findall(name) if name else string[1:-1].split()
        if len(words) >= _A_SENTENCE or (string and words):
            yield " ".join(words)


def _unspelt(match: re.Match[str]) -> str:
    """Letters joined; where the sign between them is another one than mostly, a word ends."""
    usual = Counter(_BETWEEN.findall(match.group())).most_common(1)[0][0]
    return _BETWEEN.sub(lambda between: "" if between.group() == usual else " ", match.group()) + " "


def latin(name: str) -> str:
    """The name as it looks: compatibility forms and look-alikes made Latin, case kept."""
    seen = "".join(each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) not in {"Mn", "Cf"})
    return "".join(each.lower().translate(_LOOKALIKES).upper() if each.isupper() else each.translate(_LOOKALIKES) for each in seen)


def mixed_word(text: str) -> str:
    """The first word of Latin and other letters that look like them: no language writes so, only who wants to hide a word. Else empty."""
    if _MIXED.search(text) is None:
        return ""
    return next((word for word in re.findall(r"\w+", text) if _MIXED.search(word)), "")


def decoded(text: str) -> Iterator[str]:
    """Readable text that is hidden in base64, hexadecimal digits or escapes."""
    for number, match in enumerate(_ENCODED.finditer(text)):
        if number >= _MOST_DECODED:
            return
        for raw in _bytes_of(match.group()):
            said = raw.decode("latin-1")
            if _READABLE.fullmatch(said) and " " in said:
                yield said


def _bytes_of(said: str) -> Iterator[bytes]:
    if "\\" in said:
        yield bytes.fromhex(re.sub(r"\\\\?x", "", said))
        return
    with suppress(ValueError):
        yield bytes.fromhex(said)
    bare = said.rstrip("=")
    with suppress(ValueError):
        yield base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_" if set(said) & set("-_") else None)
