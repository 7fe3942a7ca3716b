"""What the model of a session is told about tasks, and whose count of calls the record takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from errors import ModelError
from schema.ports import ModelRequest
from schema.record import Usage
from tests.fakes import FakeReviewer, a_task
from tests.graphs.sessions import a_session
from tests.graphs.test_interruptions import HangingReviewer, interrupted

T = TypeVar("T")


class CountingModel:
    """A model whose calls are counted by task, as the real one's; `spend` is what its agents do."""

    name, host = "fake", "models.test"

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.spent: dict[str, Usage] = {}

    def begin(self, task_id: str) -> None:
        """Count from nothing."""
        self.begun.append(task_id)
        self.spent[task_id] = Usage(2, 200, 40, 0.5)

    async def ask(self, request: ModelRequest, parse: Callable[[str], T]) -> T:
        """Nobody asks here."""
        raise NotImplementedError

    def usage(self, task_id: str) -> Usage:
        """Two calls a task."""
        return self.spent.get(task_id, Usage())


async def test_a_failed_task_s_calls_are_counted() -> None:
    """The node that fails knows no cost: the record takes the model's own count."""
    model = CountingModel()
    async with a_session(model=model, reviewer=FakeReviewer(error=ModelError("no answer"))) as driver:
        record = await driver.run_task(a_task())

    assert record.error == {"code": "llm_request_failed", "message": "no answer"}
    assert record.llm == Usage(2, 200, 40, 0.5)


async def test_every_task_counts_from_nothing() -> None:
    """Two tasks of the same id are two tasks."""
    model = CountingModel()
    async with a_session(model=model) as driver:
        await driver.run_task(a_task())
        await driver.run_task(a_task())

    assert model.begun == ["1", "1"]


async def test_a_resumed_task_keeps_what_it_had_cost(tmp_path: Path) -> None:
    """Its plan's call is in its state, the later ones are in the model's count."""
    hanging, model = HangingReviewer(), CountingModel()
    dead = a_session(tmp_path, session_id="dead", reviewer=hanging)
    await dead.start()
    await interrupted(dead, hanging)
    await dead.close()

    async with a_session(tmp_path, session_id="alive", model=model) as session:
        record = await session.resume("dead")

    assert model.begun == ["1"]
    assert record.llm == Usage(3, 210, 45, 0.75)
