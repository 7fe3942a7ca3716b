"""What a record says when memory answered alone, and what that has spared."""

from __future__ import annotations

import pytest

from schema.assemble import MEMORY_ALONE_NOTE
from schema.fix import Origin
from schema.ports import Recalled
from schema.record import TaskRecord
from schema.usage import Usage
from tests.fakes import FakeFixer, FakeInspector, FakeMemory, FakeReviewer, FakeVerdicts, a_finding, a_fix, a_match, a_task
from tests.graphs.sessions import a_session

DEAR = Usage(3, 900, 120, 0.5)


async def record_of(provider: str, coverage: float = 1.0, origin: Origin = "memory") -> TaskRecord:
    """The record of a paste that memory knows, with a reviewer that costs a call when it is asked."""
    memory = FakeMemory(Recalled(a_match("IDENTICAL", coverage, spared=DEAR), a_fix(origin=origin)))
    async with a_session(memory=memory, provider=provider, reviewer=FakeReviewer(), fixer=FakeFixer(a_fix(origin=origin))) as session:
        return await session.run_task(a_task())


@pytest.mark.parametrize(("provider", "said"), [("openai", True), ("static", False)])
async def test_a_session_with_a_model_says_when_none_has_looked(provider: str, said: bool) -> None:
    """A static session says so of every result already."""
    record = await record_of(provider)

    assert record.llm.calls == 0
    assert (MEMORY_ALONE_NOTE in record.notes) == said
    assert record.match.spared == (DEAR if said else None)  # without a model no call would have been made


async def test_nothing_is_spared_when_the_model_was_asked_all_the_same() -> None:
    """Memory knows a part only: the rest was reviewed, and that is what it cost."""
    record = await record_of("openai", coverage=0.5)

    assert record.llm.calls > 0
    assert record.match.spared is None
    assert MEMORY_ALONE_NOTE not in record.notes


async def test_nothing_is_spared_by_a_past_fix_that_was_not_used() -> None:
    """The fix of the record came from elsewhere."""
    record = await record_of("openai", origin="rules")

    assert record.match.spared is None


async def test_the_record_counts_what_was_ignored() -> None:
    """The finding itself is in neither the record nor what is saved."""
    ignored, kept = a_finding(1, "bugs/first", fingerprint="first"), a_finding(2, "bugs/second", fingerprint="second")
    memory = FakeMemory()
    inspector = FakeInspector(lambda _: [ignored, kept])
    async with a_session(memory=memory, inspector=inspector, verdicts=FakeVerdicts("first")) as session:
        record = await session.run_task(a_task())

    assert record.findings == (kept,)
    assert "1 ignored finding not shown" in record.notes
    assert memory.kept[0].findings == (kept,)
