"""A session with a scripted model that meets a planted experience: what of it reaches the model?"""

from __future__ import annotations

from functools import cache
from typing import Any

from agents.manager import StaticManager
from agents.model_fixer import ModelFixer
from agents.model_manager import ModelManager
from agents.model_reviewer import ModelReviewer
from benchmarks.poison_cases import Case, good, hostile
from memory.recall import LongTermMemory
from tests.fakes import FakeInspector, FakeLanguageModel, FakeVerifier, a_task
from tests.graphs.sessions import a_session

SHORTEST = 12
"""A line of fewer characters may stand anywhere."""
_PLAN = {"thoughts": "look at it", "steps": ["Read the code."]}
_REVIEW = {"summary": "looked at it", "findings": []}


async def words_sent(memory: LongTermMemory, case: Case, planted: frozenset[int]) -> str:
    """The first line of the case's fix or explanation that stands in a question to the model; empty when none does, as it must be.

    The same when a planted alternative kept the reviewer from being asked at all.
    """
    answers: dict[str, dict[str, Any]] = {
        "manager": _PLAN,
        "reviewer": _REVIEW,
        "fixer": {"fixed_code": f"{case.buggy}\n", "explanation": "Nothing."},
    }
    model = FakeLanguageModel(*[lambda request: answers[request.role]] * 8)
    inspector = FakeInspector()
    ports: dict[str, Any] = {
        "inspector": inspector,
        "manager": ModelManager(model, StaticManager()),
        "reviewer": ModelReviewer(model),
        "fixer": ModelFixer(model, inspector, FakeVerifier()),
        "memory": memory,
        "has_model": True,
    }
    async with a_session(**ports) as session:
        record = await session.run_task(a_task(case.buggy, language=case.language))
    if "reviewer" not in record.route and any(region.alternative_id in planted for region in record.match.regions):
        return f"the reviewer was not asked: {', '.join(record.route)}"
    said = "\n".join(f"{request.system}\n{request.user}" for request in model.requests)
    return next((line for line in _own_lines(case) if line in said), "")


def _own_lines(case: Case) -> list[str]:
    """What only the planted experience says, and no honest one."""
    lines = [line.strip() for line in (*case.fixed.splitlines(), *case.explanation.splitlines())]
    return [line for line in lines if len(line) >= SHORTEST and line not in case.buggy and line not in _honest_words()]


@cache
def _honest_words() -> str:
    return "\n".join(f"{case.fixed}\n{case.explanation}" for case in (*hostile("benign"), *good()))
