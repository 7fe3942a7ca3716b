"""From a quote to its lines: a model says what the wrong code reads, never where it stands.

A quote is looked for as it is, then with other whitespace. When it stands in the text more than once, the finding's words decide (the
function that it names, other names that stand around one of the places only), then evidence that the caller has for one place, then
places in code go before places in comments, then the same quote given as often as it stands there is taken in order. What is still
open is not guessed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from utils.edits import line_starts
from utils.syntax import Block, blocks, enclosing

MAX_PLACES = 40
"""A quote that stands in a text more often than this says nothing about a place."""
MAX_PIECES = 600
"""A longer quote is only looked for as it is."""
AROUND = 3
"""Lines before and behind a place that count as its surroundings where no function holds it."""

_PIECE = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[^\W\d]\w+")
_CODE_NAME = re.compile(r"`(?:[\w.]*\.)?(\w+)(?:\(.*?\))?`|(\w+)\(|\b(\w*[^\W_]_\w+|[a-z]+[A-Z]\w*)\b")
"""A name that is meant as one: in backticks, called, or with an inner underscore or capital; `last` alone may be plain English."""
_COMMENT = re.compile(r"\s*(?:#(?!include|define|\[)|//|/\*|\*(?!\w)|--\s|<!--)")
_WRAPPING = ("```", "`")


@dataclass(frozen=True)
class Quoted:
    """What a finding offers for its placing: the quote, and its words (message and suggestion)."""

    quote: str
    words: str = ""


@dataclass(frozen=True)
class Place:
    """Lines are 1-based and inclusive; columns 1-based code points, the end exclusive. `start` and `end` are offsets."""

    start: int
    end: int
    start_line: int
    end_line: int
    start_column: int
    end_column: int


Evidence = Callable[[int, Place], bool]
"""True when something else (a linter) speaks for a place of the finding with that index."""


def no_evidence(index: int, place: Place) -> bool:
    """For callers that know nothing."""
    return False


class Anchors:
    """Places of quotes in one text with LF line ends."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._lines = text.split("\n")
        self._starts = line_starts(text)
        self._blocks = blocks(text, language)

    def place_all(self, findings: Sequence[Quoted], has_evidence: Evidence = no_evidence) -> list[Place | None]:
        """A place for each finding, None where the quote is not in the text or could mean several places."""
        found = [self._told_apart(self.matches(one.quote), one.words, partial(has_evidence, index)) for index, one in enumerate(findings)]
        chosen: list[Place | None] = [places[0] if len(places) == 1 else None for places in found]
        groups: dict[tuple[Place, ...], list[int]] = {}
        for index, places in enumerate(found):
            if len(places) > 1:
                groups.setdefault(tuple(places), []).append(index)
        for shared, asking in groups.items():
            free = [place for place in shared if place not in chosen]
            if len(free) == len(asking):
                for index, place in zip(asking, free, strict=True):
                    chosen[index] = place
        return chosen

    def matches(self, quote: str) -> list[Place]:
        """All places where the quote stands, exact ones if there are any; none for a quote without a letter or digit."""
        wanted = _unwrapped(quote)
        if not any(character.isalnum() for character in wanted):
            return []
        exact = self._spans(re.escape(wanted), wanted)
        pieces = _PIECE.findall(wanted)
        spans = exact or (self._spans(_loose(pieces), wanted) if len(pieces) <= MAX_PIECES else [])
        return [self._place(start, end) for start, end in spans] if len(spans) <= MAX_PLACES else []

    def evidence(self, place: Place) -> str:
        """The exact source lines of a place."""
        return "\n".join(self._lines[place.start_line - 1 : place.end_line])

    def function_of(self, place: Place) -> Block | None:
        """The innermost function or class that the place begins in."""
        return enclosing(self._blocks, place.start_line)

    def _spans(self, pattern: str, wanted: str) -> list[tuple[int, int]]:
        """Non-overlapping matches that cut no word in two."""
        before = r"(?<!\w)" if _is_word(wanted[0]) else ""
        after = r"(?!\w)" if _is_word(wanted[-1]) else ""
        return [found.span() for found in re.finditer(f"{before}{pattern}{after}", self._text)]

    def _place(self, start: int, end: int) -> Place:
        first = bisect_right(self._starts, start)
        last = bisect_right(self._starts, end - 1)
        return Place(start, end, first, last, start - self._starts[first - 1] + 1, end - self._starts[last - 1] + 1)

    def _told_apart(self, places: list[Place], words: str, has_evidence: Callable[[Place], bool]) -> list[Place]:
        """The places that the finding can mean."""
        if len(places) > 1:
            places = self._in_named_function(places, words)
        if len(places) > 1:
            places = self._by_surroundings(places, words)
        if len(places) > 1:
            places = _only(places, has_evidence)
        return _only(places, lambda place: _COMMENT.match(self._lines[place.start_line - 1]) is None)

    def _in_named_function(self, places: list[Place], words: str) -> list[Place]:
        """Those in a function that the finding names; all of them when none is."""
        meant = {name for names in _CODE_NAME.findall(words) for name in names if name}
        named = meant or set(_WORD.findall(words))
        return _only(places, lambda place: any(block.name in named for block in self._around(place)))

    def _by_surroundings(self, places: list[Place], words: str) -> list[Place]:
        """Those whose function (or neighbouring lines) holds most of the names that the finding speaks of."""
        contexts = [set(_WORD.findall(self._context(place))) for place in places]
        common = Counter(word for context in contexts for word in context)
        telling = {word for word in _WORD.findall(words) if 0 < common[word] < len(places)}
        scores = [len(context & telling) for context in contexts]
        return [place for place, score in zip(places, scores, strict=True) if score == max(scores)]

    def _around(self, place: Place) -> Iterable[Block]:
        return (block for block in self._blocks if block.start_line <= place.start_line <= block.end_line)

    def _context(self, place: Place) -> str:
        block = self.function_of(place)
        first, last = (block.start_line, block.end_line) if block else (place.start_line - AROUND, place.end_line + AROUND)
        return "\n".join(self._lines[max(0, first - 1) : last])


def _unwrapped(quote: str) -> str:
    """Without blank lines around it and without Markdown's marks; the indentation of its first line does not count."""
    wanted = quote.strip()
    for mark in _WRAPPING:
        if len(wanted) > 2 * len(mark) and wanted.startswith(mark) and wanted.endswith(mark):
            inside = wanted[len(mark) : -len(mark)]
            # ```python: the first line of a fenced block is its tag.
            wanted = inside.split("\n", 1)[1] if mark == "```" and "\n" in inside else inside
    return wanted.strip()


def _loose(pieces: Sequence[str]) -> str:
    """A pattern for the same pieces with any whitespace between them; two words keep some."""
    parts: list[str] = []
    for index, piece in enumerate(pieces):
        if index:
            parts.append(r"\s+" if _is_word(pieces[index - 1]) and _is_word(piece[0]) else r"\s*")
        parts.append(re.escape(piece))
    return "".join(parts)


def _is_word(text: str) -> bool:
    return text[-1].isalnum() or text[-1] == "_"


def _only(places: list[Place], wanted: Callable[[Place], bool]) -> list[Place]:
    """The wanted places; all of them when none is."""
    return [place for place in places if wanted(place)] or places
