"""The session as a whole: tasks in, records out."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errors import InputInvalidError, MemoryDamagedError, StorageFailedError
from graphs.driver import SESSION_LOST_NOTE, SessionDriver
from graphs.session import build_session, mermaid
from integrations.checkpoints import scratch_checkpoints
from schema.finding import Finding
from schema.match import Status
from schema.ports import FixOutcome, FixRequest, Recalled, Review, ReviewRequest
from schema.record import TaskRecord
from tests.fakes import BUGGY, FIXED, FakeFixer, FakeMemory, FakeReviewer, a_context, a_finding, a_fix, a_match, a_region, a_task
from tests.graphs.sessions import a_session, failing_checkpoints

WHOLE_ROUTE = (
    *("retrieve_memory", "manager", "reviewer", "manager", "fixer", "manager"),
    *("save_experience", "summarize", "clear"),
)


class HangingReviewer:
    """Waits for ever, and says when it began."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def review(self, request: ReviewRequest) -> Review:
        """Never returns."""
        self.begun.set()
        await asyncio.Event().wait()
        return Review(())


class CrashingReviewer:
    """A bug of ours."""

    async def review(self, request: ReviewRequest) -> Review:
        """Raises what nobody expects."""
        raise ZeroDivisionError


async def interrupted(session: SessionDriver, hanging: HangingReviewer) -> None:
    """Hand a task in and cancel it while it is reviewed."""
    running = asyncio.create_task(session.run_task(a_task()))
    await hanging.begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


def checkpoints_of(home: Path) -> list[str]:
    """Thread of each checkpoint in the file."""
    with sqlite3.connect(home / "sessions.sqlite3") as connection:
        return [row[0] for row in connection.execute("SELECT thread_id FROM checkpoints")]


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


async def test_ctrl_c_drops_the_task_and_keeps_the_session(tmp_path: Path) -> None:
    """Nothing of the cancelled task is saved or left on disk; the next one is answered."""
    hanging, memory = HangingReviewer(), FakeMemory()
    async with a_session(tmp_path, reviewer=hanging, memory=memory) as session:
        await interrupted(session, hanging)
        await session.cancel_task()
        left = await session.unfinished()
        memory._recalled = Recalled(a_match(), a_fix())
        record = await session.run_task(a_task(id="2"))

    assert left == []
    assert record.saved.status == "duplicate"
    assert memory.kept == []
    assert session.summary.splitlines() == ["1: python, IDENTICAL, 1 finding (bugs/division), fixed by rules (clean), duplicate"]


async def test_a_bug_in_a_node_does_not_end_the_session() -> None:
    """It is raised for the edge to report, and the graph waits for the next task."""
    memory = FakeMemory()
    async with a_session(reviewer=CrashingReviewer(), memory=memory) as session:
        with pytest.raises(ZeroDivisionError):
            await session.run_task(a_task())
        memory._recalled = Recalled(a_match(), a_fix())
        record = await session.run_task(a_task())

    assert record.saved.status == "duplicate"


async def test_a_killed_session_s_task_is_offered_and_finished(tmp_path: Path) -> None:
    """The dead session's paste comes back with its code, and goes on from where it stopped."""
    hanging = HangingReviewer()
    dead = a_session(tmp_path, session_id="dead", reviewer=hanging)
    await dead.start()
    await interrupted(dead, hanging)
    await dead._stack.aclose()
    dead._release("dead")

    async with a_session(tmp_path, session_id="alive") as session:
        offered = await session.unfinished()
        record = await session.resume("dead")
        afterwards = await session.unfinished()

    assert [(task.thread_id, task.code, task.language) for task in offered] == [("dead", BUGGY, "python")]
    assert offered[0].age_s >= 0
    assert record.route == WHOLE_ROUTE
    assert record.saved.status == "added"
    assert afterwards == []
    assert checkpoints_of(tmp_path) == []


async def test_a_killed_session_s_task_can_be_discarded(tmp_path: Path) -> None:
    """Then it is gone from the file."""
    hanging = HangingReviewer()
    dead = a_session(tmp_path, session_id="dead", reviewer=hanging)
    await dead.start()
    await interrupted(dead, hanging)
    await dead._stack.aclose()
    dead._release("dead")

    async with a_session(tmp_path, session_id="alive") as session:
        await session.discard("dead")
        with pytest.raises(InputInvalidError):
            await session.resume("dead")

    assert b"len(values)" not in (tmp_path / "sessions.sqlite3").read_bytes()


async def test_a_task_handed_in_at_the_moment_of_death_is_offered_too(tmp_path: Path) -> None:
    """The checkpoint still stands at the input then, with the task as a pending write."""
    dead = a_session(tmp_path, session_id="dead")
    await dead.start()
    config: Any = {"configurable": {"thread_id": "dead", "checkpoint_ns": ""}}
    saved = await dead._saver_in_use.aget_tuple(config)
    assert saved is not None
    await dead._saver_in_use.aput_writes(saved.config, [("__resume__", a_task().as_plain())], "00000000-0000-0000-0000-000000000000")
    await dead._stack.aclose()
    dead._release("dead")

    async with a_session(tmp_path, session_id="alive") as session:
        offered = await session.unfinished()
        record = await session.resume("dead")

    assert [task.code for task in offered] == [BUGGY]
    assert record.saved.status == "added"


async def test_a_live_session_is_never_offered(tmp_path: Path) -> None:
    """Its lock is held, whatever it is doing."""
    hanging = HangingReviewer()
    async with a_session(tmp_path, session_id="one", reviewer=hanging) as one, a_session(tmp_path, session_id="two") as two:
        running = asyncio.create_task(one.run_task(a_task()))
        await hanging.begun.wait()

        assert await two.unfinished() == []
        with pytest.raises(InputInvalidError):
            await two.resume("one")

        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_a_dead_session_without_a_task_is_forgotten(tmp_path: Path) -> None:
    """It waited for input: there is nothing to offer and nothing to keep."""
    dead = a_session(tmp_path, session_id="dead")
    await dead.start()
    await dead.run_task(a_task())
    await dead._settle()
    await dead._stack.aclose()
    dead._release("dead")

    async with a_session(tmp_path, session_id="alive") as session:
        assert await session.unfinished() == []
        assert set(checkpoints_of(tmp_path)) == {"alive"}


async def test_the_file_is_pruned_while_the_session_waits(tmp_path: Path) -> None:
    """One checkpoint a session, and no text of a finished task in the file or its log."""
    async with a_session(tmp_path) as session:
        for number in range(30):
            await session.run_task(a_task(f"{BUGGY}# secret{number}\n" * 20))
        await session._settle()
        size = (tmp_path / "sessions.sqlite3").stat().st_size

        assert checkpoints_of(tmp_path) == ["session-1"]
        assert b"secret" not in (tmp_path / "sessions.sqlite3").read_bytes()
        assert b"secret" not in (tmp_path / "sessions.sqlite3-wal").read_bytes()

    assert size < 500_000
    assert checkpoints_of(tmp_path) == []
    assert list((tmp_path / "locks").iterdir()) == []


async def test_a_session_that_can_t_be_kept_goes_on_in_memory(tmp_path: Path) -> None:
    """A home that can't be written: the review is there, marked storage_failed; it is said once."""
    home = tmp_path / "file"
    home.write_text("not a folder")

    async with a_session(home) as session:
        first = await session.run_task(a_task())
        second = await session.run_task(a_task())

    assert first.error is not None
    assert (first.error["code"], first.exit_code) == ("storage_failed", 3)
    assert first.fix == a_fix()
    assert SESSION_LOST_NOTE in first.notes
    assert second.error is None


@pytest.mark.parametrize("writes_before", [2, 4, 6, 8])
async def test_a_disk_that_fills_up_in_mid_task_does_not_cost_the_review(writes_before: int) -> None:
    """The task runs again in memory; its record says what happened."""
    left = [1_000]

    def fails() -> bool:
        left[0] -= 1
        return left[0] < 0

    session = SessionDriver(
        build_session(),
        a_context(fixer=FakeFixer(a_fix()), reviewer=FakeReviewer([a_finding()])),
        open_saver=partial(failing_checkpoints, fails),
        scratch_saver=scratch_checkpoints,
    )
    async with session:
        await session.run_task(a_task())
        left[0] = writes_before
        record = await session.run_task(a_task(id="2"))
        last = await session.run_task(a_task(id="3"))

    assert record.error == {"code": "storage_failed", "message": "the disk is full"}
    assert record.route == WHOLE_ROUTE
    assert (record.fix, record.saved.status) == (a_fix(), "added")
    assert last.error is None
    assert [line[:2] for line in session.summary.splitlines()] == ["1:", "2:", "3:"]


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


def test_the_graph_prints_as_the_design_draws_it() -> None:
    """Every edge of the drawing, none more."""
    edges = {
        tuple(line.strip(" ;").replace("-. &nbsp;FINISH&nbsp; .->", "-->").split(" --> "))
        for line in mermaid().splitlines()
        if " --> " in line
    }

    assert {("retrieve_memory", "manager"), ("reviewer", "manager"), ("fixer", "manager")} <= edges
    assert {("save_experience", "summarize"), ("summarize", "clear"), ("clear", "user_input")} <= edges
    assert "manager -.-> reviewer" in mermaid()
    assert "user_input -. &nbsp;quit&nbsp; .-> __end__" in mermaid()


STATUSES: Sequence[Status] = ("IDENTICAL", "SIMILAR", "NONE")
findings = st.lists(st.builds(a_finding, st.integers(1, 2)), max_size=2)


class RandomFixer:
    """Fixes or does not."""

    def __init__(self, fixes: bool) -> None:
        self._fixes = fixes

    async def fix(self, request: FixRequest) -> FixOutcome:
        """A fix, or none."""
        return FixOutcome(a_fix(FIXED) if self._fixes else None)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(STATUSES), st.sampled_from([0.4, 1.0]), st.booleans(), st.booleans(), findings, findings, st.booleans())
def test_every_task_ends_in_the_compiled_graph(  # noqa: PLR0913, PLR0917 - one for each thing that varies
    status: Status, coverage: float, usable: bool, fixes: bool, seen: list[Finding], read: list[Finding], has_model: bool
) -> None:
    """Whatever memory, reviewer and fixer say: an end, each worker at most once, well below the step limit."""
    match = a_match(status, coverage)
    if match.regions and not usable:
        match = a_match(status, coverage, regions=(a_region(status, None),))
    memory = FakeMemory(Recalled(match, a_fix(origin="memory") if usable and status != "NONE" else None, tuple(seen)))

    async def one_task() -> TaskRecord:
        async with a_session(
            memory=memory, reviewer=FakeReviewer(read), fixer=RandomFixer(fixes), has_model=has_model, rounds=12
        ) as session:
            return await session.run_task(a_task())

    record = asyncio.run(one_task())

    assert record.error is None
    assert record.route[-3:] == ("save_experience", "summarize", "clear")
    assert record.route.count("reviewer") <= 1
    assert record.route.count("fixer") <= 1
