"""Which characters of a text are string or comment, and which of its lines go on from the line before."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from rules.characters import OPENING_QUOTES
from utils.syntax import parse
from utils.tokens import scan

_HIDING = frozenset({"string", "comment", "docstring", "directive", "preproc"})
_PROSE_KINDS = {"javascript": "jsx_text", "tsx": "jsx_text"}
_PYTHON_OPENING, _PYTHON_CLOSING = "([{\uff08\uff3b\uff5b", ")]}\uff09\uff3d\uff5d"


class Spans:
    """Sorted spans that do not overlap."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans
        self._starts = [start for start, _ in spans]

    def cover(self, offset: int) -> bool:
        """True when one of them holds the offset."""
        return offset < self.end_of(offset)

    def end_of(self, offset: int) -> int:
        """The end of the span that holds the offset; 0 when none does."""
        index = bisect_right(self._starts, offset) - 1
        return self._spans[index][1] if index >= 0 and offset < self._spans[index][1] else 0


class Masked:
    """Spans of strings and comments; of a text that does not parse, as well as a lexer can tell them."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language

    @cached_property
    def _spans(self) -> Spans:
        spans = self._scanned(self._text)
        quiet = self._without_quotes_in_quotes(spans)
        return Spans(sorted((spans if quiet == self._text else self._scanned(quiet)) + self._prose()))

    def _scanned(self, text: str) -> list[tuple[int, int]]:
        return [(token.start, token.end) for token in scan(text, self._language) if token.kind in _HIDING]

    def _without_quotes_in_quotes(self, spans: list[tuple[int, int]]) -> str:
        """The text with ASCII quotes between a pair of typographic ones blanked: they would open a string for the lexer."""
        characters: list[str] = []
        hidden = Spans(spans)
        closing = ""
        for offset, character in enumerate(self._text):
            if closing:
                closing = "" if character in (closing, "\n") else closing
                characters.append("x" if closing and character in "\"'" else character)
                continue
            if character in OPENING_QUOTES and not hidden.cover(offset):
                closing = OPENING_QUOTES[character]
            characters.append(character)
        return "".join(characters)

    def hides(self, offset: int) -> bool:
        """True when the character belongs to a string or a comment."""
        return self._spans.cover(offset)

    def _prose(self) -> list[tuple[int, int]]:
        """The text between tags in JSX."""
        kind = _PROSE_KINDS.get(self._language)
        if kind is None or ("</" not in self._text and "/>" not in self._text):
            return []
        root = parse(self._text, self._language)
        nodes = [] if root is None else root.find_all(kind=kind)
        return [(node.range().start.index, node.range().end.index) for node in nodes]

    def continued_lines(self) -> set[int]:
        """Python: lines (1-based) that begin inside of a string or a bracket, or after a backslash."""
        continued: set[int] = set()
        depth, line, at = 0, 1, 0
        text = self._text
        while at < len(text):
            character = text[at]
            end = self._spans.end_of(at)
            if end:
                breaks = text.count("\n", at, end)
                continued.update(range(line + 1, line + breaks + 1))
                line, at = line + breaks, end
                continue
            if character in _PYTHON_OPENING:
                depth += 1
            elif character in _PYTHON_CLOSING:
                depth = max(0, depth - 1)
            elif character == "\n":
                line += 1
                if depth or text[max(0, at - 1)] == "\\":
                    continued.add(line)
            at += 1
        return continued
