"""Carry a stored edit over to code that is like the stored buggy text but not the same: some statements more, some less, other values.

The two texts are aligned token by token, in one set of names. What only the paste has is written into both sides of the stored pair,
what only the stored text has is left out of both: the pair then speaks of the paste's own program, and is carried over as for a text
that is the same up to names. `memory.fitting` says when an edit has no place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from memory.alignment import align
from memory.edits import Matching, match_fixed
from memory.fitting import Fitting
from memory.grafted_layout import Source, misplaced_blocks, python_tokens, with_joints
from memory.indentation import DEFAULT_UNIT
from memory.naming import NameClashError, Renaming
from memory.script import Element, Script, read_script
from memory.transfer import NOT_CARRIED, Transferred, align_one_to_one, carry
from memory.weave import Carried


def graft(buggy: str, fixed: str, paste: str, language: str) -> Transferred:
    """Carry `buggy -> fixed` over to `paste`, as far as the two are the same around the edit. LF line ends. Never raises."""
    old, new, own = (read_script(text, language) for text in (buggy, fixed, paste))
    if not (old.counted and new.counted and own.counted):
        return Transferred(None, NOT_CARRIED)
    fitting = Fitting(old, new, own, align(old, own), match_fixed(old, new))
    if why_not := fitting.obstacle():
        return Transferred(None, why_not)
    try:
        carried = _Graft(fitting).carried()
        if misplaced_blocks(carried.fixed.tokens) > misplaced_blocks(own.tokens):
            return Transferred(None, NOT_CARRIED)
        return carry(carried, _StrictRenaming(old, new, own, fitting.alignment))
    except NameClashError as clash:
        return Transferred(None, f"the fix needs `{clash}`, which this code does not have")


class _StrictRenaming(Renaming):
    """Refuses a local of the buggy text that has no counterpart: the same word may be anything in the paste."""

    def __init__(self, buggy: Script, fixed: Script, paste: Script, alignment: Matching) -> None:
        super().__init__(buggy, fixed, paste, alignment)
        paired = {buggy.elements[old].token.text for old, own in enumerate(alignment) if own is not None}
        self._lost = {element.token.text for element in buggy.elements if element.role == "local"} - paired

    def of(self, name: str) -> str:
        """The paste's word for a name of the fix. Raises NameClashError."""
        if name in self._lost:
            raise NameClashError(name)
        return super().of(name)


class _Rows:
    """A script in the making: its elements, what each is matched with, and where each comes from; `waiting` are the paste's own."""

    def __init__(self, waiting: Iterable[int]) -> None:
        self.elements: list[Element] = []
        self.matching: list[int | None] = []
        self.sources: list[Source] = []
        self.waiting = list(waiting)

    def add(self, element: Element, match: int | None, source: Source) -> None:
        self.elements.append(element)
        self.matching.append(match)
        self.sources.append(source)


@dataclass(frozen=True)
class _Shift:
    """How many blocks deeper the fix puts something, and how many steps of indentation: less in a piece that begins within blocks."""

    blocks: int = 0
    steps: int = 0


@dataclass(frozen=True)
class _Graft:
    """The stored pair with the paste's differences on both sides."""

    fit: Fitting

    def carried(self) -> Carried:
        """Ready to be carried over."""
        buggy, paste = self._buggy, self.fit.paste
        rows = self._fixed()
        is_python = paste.language == "python"
        elements = tuple(rows.elements) if is_python else tuple(with_joints(rows.elements, rows.sources, self.fit))
        tokens = tuple(python_tokens(rows.elements)) if is_python else ()
        fixed = replace(self.fit.fixed, elements=elements, tokens=tokens)
        stored = replace(self.fit.buggy, elements=tuple(buggy.elements), tokens=())
        return Carried(stored, fixed, paste, align_one_to_one(stored, paste), tuple(rows.matching))

    @cached_property
    def _buggy(self) -> _Rows:
        """The buggy side; `sources` are places in the paste and in the buggy text."""
        rows = _Rows(self.fit.extra)
        for index, element in enumerate(self.fit.buggy.elements):
            place = self.fit.alignment[index]
            if element.is_prose:
                rows.add(element, None, (None, index))
            elif place is not None:
                self._catch_up(rows, place)
                own = self.fit.paste.elements[place]
                rows.add(replace(element, depth=own.depth, heads=own.heads), None, (place, index))
        self._catch_up(rows, len(self.fit.paste.elements))
        return rows

    def _fixed(self) -> _Rows:
        """The fixed side, matched with the buggy one; `sources` are places in the paste and in the fixed text."""
        fit, rows = self.fit, _Rows(self.fit.extra)
        in_buggy = {place: number for number, (place, _) in enumerate(self._buggy.sources) if place is not None}
        prose = {index: number for number, (place, index) in enumerate(self._buggy.sources) if place is None}
        starts = {hunk.new[0]: fit.start(hunk) for hunk in fit.hunks if hunk.new}
        for index, element in enumerate(fit.fixed.elements):
            origin = fit.matching[index]
            place = None if origin is None else fit.alignment[origin]
            until = starts.get(index, place)
            if until is not None:
                self._catch_up(rows, until, in_buggy, self._shift_between(index))
            if origin is None:
                rows.add(replace(element, depth=element.depth + self._deeper(index)), None, (None, index))
            elif place is not None:
                rows.add(self._kept(element, origin, place), in_buggy[place], (place, index))
            elif element.is_prose:
                rows.add(element, prose.get(origin), (None, index))
        self._catch_up(rows, len(fit.paste.elements), in_buggy)
        return rows

    def _catch_up(self, rows: _Rows, until: int, matches: dict[int, int] | None = None, shift: _Shift | None = None) -> None:
        """Put in what the paste alone has before one of its elements."""
        while rows.waiting and rows.waiting[0] < until:
            index = rows.waiting.pop(0)
            rows.add(self._extra(index, shift or _Shift()), (matches or {}).get(index), (index, None))

    def _kept(self, new: Element, origin: int, place: int) -> Element:
        """As deep as in the paste, and as much deeper as the fix moves it."""
        old, own = self.fit.buggy.elements[origin], self.fit.paste.elements[place]
        return replace(new, depth=own.depth + new.depth - old.depth, heads=own.heads if new.heads == old.heads else new.heads)

    def _shift_between(self, index: int) -> _Shift:
        """How the fix moves what stands before one of its elements: as its neighbours on both sides, else not at all."""
        before, after = (self._shift_at(steps) for steps in (range(index - 1, -1, -1), range(index, len(self.fit.matching))))
        return min(before, after, key=lambda shift: abs(shift.blocks)) if before.blocks * after.blocks > 0 else _Shift()

    def _shift_at(self, indices: Iterable[int]) -> _Shift:
        """How the fix moves the first of these elements that is kept."""
        fit = self.fit
        for index in indices:
            origin = fit.matching[index]
            if origin is not None and fit.alignment[origin] is not None:
                blocks = fit.fixed.elements[index].depth - fit.buggy.elements[origin].depth
                is_moved = fit.fixed.line_indents[index] != fit.buggy.line_indents[origin]
                return _Shift(blocks, blocks if is_moved else 0)
        return _Shift()

    def _deeper(self, index: int) -> int:
        """How much deeper the paste's code is than the stored one at a new element: as at the next one that is kept."""
        fit = self.fit
        for at in [*range(index + 1, len(fit.matching)), *range(index - 1, -1, -1)]:
            origin = fit.matching[at]
            place = None if origin is None else fit.alignment[origin]
            if origin is not None and place is not None:
                here: int = fit.paste.elements[place].depth - fit.buggy.elements[origin].depth
                return here
        return 0

    def _extra(self, index: int, shift: _Shift) -> Element:
        """An element of the paste's own, laid out in the stored text's steps, some deeper than it stands."""
        element, own = self.fit.paste.elements[index], self.fit.paste.unit
        theirs = self.fit.fixed.unit or self.fit.buggy.unit or DEFAULT_UNIT
        element = replace(element, depth=element.depth + shift.blocks)
        if not element.begins or not own:
            return element
        steps = len(element.indent) // len(own) + shift.steps
        return replace(element, gap=element.gap.rpartition("\n")[0] + "\n" + theirs * max(0, steps))
