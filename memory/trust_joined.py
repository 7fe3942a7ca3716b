"""Words that the fix puts together so that no reader sees them: literals that are added, joined, reversed or given as numbers.

A constant expression says what its value says. So the added lines are read once more with such expressions folded, and a word that
starts programs, opens connections or runs text counts when only the folded reading has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DANGEROUS = re.compile(
    r"\b(?:system|popen|execv?p?e?|execfile|eval|child_process|spawn(?:Sync)?|subprocess|socket|urlopen|__import__|importlib|builtins"
    r"|curl|wget|rmtree|unlink|marshal|pickle|ctypes|Runtime|ProcessBuilder|fetch|Function|constructor|__proto__)\b"
    r"|/bin/(?:ba|z|da)?sh\b|\bhttps?://",
)
_LITERAL = r"""(?:"[^"\n]{0,80}"|'[^'\n]{0,80}'|`[^`\n$]{0,80}`)"""
_SUM = re.compile(rf"({_LITERAL})\s*(?:\+|\.\.|\.|<>|&|\|\|)?\s*({_LITERAL})")
_CONCAT = re.compile(rf"({_LITERAL})\s*\.\s*(?:concat|append)\s*\(\s*({_LITERAL})\s*\)")
_LISTED = rf"[\[({{]\s*((?:{_LITERAL}\s*,?\s*){{1,40}})[\])}}]"
_LIST_JOIN = re.compile(rf"{_LISTED}\s*\.\s*join\s*\(\s*({_LITERAL})?\s*\)")
_JOIN_LIST = re.compile(rf"({_LITERAL})\s*\.\s*join\s*\(\s*{_LISTED}\s*\)")
_BACKWARDS = re.compile(
    rf"({_LITERAL})\s*\[\s*::\s*-1\s*\]|\bstrrev\s*\(\s*({_LITERAL})\s*\)|({_LITERAL})\s*\.\s*(?:reverse\b|split\([^)]*\)\.reverse)"
)
_CODE = re.compile(r"\b(?:chr|char|rune|fromCharCode|fromCodePoint)\s*\(\s*(0x[0-9a-fA-F]{1,2}|\d{1,3})\s*\)")
_NUMBERS = re.compile(r"(?<![\w.])(?:(?:0x[0-9a-fA-F]{2}|\d{2,3})\s*,\s*){3,}(?:0x[0-9a-fA-F]{2}|\d{2,3})(?![\w.])")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{?0*([0-9a-fA-F]{2})\}?(?![0-9a-fA-F])|0?([0-7]{3}))")
_PRINTED = range(32, 127)
_ROUNDS = 6
_MOST_READ = 60_000


def joined_words(added: str) -> Iterator[str]:
    """The dangerous words that stand in no added line and come about when its constants are put together."""
    if len(added) > _MOST_READ:
        added = added[:_MOST_READ]
    known = {match.group() for match in _DANGEROUS.finditer(added)}
    for match in _DANGEROUS.finditer(f"{_folded(added)}\n{_numbered(added)}"):
        if match.group() not in known:
            yield match.group()


def _folded(text: str) -> str:
    text = _CODE.sub(lambda match: f'"{_character(match.group(1))}"', _ESCAPE.sub(_unescaped, text))
    for _ in range(_ROUNDS):
        before = text
        text = _LIST_JOIN.sub(lambda match: _joined(match.group(1), match.group(2) or '","'), text)
        text = _JOIN_LIST.sub(lambda match: _joined(match.group(2), match.group(1)), text)
        text = _CONCAT.sub(_added, text)
        text = _SUM.sub(_added, text)
        text = _BACKWARDS.sub(lambda match: f'"{next(filter(None, match.groups()))[1:-1][::-1]}"', text)
        if text == before:
            break
    return text


def _numbered(text: str) -> str:
    """Lists of numbers read as characters."""
    return "\n".join("".join(map(_character, re.findall(r"0x[0-9a-fA-F]+|\d+", match.group()))) for match in _NUMBERS.finditer(text))


def _character(number: str) -> str:
    code = int(number, 0) if number.startswith("0x") else int(number)
    return chr(code) if code in _PRINTED and chr(code) not in "\"'`" else " "


def _unescaped(match: re.Match[str]) -> str:
    code = int(match.group(1) or match.group(2) or "0", 16) or int(match.group(3) or "0", 8)
    return chr(code) if code in _PRINTED and chr(code) not in "\"'`\\" else match.group()


def _joined(literals: str, between: str) -> str:
    return f'"{between[1:-1].join(each[1:-1] for each in re.findall(_LITERAL, literals))}"'


def _added(match: re.Match[str]) -> str:
    return f'"{match.group(1)[1:-1]}{match.group(2)[1:-1]}"'
