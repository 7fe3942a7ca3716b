"""The session as a whole: tasks in, records out."""

from __future__ import annotations

from typing import Any

from errors import MemoryDamagedError, StorageFailedError
from schema.ports import Recalled
from tests.fakes import FakeMemory, FakeReviewer, a_finding, a_fix, a_match, a_task
from tests.graphs.sessions import WHOLE_ROUTE, a_session


async def test_a_task_goes_through_the_whole_graph() -> None:
    """Unknown code with a defect: reviewed, fixed, remembered, and the record says so."""
    memory = FakeMemory()
    async with a_session(memory=memory) as session:
        record = await session.run_task(a_task(notes=("prepared",)))

    assert record.route == WHOLE_ROUTE
    assert record.findings == (a_finding(),)
    assert record.fix == a_fix()
    assert record.saved.status == "added"
    assert (record.llm.calls, record.llm.cost_usd) == (2, None)
    assert record.notes == ("prepared", "checked by fake linter", "static: logic was not checked by a model", "reviewed", "tried")
    assert (record.error, record.exit_code) == (None, 0)
    assert memory.kept[0].provenance.ref == "session-1"


async def test_an_identical_paste_is_answered_from_memory() -> None:
    """No reviewer, no fixer, no call."""
    memory = FakeMemory(Recalled(a_match(), a_fix(origin="memory", experience_id="e1")))
    async with a_session(memory=memory) as session:
        record = await session.run_task(a_task())

    assert record.route == ("retrieve_memory", "manager", "save_experience", "summarize", "clear")
    assert record.saved.status == "duplicate"
    assert record.llm.calls == 0


async def test_tasks_follow_one_another_and_leave_a_summary() -> None:
    """Nothing of a task reaches the next one but its line in the summary."""
    reviewer = FakeReviewer()
    async with a_session(reviewer=reviewer) as session:
        await session.run_task(a_task())
        second = await session.run_task(a_task("x = 1\n", id="2"))
        summary = session.summary

    assert second.id == "2"
    assert second.notes == ("checked by fake linter", "static: logic was not checked by a model", "reviewed", "tried")
    assert reviewer.requests[1].summary == "1: python, NONE, 1 finding (bugs/division), fixed by rules (clean), added"
    assert reviewer.requests[1].task.code == "x = 1\n"
    assert len(summary.splitlines()) == 2


async def test_the_summary_can_be_forgotten() -> None:
    """/summary clear."""
    reviewer = FakeReviewer()
    async with a_session(reviewer=reviewer) as session:
        await session.run_task(a_task())
        await session.clear_summary()
        await session.run_task(a_task())

    assert reviewer.requests[1].summary == ""


async def test_steps_are_reported_while_they_run() -> None:
    """What a terminal shows beside the spinner."""
    steps: list[str] = []
    async with a_session() as session:
        record = await session.run_task(a_task(), steps.append)

    assert tuple(steps) == record.route


async def test_a_disabled_reviewer_ends_with_status_3() -> None:
    """Nothing was reviewed at all, and nothing is saved."""
    from agents.disabled import DisabledInspector, DisabledReviewer

    async with a_session(inspector=DisabledInspector(), reviewer=DisabledReviewer(), provider="disabled") as session:
        record = await session.run_task(a_task())

    assert (record.exit_code, record.error) == (3, None)
    assert record.notes == ("not reviewed: the reviewer is disabled, and memory does not know this code",)
    assert record.saved.why == "nothing_found"


async def test_a_damaged_memory_is_in_the_record_and_the_review_too() -> None:
    """Part results are kept and the whole is marked."""
    async with a_session(memory=FakeMemory(recall_error=MemoryDamagedError("broken"))) as session:
        record = await session.run_task(a_task())

    assert record.error == {"code": "memory_damaged", "message": "broken"}
    assert record.exit_code == 3
    assert record.fix == a_fix()
    assert record.saved.why == "error"


async def test_a_task_with_too_many_steps_ends_and_the_next_one_runs() -> None:
    """MAX_AGENT_ROUNDS is the net below the loop."""
    async with a_session(rounds=5) as session:
        long = await session.run_task(a_task())
        again = await session.run_task(a_task())

    assert long.error is not None
    assert long.error["code"] == "agent_round_budget_exceeded"
    assert (long.exit_code, long.saved.why) == (3, "error")
    assert long.findings == (a_finding(),)
    assert again.route[0] == "retrieve_memory"


class Lines:
    """A trace in memory, that fails when told to."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.written: list[dict[str, Any]] = []

    def write(self, line: dict[str, Any]) -> None:
        """Keep the line."""
        if self.fails:
            raise StorageFailedError("no room for the trace")
        self.written.append(line)


async def test_the_trace_has_a_line_for_each_node_and_no_code() -> None:
    """Sizes, hashes and outcomes."""
    trace = Lines()
    async with a_session(trace=trace) as session:
        record = await session.run_task(a_task("def secret_name():\n    return len(1)\n"))

    assert [line["node"] for line in trace.written] == list(record.route)
    assert trace.written == session.last_trace
    assert trace.written[0]["outcome"] == {"match_status": "NONE", "findings": 1}
    assert trace.written[4]["outcome"] == {"level": "clean"}
    assert trace.written[6]["outcome"] == {"saved": "added"}
    assert "secret_name" not in repr(trace.written)
    assert trace.written[0]["hashes"].keys() == {"current_code"}


async def test_a_trace_that_can_t_be_written_is_given_up() -> None:
    """It is no reason to fail a review."""
    async with a_session(trace=Lines(fails=True)) as session:
        record = await session.run_task(a_task())
        await session.run_task(a_task())
        notes = session.notes

    assert record.error is None
    assert notes == ["no room for the trace"]
