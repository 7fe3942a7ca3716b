"""Whether a stored edit has its place in code that is only like the stored text, and where.

The edit is never stretched: what it replaces must be there, literals included, and so must its neighbours. Between these and the edit the
paste may have whole statements of its own, nothing less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from memory.alignment import LITERALS, Hunk, begins_statement, hunks
from memory.edits import Matching
from memory.quotes import value_of
from memory.script import PROSE, Script
from memory.sliding import CLOSING

WINDOW = 4
ALIGNED_SHARE = 0.75
"""Of the WINDOW stored tokens on either side of an edit, so many must be there."""
NOT_THERE = "what the fix replaces is not in this code"
NO_CONTEXT = "the code around the fix's place is different here"
OTHER_VALUE = "the fix repeats `{said}`, where this code has another value"
OTHER_NUMBERS = "other numbers stand on the line that the fix changes"
_ASIDE = PROSE | {"directive"}
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
        """The edits of the fix. A comment that a tool obeys is a neighbour only where the paste has it, too."""
        return tuple(
            replace(hunk, before=self._present(hunk.before, -1), after=self._present(hunk.after, 1))
            for hunk in hunks(self.buggy, self.fixed, self.matching)
        )

    def _present(self, index: int | None, step: int) -> int | None:
        """This element of the buggy text, or the next one that is no directive that the paste lacks; None past the end."""
        while index is not None and self.alignment[index] is None and self.buggy.elements[index].token.kind in _ASIDE:
            index = index + step if 0 <= index + step < len(self.buggy.elements) else None
        return index

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
            if self.buggy.elements[index].token.kind in LITERALS and self._value(self.buggy, index) != self._value(self.paste, place)
        )

    @cached_property
    def order(self) -> dict[int, int]:
        """The number of each element of the paste that is no prose."""
        return {element: number for number, element in enumerate(self.paste.counted)}

    def obstacle(self) -> str:
        """Why the edit has no place here, in one sentence; empty when every hunk has one."""
        found = (self._obstacle(hunk) for hunk in self.hunks)
        if why_not := next((why_not for why_not in found if why_not), ""):
            return why_not
        return OTHER_NUMBERS if any(map(self._has_other_numbers, self.hunks)) else self._other_value()

    def start(self, hunk: Hunk) -> int | None:
        """The element of the paste before which the hunk begins; None at the text's end. Only for a hunk without obstacle."""
        gone = [self.alignment[index] for index in hunk.gone if not self.buggy.elements[index].is_prose]
        left = self._place(hunk.before)
        if not gone and left is not None and self._belongs_behind(hunk, left):
            return next(iter(self.paste.counted[self.order[left] + 1 :]), None)
        return gone[0] if gone else self._place(hunk.after)

    def _belongs_behind(self, hunk: Hunk, left: int) -> bool:
        """True for new code that must follow its left neighbour at once, whatever the paste has between its neighbours: what closes a
        block that the paste's own statements are not in, and what stands in a block that ends before them."""
        first = next((index for index in hunk.new if not self.fixed.elements[index].is_prose), None)
        if first is None or hunk.before is None:
            return False
        depth = self.fixed.elements[first].depth + self.paste.elements[left].depth - self.buggy.elements[hunk.before].depth
        right = self._place(hunk.after)
        between = (index for index in self.extra if left < index and (right is None or index < right))
        return self.fixed.elements[first].word in CLOSING or any(self.paste.elements[index].depth < depth for index in between)

    def _place(self, index: int | None) -> int | None:
        return None if index is None else self.alignment[index]

    def _obstacle(self, hunk: Hunk) -> str:
        gone = [self.alignment[index] for index in hunk.gone if not self.buggy.elements[index].is_prose]
        places = [place for place in gone if place is not None]
        if len(places) < len(gone) or any(index in self.other_values for index in hunk.gone):
            return NOT_THERE
        is_torn = any(self.order[second] != self.order[first] + 1 for first, second in pairwise(places))
        return NO_CONTEXT if is_torn or not self._is_surrounded(hunk) or not self._is_joined(hunk, places) else ""

    def _has_other_numbers(self, hunk: Hunk) -> bool:
        """True when the line that the hunk changes has other numbers in the paste: what is one too few there may be right here.

        A hunk of whole new lines changes none.
        """
        at = hunk.gone.start if hunk.gone else hunk.before
        if at is None or (not hunk.gone and self._is_between_lines(hunk)):
            return False
        line = self._line(self.buggy, at)
        places = [place for index in line if (place := self.alignment[index]) is not None]
        here = {index for place in places for index in self._line(self.paste, place)}
        return bool(places) and self._numbers(self.buggy, line) != self._numbers(self.paste, here)

    def _is_between_lines(self, hunk: Hunk) -> bool:
        """True when the hunk's new code begins a line and so does what follows it."""
        begins = bool(hunk.new) and begins_statement(self.fixed.elements[hunk.new[0]], self.fixed.language)
        return begins and (hunk.after is None or begins_statement(self.buggy.elements[hunk.after], self.buggy.language))

    @staticmethod
    def _line(script: Script, at: int) -> range:
        """The elements from where the statement of one begins to where the next begins."""
        first = next((index for index in range(at, 0, -1) if begins_statement(script.elements[index], script.language)), 0)
        ends = range(at + 1, len(script.elements))
        return range(
            first, next((index for index in ends if begins_statement(script.elements[index], script.language)), len(script.elements))
        )

    @staticmethod
    def _numbers(script: Script, line: Iterable[int]) -> Counter[str]:
        tokens = (script.elements[index].token for index in line)
        return Counter(token.text for token in tokens if token.kind == "number")

    def _is_surrounded(self, hunk: Hunk) -> bool:
        """The next neighbours are there, and most of those within the window; what was cut off the paste's ends is not asked for, nor what
        stands on a line that the paste does not have at all."""
        left, right = self._is_cut_off_before(hunk), self._is_cut_off_after(hunk)
        neighbours = [*([] if left else [hunk.before]), *([] if right else [hunk.after])]
        if (left and right) or any(index is not None and self.alignment[index] is None for index in neighbours):
            return False
        there = range(*self._pasted)
        before = [index for index in self.buggy.counted if hunk.before is not None and index <= hunk.before and index in there][-WINDOW:]
        after = [index for index in self.buggy.counted if hunk.after is not None and index >= hunk.after and index in there][:WINDOW]
        around = [index for index in (*before, *after) if index not in self._lines_less]
        return sum(self.alignment[index] is not None for index in around) >= ALIGNED_SHARE * len(around)

    @cached_property
    def _lines_less(self) -> frozenset[int]:
        """What the paste lacks of the buggy text's lines of which it has no word."""
        lines: list[list[int]] = []
        for index in self.buggy.counted:
            if not lines or self.buggy.elements[index].begins:
                lines.append([])
            lines[-1].append(index)
        lost = [line for line in lines if all(self.alignment[at] is None or self.buggy.elements[at].token.kind == "op" for at in line)]
        return frozenset(index for line in lost for index in line if self.alignment[index] is None)

    @cached_property
    def _pasted(self) -> tuple[int, int]:
        """(first, last + 1) of the buggy text's elements that the paste may have: less where it begins or ends in the middle of it."""
        aligned = [index for index in self.buggy.counted if self.alignment[index] is not None]
        if not aligned:
            return 0, len(self.buggy.elements)
        begins = self.alignment[aligned[0]] == self.paste.counted[0]
        ends = self.alignment[aligned[-1]] == self.paste.counted[-1]
        return aligned[0] if begins else 0, aligned[-1] + 1 if ends else len(self.buggy.elements)

    def _is_cut_off_before(self, hunk: Hunk) -> bool:
        """True when the paste begins where the hunk does."""
        return hunk.before is not None and hunk.before < self._pasted[0]

    def _is_cut_off_after(self, hunk: Hunk) -> bool:
        """True when the paste ends where the hunk does."""
        return hunk.after is not None and hunk.after >= self._pasted[1]

    def _is_joined(self, hunk: Hunk, places: Sequence[int]) -> bool:
        """Between the neighbours and the edit the paste has nothing of its own but whole statements."""
        left, right = self._place(hunk.before), self._place(hunk.after)
        if not self._is_nested_alike(hunk):
            return False
        if not places:
            is_line = bool(hunk.new) and begins_statement(self.fixed.elements[hunk.new[0]], self.fixed.language)
            return self._may_be_apart(left, right) and (is_line or not self._has_extra(left, right))
        return self._may_be_apart(left, places[0]) and self._may_be_apart(places[-1], right)

    def _is_nested_alike(self, hunk: Hunk) -> bool:
        """From the one neighbour to the other as many blocks open or close here as there."""
        left, right = self._place(hunk.before), self._place(hunk.after)
        if hunk.before is None or hunk.after is None or left is None or right is None:
            return True
        here = self.paste.elements[right].depth - self.paste.elements[left].depth
        return here == self.buggy.elements[hunk.after].depth - self.buggy.elements[hunk.before].depth

    def _may_be_apart(self, left: int | None, right: int | None) -> bool:
        """True when what the paste has between the two is nothing, or begins a new statement: at the text's end, or before one."""
        if not self._has_extra(left, right):
            return True
        following = right if right is not None else next((index for index in self.extra if left is None or left < index), None)
        return following is not None and begins_statement(self.paste.elements[following], self.paste.language)

    def _has_extra(self, left: int | None, right: int | None) -> bool:
        low = -1 if left is None else left
        high = len(self.paste.elements) if right is None else right
        return any(low < index < high for index in self.extra)

    def _other_value(self) -> str:
        """A literal that the fix repeats from the buggy text is the wrong one where the paste has another in every place of it."""
        there = [index for index, own in enumerate(self.alignment) if own is not None and index not in self.other_values]
        here = {self._value(self.buggy, index) for index in there}
        stored = {self._value(self.buggy, index) for index, element in enumerate(self.buggy.elements) if element.token.kind in LITERALS}
        for hunk in self.hunks:
            for index in hunk.new:
                token = self.fixed.elements[index].token
                if token.kind in LITERALS and self._value(self.fixed, index) in stored - here - _TRIVIAL:
                    return OTHER_VALUE.format(said=token.text[:40])
        return ""

    def _value(self, script: Script, index: int) -> str:
        return value_of(script.elements[index].token.text, script.language)
