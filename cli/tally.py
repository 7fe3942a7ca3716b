"""What a session has used of its model, and what the memory has spared it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from schema.savings import Answer
from schema.usage import Usage


@dataclass(frozen=True)
class Status:
    """For the bottom line. `memories` is None when the memory can't be read; an unknown cost is None."""

    provider: str
    where: str
    memories: int | None
    cost_usd: float | None
    calls: int
    calls_spared: int
    spared_usd: float | None
    answers: int = 0
    """Tasks that memory has answered, whether or not that spared a call."""


@dataclass(frozen=True)
class Tally:
    """Sums over the tasks of one session. Answers that were wrong, or not enough, are in none of them."""

    spent: Usage = field(default_factory=Usage)
    answers: tuple[Answer, ...] = ()

    def plus(self, spent: Usage, answer: Answer | None) -> Tally:
        """With one more task: what it spent, and what memory did in it."""
        return Tally(self.spent.plus(spent), self.answers if answer is None else (*self.answers, answer))

    def without(self, answer: Answer) -> Tally:
        """As if memory had not given that answer; there may be others like it."""
        left = list(self.answers)
        if answer in left:
            left.remove(answer)
        return replace(self, answers=tuple(left))

    @property
    def spared(self) -> Usage:
        """What the answers have spared, as far as it was recorded; one unknown price makes the money unknown."""
        total = Usage()
        for each in self.answers:
            total = total.plus(each.spared)
        return total

    @property
    def unrecorded(self) -> int:
        """Answers in place of a model's of which it is not known what they have spared."""
        return sum(each.kind == "unrecorded" for each in self.answers)
