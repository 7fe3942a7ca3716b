"""The indentation of a fixed paste: the paste's own lines as they stand, the fix's lines in the paste's steps.

In Python a block has one indentation: that of the paste's lines in it, else the fix's own step in the paste's unit. Lines that go
deeper or shallower take their continuation lines and comments with them. Strings are never touched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.script import Script
from memory.weave import Carried, Piece

DEFAULT_UNIT = "    "


def indent(carried: Carried, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the right indentation in their gaps."""
    steps = _Steps.between(carried)
    if carried.paste.language == "python":
        return _PythonIndenter(carried, pieces, steps).indented()
    return _BracketIndenter(carried, pieces, steps).indented()


@dataclass(frozen=True)
class _Steps:
    """One step of indentation in the fix and in the paste."""

    theirs: str
    own: str

    @classmethod
    def between(cls, carried: Carried) -> _Steps:
        """Where the paste is laid out like the buggy text, the fix's own layout is what the author would write."""
        fixed, own = carried.fixed.unit or carried.buggy.unit, carried.paste.unit
        if not own or own == carried.buggy.unit:
            return cls(fixed or DEFAULT_UNIT, fixed or DEFAULT_UNIT)
        return cls(fixed or own, own)

    def convert(self, extra: str) -> str:
        """Blanks of the fix's lines in the paste's steps; what is no whole step stays as blanks."""
        if self.theirs == self.own or not extra:
            return extra
        width = len(self.theirs.expandtabs(8))
        count, rest = divmod(len(extra.expandtabs(8)), width)
        return self.own * count + " " * rest


def _moved(line: str, base: str, new_base: str, steps: _Steps | None) -> str:
    """The indentation `line` of something that belongs to a line indented by `base`, once that one is indented by `new_base`."""
    if line.startswith(base):
        extra = line[len(base) :]
        return new_base + (steps.convert(extra) if steps else extra)
    if steps and base.startswith(line):
        dropped = len(base[len(line) :].expandtabs(8)) // max(1, len(steps.theirs.expandtabs(8)))
        while dropped and new_base.endswith(steps.own):
            new_base, dropped = new_base[: -len(steps.own)], dropped - 1
        return new_base
    return line


def _with_indent(piece: Piece, blanks: str) -> Piece:
    head, newline, _ = piece.gap.rpartition("\n")
    return replace(piece, gap=head + newline + blanks)


class _Indenter:
    def __init__(self, carried: Carried, pieces: Sequence[Piece], steps: _Steps) -> None:
        self.carried = carried
        self.pieces = list(pieces)
        self.steps = steps

    def script(self, piece: Piece) -> Script:
        return self.carried.paste if piece.gap_source == "paste" else self.carried.fixed

    def place(self, piece: Piece) -> int:
        """The element whose layout the gap of this piece is."""
        return piece.index if piece.gap_source == piece.source else piece.fixed

    def moved_line(self, piece: Piece) -> str | None:
        """The indentation of a line that the paste has, too: its own, as much deeper or less deep as the fix moves it. None for others."""
        origin = self.carried.origin(piece)
        if piece.source != "paste" or origin is None:
            return None
        own, old, new = (
            self.carried.paste.elements[piece.index],
            self.carried.buggy.elements[origin],
            self.carried.fixed.elements[piece.fixed],
        )
        if not own.begins and piece.index > 0:
            return None
        if not (old.begins or origin == 0) or not (new.begins or piece.fixed == 0):
            return own.indent if piece.gap_source == "paste" else None
        return self._moved_as(own.indent, old.indent, new.indent)

    def _moved_as(self, blanks: str, old: str, new: str) -> str | None:
        """The blanks, as much deeper or less deep as `new` is against `old`; None when that can't be said in steps."""
        if new.startswith(old):
            return blanks + self.steps.convert(new[len(old) :])
        if not old.startswith(new):
            return None
        less = self.steps.convert(old[len(new) :])
        return blanks.removesuffix(less) if blanks.endswith(less) else None


class _PythonIndenter(_Indenter):
    def indented(self) -> list[Piece]:
        heads = [spot for spot, piece in enumerate(self.pieces) if self._is_head(piece)]
        wanted = self._block_indents(heads)
        for spot in heads:
            if "\n" in self.pieces[spot].gap or spot == 0:
                self.pieces[spot] = _with_indent(self.pieces[spot], wanted[spot])
        self._indent_docstrings(wanted)
        self._indent_others(wanted)
        return self.pieces

    def _is_head(self, piece: Piece) -> bool:
        return piece.fixed >= 0 and self.carried.fixed.elements[piece.fixed].heads

    def _depth(self, spot: int) -> int:
        return self.carried.fixed.elements[self.pieces[spot].fixed].depth

    def _block_indents(self, heads: list[int]) -> dict[int, str]:
        """The indentation of each logical line: one for each block, taken from the stack of open ones."""
        open_blocks: list[str] = []
        wanted: dict[int, str] = {}
        for number, spot in enumerate(heads):
            depth = self._depth(spot)
            del open_blocks[depth + 1 :]
            while len(open_blocks) <= depth:
                open_blocks.append(self._opened(heads, number, open_blocks, depth))
            wanted[spot] = open_blocks[depth]
        return wanted

    def _opened(self, heads: list[int], number: int, open_blocks: list[str], depth: int) -> str:
        """The indentation of a block that opens here."""
        parent, level = open_blocks[-1] if open_blocks else None, len(open_blocks)
        for at in range(number, len(heads)):
            spot = heads[at]
            if self._depth(spot) < level:
                break
            own = self._own_indent(spot) if self._depth(spot) == level else None
            if own is not None and (parent is None or (own.startswith(parent) and own != parent)):
                return own
        if parent is not None:
            return parent + self._step(heads[number])
        return self._above_all(heads, number) if level == depth else ""

    def _above_all(self, heads: list[int], number: int) -> str:
        """The indentation of the outermost block where no line of the paste is left in it: some steps from the next line that is."""
        line = self._fixed_indent(heads[number])
        for spot in heads[number + 1 :]:
            own = self._own_indent(spot)
            if own is not None:
                return _moved(line, self._fixed_indent(spot), own, self.steps)
        return line

    def _fixed_indent(self, spot: int) -> str:
        return self.carried.fixed.elements[self.pieces[spot].fixed].indent

    def _own_indent(self, spot: int) -> str | None:
        """Where the paste's own line belongs, once the fix has moved it; None for a line that is not the paste's."""
        piece = self.pieces[spot]
        return self.moved_line(piece) if piece.source == "paste" and self.carried.paste.elements[piece.index].heads else None

    def _step(self, spot: int) -> str:
        """How much deeper the fix's line stands than the line that opened its block."""
        fixed = self.carried.fixed
        index = self.pieces[spot].fixed
        line = fixed.elements[index].indent
        for before in range(index - 1, -1, -1):
            element = fixed.elements[before]
            if element.heads and element.depth < fixed.elements[index].depth:
                if line.startswith(element.indent) and line != element.indent:
                    return self.steps.convert(line[len(element.indent) :])
                break
        return self.steps.own

    def _indent_docstrings(self, wanted: dict[int, str]) -> None:
        """A docstring is a statement: it stands where its block's next statement does."""
        for spot, piece in enumerate(self.pieces):
            if piece.fixed < 0 and self.carried.element(piece).token.kind == "docstring" and self.carried.element(piece).heads:
                following = next((at for at in range(spot + 1, len(self.pieces)) if at in wanted), None)
                if following is not None and self._opens_block(piece, following):
                    wanted[spot] = wanted[following]
                    self.pieces[spot] = _with_indent(piece, wanted[following])

    def _opens_block(self, piece: Piece, following: int) -> bool:
        own = self.carried.paste.elements[piece.index].depth
        return self._depth(following) >= own

    def _indent_others(self, wanted: dict[int, str]) -> None:
        """Continuation lines go with their line, comments on lines of their own with the line below them."""
        head: int | None = None
        below = self._code_below(wanted)
        for spot, piece in enumerate(self.pieces):
            head = spot if spot in wanted else head
            if spot in wanted or "\n" not in piece.gap:
                continue
            is_comment = self.carried.element(piece).token.kind in {"comment", "directive"}
            anchor = below[spot] if is_comment and below[spot] in wanted else head
            if anchor is not None:
                self.pieces[spot] = self._moved_with(piece, wanted[anchor], below=anchor > spot)

    def _code_below(self, wanted: dict[int, str]) -> list[int]:
        """For each piece the next one that is code or has an indentation of its own."""
        below, following = [0] * len(self.pieces), len(self.pieces)
        for spot in range(len(self.pieces) - 1, -1, -1):
            below[spot] = following
            if spot in wanted or not self.carried.element(self.pieces[spot]).is_prose:
                following = spot
        return below

    def _moved_with(self, piece: Piece, new_base: str, *, below: bool) -> Piece:
        script = self.script(piece)
        base = self._base(script, self.place(piece), after=below)
        steps = None if script is self.carried.paste else self.steps
        return _with_indent(piece, _moved(piece.gap.rpartition("\n")[2], base, new_base, steps))

    def _base(self, script: Script, place: int, *, after: bool) -> str:
        """The indentation, in the gap's own text, of the line that the piece goes with."""
        if not after:
            return script.line_indents[place]
        following = bisect_left(script.heads, place)
        return script.elements[script.heads[following]].indent if following < len(script.heads) else script.line_indents[place]


class _BracketIndenter(_Indenter):
    """Lines of the paste stand where they stood, moved as far as the fix moves them; new lines stand by those beside them."""

    def indented(self) -> list[Piece]:
        lines = [spot for spot, piece in enumerate(self.pieces) if "\n" in piece.gap or spot == 0]
        self.wanted: dict[int, str] = {}
        for spot in lines:
            blanks = self.moved_line(self.pieces[spot])
            if blanks is not None:
                self.wanted[spot] = blanks
        ours = [spot for spot in lines if self.pieces[spot].fixed >= 0]
        for number, spot in enumerate(ours):
            if spot not in self.wanted:
                self.wanted[spot] = self._beside(ours, number)
            self.pieces[spot] = _with_indent(self.pieces[spot], self.wanted[spot])
        self._indent_comments()
        return self.pieces

    def _beside(self, lines: Sequence[int], number: int) -> str:
        """The indentation of a new line: that of the next line as deep in its block, else of the one before, else some steps from it."""
        target = self._depth(lines[number])
        for step in (1, -1):
            for spot in lines[number + step :: step] if number + step >= 0 else ():
                blanks = self._depth(spot)
                if blanks == target and spot in self.wanted:
                    return self.wanted[spot]
                if not blanks.startswith(target):
                    break
        other = lines[number - 1] if number else next((spot for spot in lines if spot in self.wanted), None)
        if other is None:
            return target
        return _moved(target, self._depth(other), self.wanted[other], self.steps)

    def _depth(self, spot: int) -> str:
        """The indentation of a line in the fix."""
        return self.carried.fixed.elements[self.pieces[spot].fixed].indent

    def _indent_comments(self) -> None:
        """The paste's comments on lines of their own go with the line below them."""
        below: str | None = None
        for spot in range(len(self.pieces) - 1, -1, -1):
            piece = self.pieces[spot]
            if "\n" not in piece.gap and spot > 0:
                continue
            if piece.fixed >= 0:
                below = piece.gap.rpartition("\n")[2]
            elif below is not None:
                blanks = piece.gap.rpartition("\n")[2]
                self.pieces[spot] = _with_indent(piece, _moved(blanks, self._indent_below(piece.index), below, None))

    def _indent_below(self, index: int) -> str:
        """The indentation of the paste's next line of code."""
        elements = self.carried.paste.elements
        return next(
            (element.indent for element in elements[index + 1 :] if element.begins and not element.is_prose), elements[index].indent
        )
