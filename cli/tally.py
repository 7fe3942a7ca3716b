"""What a session has used of its model, and what the memory has spared it."""

from __future__ import annotations

from dataclasses import dataclass, field

from schema.record import TaskRecord
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


@dataclass(frozen=True)
class Tally:
    """Sums over the records of one session."""

    spent: Usage = field(default_factory=Usage)
    spared: Usage = field(default_factory=Usage)

    def plus(self, record: TaskRecord) -> Tally:
        """With one more record. What making a remembered fix had cost is spared only when no call was made for it again."""
        past = record.match.spared
        is_spared = past is not None and record.llm.calls == 0 and record.error is None
        return Tally(self.spent.plus(record.llm), self.spared.plus(past) if past is not None and is_spared else self.spared)
