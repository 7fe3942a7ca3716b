"""What an answer from memory has spared: only what making its fix had really cost once, and only where a model would have been asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from schema.record import TaskRecord
from schema.usage import Usage

AnswerKind = Literal["spared", "unpriced", "unrecorded", "without_model"]
"""`spared`: calls and money are known. `unpriced`: the calls are. `unrecorded`: it is not known what the fix had cost, or no model made it.
`without_model`: no model would have been asked, so nothing was spared."""
FROM_MEMORY = frozenset({"memory", "transfer"})


@dataclass(frozen=True)
class Answer:
    """One task that memory's fix has answered without a call. `day` (of UTC) is where it is counted; empty: nowhere."""

    kind: AnswerKind
    spared: Usage = field(default_factory=Usage)
    day: str = ""


def answer_of(record: TaskRecord) -> Answer | None:
    """What memory has done in a task; None when it gave no fix, when that does not hold, or when a model was asked all the same."""
    fix = record.fix
    if fix is None or fix.origin not in FROM_MEMORY or record.llm.calls or record.error is not None or fix.verification.tests_failed:
        return None
    if record.provider != "openai":
        return Answer("without_model")
    spared = record.match.spared
    if spared is None or not spared.calls:
        return Answer("unrecorded")
    return Answer("unpriced" if spared.cost_usd is None else "spared", spared)
