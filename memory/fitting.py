"""Whether a stored edit has its place in code that is only like the stored text, and where.

The edit is never stretched: what it replaces must be there, literals included, and so must its neighbours. Between these and the edit the
paste may have whole statements of its own, nothing less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from memory.alignment import LITERALS, Hunk, begins_statement, hunks
from memory.edits import Matching
from memory.script import Script

WINDOW = 4
ALIGNED_SHARE = 0.75
"""Of the WINDOW stored tokens on either side of an edit, so many must be there."""
NOT_THERE = "what the fix replaces is not in this code"
NO_CONTEXT = "the code around the fix's place is different here"
OTHER_VALUE = "the fix repeats `{said}`, where this code has another value"
_TRIVIAL = frozenset({"0", "1", "2", "''", '""'})


@dataclass(frozen=True)
class Fitting:
    """`alignment` pairs elements of the buggy text with those of the paste, `matching` those of the fixed text with the buggy ones."""

    buggy: Script
    fixed: Script
    paste: Script
    alignment: Matching
    matching: Matching

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The edits of the fix."""
        return tuple(hunks(self.buggy, self.fixed, self.matching))

    @cached_property
    def extra(self) -> tuple[int, ...]:
        """Elements of the paste, prose aside, that the stored text does not have."""
        aligned = {place for place in self.alignment if place is not None}
        return tuple(element for element in self.paste.counted if element not in aligned)

    @cached_property
    def other_values(self) -> frozenset[int]:
        """Literals of the buggy text whose counterpart has another value."""
        pairs = ((index, place) for index, place in enumerate(self.alignment) if place is not None)
        return frozenset(
            index
            for index, place in pairs
            if self.buggy.elements[index].token.kind in LITERALS
            and self.buggy.elements[index].token.key != self.paste.elements[place].token.key
        )

    @cached_property
    def order(self) -> dict[int, int]:
        """The number of each element of the paste that is no prose."""
        return {element: number for number, element in enumerate(self.paste.counted)}

    def obstacle(self) -> str:
        """Why the edit has no place here, in one sentence; empty when every hunk has one."""
        found = (self._obstacle(hunk) for hunk in self.hunks)
        return next((why_not for why_not in found if why_not), "") or self._other_value()

    def start(self, hunk: Hunk) -> int | None:
        """The element of the paste before which the hunk begins; None at the text's end. Only for a hunk without obstacle."""
        gone = [self.alignment[index] for index in hunk.gone if not self.buggy.elements[index].is_prose]
        return gone[0] if gone else self._place(hunk.after)

    def _place(self, index: int | None) -> int | None:
        return None if index is None else self.alignment[index]

    def _obstacle(self, hunk: Hunk) -> str:
        gone = [self.alignment[index] for index in hunk.gone if not self.buggy.elements[index].is_prose]
        places = [place for place in gone if place is not None]
        if len(places) < len(gone) or any(index in self.other_values for index in hunk.gone):
            return NOT_THERE
        is_torn = any(self.order[second] != self.order[first] + 1 for first, second in pairwise(places))
        return NO_CONTEXT if is_torn or not self._is_surrounded(hunk) or not self._is_joined(hunk, places) else ""

    def _is_surrounded(self, hunk: Hunk) -> bool:
        """The next neighbours are there, and most of those within the window."""
        counted = self.buggy.counted
        before = [index for index in counted if hunk.before is not None and index <= hunk.before][-WINDOW:]
        after = [index for index in counted if hunk.after is not None and index >= hunk.after][:WINDOW]
        if any(index is not None and self.alignment[index] is None for index in (hunk.before, hunk.after)):
            return False
        around = [*before, *after]
        return sum(self.alignment[index] is not None for index in around) >= ALIGNED_SHARE * len(around)

    def _is_joined(self, hunk: Hunk, places: Sequence[int]) -> bool:
        """Between the neighbours and the edit the paste has nothing of its own but whole statements."""
        left, right = self._place(hunk.before), self._place(hunk.after)
        if not places:
            is_line = bool(hunk.new) and begins_statement(self.fixed.elements[hunk.new[0]], self.fixed.language)
            return self._may_be_apart(left, right) and (is_line or not self._has_extra(left, right))
        return self._may_be_apart(left, places[0]) and self._may_be_apart(places[-1], right)

    def _may_be_apart(self, left: int | None, right: int | None) -> bool:
        return not self._has_extra(left, right) or (right is not None and begins_statement(self.paste.elements[right], self.paste.language))

    def _has_extra(self, left: int | None, right: int | None) -> bool:
        low = -1 if left is None else left
        high = len(self.paste.elements) if right is None else right
        return any(low < index < high for index in self.extra)

    def _other_value(self) -> str:
        """A literal that the fix repeats from the buggy text is the wrong one where the paste has another in every place of it."""
        there = [index for index, own in enumerate(self.alignment) if own is not None and index not in self.other_values]
        here = {self.buggy.elements[index].token.text for index in there}
        stored = {element.token.text for element in self.buggy.elements if element.token.kind in LITERALS}
        for hunk in self.hunks:
            for index in hunk.new:
                token = self.fixed.elements[index].token
                if token.kind in LITERALS and token.text in stored - here - _TRIVIAL:
                    return OTHER_VALUE.format(said=token.text[:40])
        return ""
