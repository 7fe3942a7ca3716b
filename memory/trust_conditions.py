"""Conditions that a fix makes useless, in any code: refusals that go or come true more rarely, sizes that are cut down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_THROWN = re.compile(r"\b(?:raise|throw|panic!?|abort|bail!)\b")
_HANDLED = re.compile(r"\breturn\b|\bErr\(|\bcontinue\b|\bassert\b")
_SMALL = r"(?:(?:un)?signed\s+char|char|short|byte|u?int(?:8|16)(?:_t)?)"
_NARROW = re.compile(rf"\(\s*{_SMALL}\s*\)\s*\w+|\b(?:u?int(?:8|16))\s*\(\s*\w+|\bas\s+[ui](?:8|16)\b")
_COMPARES = re.compile(r"[<>]=?|[!=]=")
_MEASURES = re.compile(r"(?i:len|size|cap|count|limit|max|length|total|amount|offset|index|bytes)\w*")
_CONDITION = re.compile(r"^\s*(?:\}?\s*else\s+)?(?:if|elif|elsif|unless|while|guard|require|assert)\b")
_AND = re.compile(r"&&|\band\b")
_ALIKE = 0.6


def useless_conditions(buggy: str, fixed: str) -> Iterator[str]:
    """Why the fix must be looked at for its conditions."""
    old, new = ([line for line in text.split("\n") if line.strip()] for text in (buggy, fixed))
    known = {line.strip() for line in old}
    added = {line for line in new if line.strip() not in known}
    if any(_NARROW.search(line) and _COMPARES.search(line) and _MEASURES.search(line) and _CONDITION.match(line) for line in added):
        yield "its fix cuts a size down before it compares it"
    gone = {line.strip() for line in old} - {line.strip() for line in new}
    for line, following in zip(new, [*new[1:], ""], strict=False):
        if line in added and _THROWN.search(line + following) and _CONDITION.match(line) and _is_narrower(line, gone):
            yield "its fix makes a refusal rarer"
            return
    if len(_THROWN.findall(fixed)) < len(_THROWN.findall(buggy)) and len(_HANDLED.findall(fixed)) <= len(_HANDLED.findall(buggy)):
        yield "its fix takes a refusal away"


def _is_narrower(line: str, gone: set[str]) -> bool:
    """True when the condition that it replaces had fewer parts that must hold together."""
    said = line.strip()
    for old in gone:
        if len(_AND.findall(said)) > len(_AND.findall(old)) and old.rstrip(":{) \t") in said:
            return True
        if len(_AND.findall(said)) > len(_AND.findall(old)) and SequenceMatcher(None, old, said, autojunk=False).ratio() > _ALIKE:
            return _CONDITION.match(old) is not None
    return False
