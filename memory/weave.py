"""Which pieces the fixed paste is made of, in which order: the fix's tokens, the paste's own where it has them, and its comments.

A comment of the paste that the buggy text doesn't have goes where it belongs: one at a line's end stays at that line's end, one on a
line of its own above what it stood above, a docstring at the head of its body. It is left out only when the fix deletes the whole line
that it ends; where several lines become one, that one keeps the first such comment. A comment that both texts share follows the fix.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from memory.edits import Matching, moved_lines
from memory.script import Element, Script

Source = Literal["paste", "fixed"]


@dataclass(frozen=True)
class Piece:
    """One element to write. `index` is its place in `source`; `fixed` its place in the fixed text, -1 for the paste's own prose."""

    source: Source
    index: int
    fixed: int
    gap: str = ""
    gap_source: Source = "fixed"
    """Whose layout `gap` is."""


@dataclass(frozen=True)
class Carried:
    """All that is known when a fix is carried over. `alignment` pairs each element of `buggy` with one of `paste`."""

    buggy: Script
    fixed: Script
    paste: Script
    alignment: Matching
    matching: Matching
    """Fixed elements to buggy ones."""

    def element(self, piece: Piece) -> Element:
        """The element that a piece writes."""
        return (self.paste if piece.source == "paste" else self.fixed).elements[piece.index]

    def origin(self, piece: Piece) -> int | None:
        """The buggy element that a piece of the paste stands for."""
        return self.matching[piece.fixed] if piece.fixed >= 0 else None


def weave(carried: Carried, own_layout: bool = True) -> list[Piece] | None:
    """The pieces with the gaps before them; None when a token that the fix keeps has no counterpart in the paste.

    With `own_layout` False, lines that the fix changes take its layout instead of the paste's.
    """
    pieces = _kept_and_new(carried)
    if pieces is None:
        return None
    changed = set() if own_layout else _changed_lines(carried)
    pieces = _with_gaps(carried, _with_settled_prose(carried, pieces, changed), changed)
    return _Placing(carried, pieces).placed()


def _kept_and_new(carried: Carried) -> list[Piece] | None:
    pieces: list[Piece] = []
    for index, origin in enumerate(carried.matching):
        if origin is None:
            pieces.append(Piece("fixed", index, index))
            continue
        place = carried.alignment[origin]
        if place is not None:
            pieces.append(Piece("paste", place, index))
        elif not carried.buggy.elements[origin].is_prose:
            return None
    return pieces


def _changed_lines(carried: Carried) -> set[int]:
    """Fixed elements of lines where something is new or out of its old place."""
    line, lines, changed = 0, [], set()
    for index, element in enumerate(carried.fixed.elements):
        line += element.heads or (carried.fixed.language != "python" and element.begins)
        lines.append(line)
        before = carried.matching[index - 1] if index else -1
        origin = carried.matching[index]
        if origin is None or (before is not None and origin != before + 1):
            changed.add(line)
    return {index for index, line in enumerate(lines) if line in changed}


def _with_settled_prose(carried: Carried, pieces: list[Piece], changed: set[int]) -> list[Piece]:
    """Put the paste's own prose back between two pieces that follow each other there as they do here."""
    aligned = {place for place in carried.alignment if place is not None}
    settled: list[Piece] = []
    for piece in pieces:
        before = settled[-1] if settled else None
        if piece.source == "paste" and piece.fixed not in changed and (before is None or before.source == "paste"):
            start = before.index + 1 if before else 0
            between = range(start, piece.index)
            if all(index not in aligned for index in between):
                settled.extend(Piece("paste", index, -1) for index in between)
        settled.append(piece)
    return settled


def _with_gaps(carried: Carried, pieces: list[Piece], changed: set[int]) -> list[Piece]:
    out: list[Piece] = []
    for piece in pieces:
        out.append(_with_gap(carried, out[-1] if out else None, piece, changed))
    return out


def _with_gap(carried: Carried, before: Piece | None, piece: Piece, changed: set[int]) -> Piece:
    """The paste's own blanks between two pieces that follow each other there; the fix's where they don't, and where it changes blanks
    that the paste has as the buggy text had them."""
    if piece.fixed < 0:
        return replace(piece, gap=carried.paste.elements[piece.index].gap, gap_source="paste")
    theirs = carried.fixed.elements[piece.fixed].gap
    if piece.source == "fixed":
        return replace(piece, gap=theirs)
    own = carried.paste.elements[piece.index].gap
    origin = carried.origin(piece)
    old = carried.buggy.elements[origin].gap if origin is not None else None
    follows = piece.index == 0 if before is None else before.source == "paste" and before.index + 1 == piece.index
    if follows and (own != old or old == theirs) and piece.fixed not in changed:
        return replace(piece, gap=own, gap_source="paste")
    if not follows and old is not None and "\n" in own and old.count("\n") == theirs.count("\n") > 0:
        return replace(piece, gap="\n" * own.count("\n") + theirs.rpartition("\n")[2])
    return replace(piece, gap=theirs)


class _Placing:
    """Puts the paste's own comments back where the fix came between their neighbours."""

    def __init__(self, carried: Carried, pieces: list[Piece]) -> None:
        self.carried = carried
        self.pieces = pieces
        self.paste = carried.paste.elements
        self.buggy_of = {place: origin for origin, place in enumerate(carried.alignment) if place is not None}
        self.before: dict[int, list[Piece]] = {}
        self.after: dict[int, list[Piece]] = {}

    def placed(self) -> list[Piece]:
        """All pieces."""
        self.at = {piece.index: spot for spot, piece in enumerate(self.pieces) if piece.source == "paste"}
        self.places = list(self.at)
        self._follow_moved_lines()
        self.docstrings = [index for index, element in enumerate(self.paste) if element.token.kind == "docstring"]
        self.next_code = _next_code(self.carried.paste, self.at)
        for index in range(len(self.paste)):
            if index not in self.at and index not in self.buggy_of:
                self._place(index)
        return list(self._all())

    def _follow_moved_lines(self) -> None:
        """The comments of a line that the fix moves go with it."""
        spots = {piece.fixed: spot for spot, piece in enumerate(self.pieces)}
        for old, new in moved_lines(self.carried.buggy, self.carried.fixed, self.carried.matching).items():
            place = self.carried.alignment[old]
            if place is not None and new in spots:
                self.at.setdefault(place, spots[new])

    def _all(self) -> Iterator[Piece]:
        for spot, piece in enumerate(self.pieces):
            for comment in self.before.get(spot, ()):
                yield comment
                if "\n" in comment.gap or "\n" not in piece.gap:
                    piece = replace(piece, gap=_next_line(self.carried, piece) if _ends_line(self.carried.element(comment)) else " ")
            yield piece
            yield from self.after.get(spot, ())
        yield from self.before.get(len(self.pieces), ())

    def _place(self, index: int) -> None:
        element = self.paste[index]
        if element.token.kind == "docstring" or self._precedes_docstring(index):
            self._place_at_body(index)
        elif not element.begins and index > 0 and (index + 1 >= len(self.paste) or self.paste[index + 1].begins):
            self._place_at_line_end(index)
        elif not element.begins and index > 0:
            self._place_inline(index)
        else:
            self._place_above(index)

    def _precedes_docstring(self, index: int) -> bool:
        """True when a docstring follows before any code does."""
        if not self.docstrings:
            return False
        at = bisect_left(self.docstrings, index)
        return at < len(self.docstrings) and self.docstrings[at] < self.next_code[index]

    def _slot(self, index: int) -> tuple[int, int]:
        """(first, last + 1) of the pieces that stand where a paste element stood: itself, or what replaces it."""
        if index in self.at:
            return self.at[index], self.at[index] + 1
        right = bisect(self.places, index)
        before = self.at[self.places[right - 1]] if right else -1
        return before + 1, self.at[self.places[right]] if right < len(self.places) else len(self.pieces)

    def _line_end(self, spot: int) -> int:
        """The last piece of the line that the piece at `spot` stands on."""
        while spot + 1 < len(self.pieces) and "\n" not in self.pieces[spot + 1].gap:
            spot += 1
        return spot

    def _line_start(self, spot: int) -> int:
        while spot > 0 and spot < len(self.pieces) and "\n" not in self.pieces[spot].gap:
            spot -= 1
        return spot

    def _place_at_line_end(self, index: int) -> None:
        at = index - 1
        while at not in self.at and not self.paste[at].begins and at > 0:
            at -= 1
        first, end = self._slot(at)
        spot = self._line_end(first)
        if at not in self.at and (first == end or spot in self.after):
            return
        if spot in self.after or self._ends_with_comment(spot):
            self._put_above(index, self._line_start(spot))
            return
        self.after.setdefault(spot, []).append(Piece("paste", index, -1, self.paste[index].gap, "paste"))

    def _ends_with_comment(self, spot: int) -> bool:
        """True where the fix has a comment of its own already, up to the line's end."""
        return self.carried.element(self.pieces[spot]).token.kind in {"comment", "directive"} and _ends_line(
            self.carried.element(self.pieces[spot])
        )

    def _place_inline(self, index: int) -> None:
        first, _ = self._slot(index + 1)
        self.before.setdefault(first, []).append(Piece("paste", index, -1, self.paste[index].gap, "paste"))

    def _place_above(self, index: int) -> None:
        following = self.next_code[index]
        first = self._slot(following)[0] if following < len(self.paste) else len(self.pieces)
        self._put_above(index, self._line_start(first))

    def _put_above(self, index: int, spot: int) -> None:
        """On a line of its own; the line below it lends the blank lines, the paste the indentation."""
        own = self.paste[index]
        lent = self.pieces[spot].gap if spot < len(self.pieces) and not self.before.get(spot) else own.gap if own.begins else "\n"
        indent = own.indent if own.begins else self.carried.paste.line_indents[index]
        self.before.setdefault(spot, []).append(
            Piece("paste", index, -1, lent.rpartition("\n")[0] + "\n" * ("\n" in lent) + indent, "paste")
        )

    def _place_at_body(self, index: int) -> None:
        before = index - 1
        while before >= 0 and before not in self.at and self.paste[before].is_prose:
            before -= 1
        if before < 0:
            self.before.setdefault(0, []).append(Piece("paste", index, -1, self.paste[index].gap, "paste"))
            return
        first, end = self._slot(before)
        if first == end and before not in self.at:
            return
        self.after.setdefault(self._line_end(first), []).append(Piece("paste", index, -1, self.paste[index].gap, "paste"))


def _next_code(script: Script, kept: Container[int]) -> list[int]:
    """For each element the next one after it that is code, or prose with a place of its own; the length when there is none."""
    found, following = [0] * len(script.elements), len(script.elements)
    for index in range(len(script.elements) - 1, -1, -1):
        found[index] = following
        if not script.elements[index].is_prose or index in kept:
            following = index
    return found


def _ends_line(comment: Element) -> bool:
    """True for a comment that runs to the end of its line, and for one that stands on a line of its own."""
    return comment.begins or not comment.token.text.endswith("*/")


def _next_line(carried: Carried, piece: Piece) -> str:
    return "\n" + piece.gap.rpartition("\n")[2]
