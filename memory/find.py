"""Which stored experiences explain a paste: the whole of it, or some of its functions and classes. Keys only, no vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory.keys import KeyMaker
from memory.lookup import find_key, kinds_of_length, without_cycles
from memory.records import KeyHit, KeyKind, Side
from utils.tokens import tokenize

if TYPE_CHECKING:
    from utils.syntax import Block

_TIERS: tuple[KeyKind, ...] = ("exact", "renamed")
_SIDES: tuple[Side, ...] = ("buggy", "fixed")
"""Exact before renamed, so that a text that is a fixed side is never mended by a renamed bug."""


@dataclass(frozen=True)
class Answer:
    """What the keys of one text gave: hits of one tier and side, best first, and those that may not be offered."""

    hits: tuple[KeyHit, ...] = ()
    kind: KeyKind = "exact"
    side: Side = "buggy"
    withheld: tuple[KeyHit, ...] = ()

    @property
    def is_known_bug(self) -> bool:
        """True when a stored bug was found that may be offered."""
        return bool(self.hits) and self.side == "buggy"

    @property
    def is_fixed(self) -> bool:
        """True when the text is the fixed side of an experience."""
        return bool(self.hits) and self.side == "fixed"


@dataclass(frozen=True)
class Piece:
    """A function or class of the paste, taken out of its indentation. Lines are 1-based and inclusive."""

    start_line: int
    end_line: int
    text: str
    indent: str
    answer: Answer


def find(connection: sqlite3.Connection, text: str, language: str, scope: str) -> Answer:
    """Look one text up on both sides; keys are only computed when something stored has as many tokens."""
    maker = KeyMaker(text, language)
    kinds = kinds_of_length(connection, maker.length)
    withheld: list[KeyHit] = []
    for kind in _TIERS:
        key = maker.of(kind) if kind in kinds else ""
        for side in _SIDES:
            hits = find_key(connection, key, kind, side, scope) if key else []
            offered = tuple(hit for hit in hits if hit.alternative.is_offered and not (side == "fixed" and hit.alternative.is_corrected))
            if side == "buggy":
                withheld += (hit for hit in hits if not hit.alternative.is_offered)
            if side == "buggy" and offered:
                offered = without_cycles(connection, key, kind, offered, scope)
            if offered:
                return Answer(offered, kind, side, tuple(withheld))
    return Answer(withheld=tuple(withheld))


def find_pieces(connection: sqlite3.Connection, text: str, language: str, scope: str) -> list[Piece]:
    """The functions and classes of a text that are known, on either side or withheld; outer ones first, never overlapping."""
    from memory.pieces import pieces_of  # late: the parsers are only needed when the whole text is not known

    found: list[Piece] = []
    lines = text.split("\n")
    for block in pieces_of(text, language):
        if found and block.start_line <= found[-1].end_line:
            continue
        piece = _look_up(connection, lines, block, language, scope)
        if piece is not None:
            found.append(piece)
    return found


def _look_up(connection: sqlite3.Connection, lines: list[str], block: Block, language: str, scope: str) -> Piece | None:
    cut = cut_out(lines, block, language)
    if cut is None:
        return None
    answer = find(connection, cut.text, language, scope)
    if not answer.hits and not answer.withheld:
        return None
    return replace(cut, answer=answer)


def cut_out(lines: list[str], block: Block, language: str) -> Piece | None:
    """A block of a text without the indentation that all its lines share; None where taking that away would change a string."""
    own = lines[block.start_line - 1 : block.end_line]
    indent = _common_indent(own)
    if indent and has_long_string("\n".join(own), language):
        return None
    text = "\n".join(line.removeprefix(indent) if line.strip() else "" for line in own) + "\n"
    return Piece(block.start_line, block.end_line, text, indent, Answer())


def _common_indent(lines: list[str]) -> str:
    """The blanks that all lines begin with; blank lines don't count."""
    first = next((line for line in lines if line.strip()), "")
    rest = first.lstrip(" \t")
    indent = first[: len(first) - len(rest)]
    return indent if all(line.startswith(indent) for line in lines if line.strip()) else ""


def indented(text: str, indent: str) -> str:
    """The text with `indent` before every line that is not blank."""
    return "".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))


def has_long_string(text: str, language: str) -> bool:
    """True when a string runs over several lines: moving it to another indentation would change it."""
    return any(token.kind in ("string", "preproc") and "\n" in token.text for token in tokenize(text, language))


def coverage(text: str, language: str, spans: list[tuple[int, int]]) -> float:
    """The share (0-1) of the text's tokens that begin on lines within the spans (1-based, inclusive)."""
    starts = [token.start for token in tokenize(text, language) if token.end > token.start]
    if not starts:
        return 0.0
    covered = {line for first, last in spans for line in range(first, last + 1)}
    inside = sum(line in covered for line in _line_numbers(text, starts))
    return inside / len(starts)


def _line_numbers(text: str, offsets: list[int]) -> Iterator[int]:
    """The 1-based lines of ascending offsets."""
    line, at = 1, 0
    for offset in offsets:
        line += text.count("\n", at, offset)
        at = offset
        yield line
