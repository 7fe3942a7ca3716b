"""Characters that deceive: which they are, what they are called, and what they were meant to be."""

from __future__ import annotations

import re
import unicodedata

BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Embeddings, overrides and isolates: they reorder what a reader sees (CVE-2021-42574)."""

TAGS = re.compile("[\U000e0000-\U000e007f]")
"""Invisible copies of ASCII, used to smuggle text past a reader."""

INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff\u061c]")
"""No width, no meaning in code. In strings they can be right: emoji are joined with U+200D."""

FILLERS = re.compile("[\u115f\u1160\u3164\uffa0]")
"""Blank letters: a name of them can't be seen."""

SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""Spaces of typography that most languages refuse as layout."""

_MEANT = {
    '"': "\u201c\u201d\u201e\u201f\u2033",
    "'": "\u2018\u2019\u201a\u201b\u2032",
    ",": "\u3001",
    ".": "\u3002",
    "[": "\u3010",
    "]": "\u3011",
    "<": "\u3008\u300a",
    ">": "\u3009\u300b",
    "-": "\u2013\u2014\u2212",
    "*": "\u00d7",
    "/": "\u00f7",
    "<=": "\u2264",
    ">=": "\u2265",
    "!=": "\u2260",
    "...": "\u2026",
}
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not chr(code - 0xFEE0).isalnum()}
PUNCTUATION: dict[str, str] = {**_FULL_WIDTH, **{wrong: meant for meant, several in _MEANT.items() for wrong in several}}
"""Punctuation of an input method or a word processor -> what a program reads."""

PUNCTUATION_PATTERN = re.compile("[" + re.escape("".join(PUNCTUATION)) + "]")
OPENING_QUOTES = {"\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019", "\u201a": "\u2018"}

_CYRILLIC_AND_GREEK = "абвеіјкмнорсѕтухԁһАВЕІЈКМНОРСЅТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ"
LOOKALIKE = re.compile(f"[{_CYRILLIC_AND_GREEK}]")
"""Letters of other scripts that look like Latin ones."""


def name_of(character: str) -> str:
    """`U+FF1A FULLWIDTH COLON`."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" {name}" if name else "")
