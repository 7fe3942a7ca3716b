"""Ctrl-C, killed processes, full disks: nothing is lost, nothing is half kept."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from errors import InputInvalidError
from graphs.driver import SESSION_LOST_NOTE, SessionDriver
from graphs.session import build_session
from integrations.checkpoints import scratch_checkpoints
from schema.ports import Recalled, Review, ReviewRequest
from tests.fakes import BUGGY, FakeFixer, FakeMemory, FakeReviewer, a_context, a_finding, a_fix, a_match, a_task
from tests.graphs.sessions import WHOLE_ROUTE, a_session, failing_checkpoints


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
    await dead.close()

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


@pytest.mark.parametrize("last", sorted(set(WHOLE_ROUTE) - {"clear"}))
async def test_a_task_is_finished_from_wherever_it_stopped(tmp_path: Path, last: str) -> None:
    """After each node before `clear`, which ends it; nothing that was already done is missing in the record."""

    def stop(node: str) -> None:
        if node == last:
            raise asyncio.CancelledError

    dead = a_session(tmp_path, session_id="dead")
    async with dead:
        with pytest.raises(asyncio.CancelledError):
            await dead.run_task(a_task(), stop)

    async with a_session(tmp_path, session_id="alive") as session:
        offered = await session.unfinished()
        record = await session.resume("dead")

    assert [task.code for task in offered] == [BUGGY]
    assert record.route == WHOLE_ROUTE
    assert (record.fix, record.saved.status, record.error) == (a_fix(), "added", None)
    assert record.findings == (a_finding(),)


@pytest.mark.parametrize("handed_in", ["only the answer", "and taken up"])
async def test_a_task_that_was_handed_in_at_the_moment_of_death_is_offered(tmp_path: Path, handed_in: str) -> None:
    """The checkpoint still stands at the input then, with the task among its pending writes."""
    hanging = HangingReviewer()
    async with a_session(tmp_path, session_id="dead", reviewer=hanging) as dead:
        await interrupted(dead, hanging)
    with sqlite3.connect(tmp_path / "sessions.sqlite3") as connection:
        waiting = connection.execute("SELECT checkpoint_id FROM writes WHERE channel = '__resume__'").fetchone()
        connection.execute("DELETE FROM checkpoints WHERE checkpoint_id > ?", waiting)
        connection.execute("DELETE FROM writes WHERE checkpoint_id > ?", waiting)
        if handed_in == "only the answer":
            connection.execute("DELETE FROM writes WHERE task_id NOT LIKE '00000000%' AND channel <> '__interrupt__'")
    connection.close()

    async with a_session(tmp_path, session_id="alive") as session:
        offered = await session.unfinished()
        record = await session.resume("dead")

    assert [task.code for task in offered] == [BUGGY]
    assert (record.route, record.saved.status) == (WHOLE_ROUTE, "added")


async def test_a_killed_session_s_task_can_be_discarded(tmp_path: Path) -> None:
    """Then it is gone from the file."""
    hanging = HangingReviewer()
    dead = a_session(tmp_path, session_id="dead", reviewer=hanging)
    await dead.start()
    await interrupted(dead, hanging)
    await dead.close()

    async with a_session(tmp_path, session_id="alive") as session:
        await session.discard("dead")
        with pytest.raises(InputInvalidError):
            await session.resume("dead")

    assert b"len(values)" not in (tmp_path / "sessions.sqlite3").read_bytes()


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
    await dead._open_graph.close()
    dead._locks.release("dead")  # type: ignore[union-attr]  # it has one

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


async def test_a_finished_task_whose_record_was_not_shown_is_offered_again(tmp_path: Path) -> None:
    """The session dies before its caller can have printed anything: the record is given once more, and nothing is done twice."""
    memory = FakeMemory()
    async with a_session(tmp_path / "dead", session_id="dead", memory=memory) as dead:
        record = await dead.run_task(a_task())
        shutil.copytree(tmp_path / "dead", tmp_path / "later")  # nothing was awaited since: what a kill leaves at this moment

    async with a_session(tmp_path / "later", session_id="alive", memory=memory) as session:
        offered = await session.unfinished()
        again = await session.resume("dead")
        afterwards = await session.unfinished()

    assert [(task.thread_id, task.finished) for task in offered] == [("dead", True)]
    assert replace(again, elapsed_ms=0) == replace(record, elapsed_ms=0)
    assert len(memory.kept) == 1
    assert afterwards == []
    assert checkpoints_of(tmp_path / "later") == []


async def test_a_finished_task_that_was_shown_is_not_offered_again(tmp_path: Path) -> None:
    """A session that dies at its prompt leaves nothing to resume."""
    async with a_session(tmp_path / "dead", session_id="dead") as dead:
        await dead.run_task(a_task())
        await dead._settle()  # what the next wait of a caller leads to
        shutil.copytree(tmp_path / "dead", tmp_path / "later")

    async with a_session(tmp_path / "later", session_id="alive") as session:
        assert await session.unfinished() == []
    assert checkpoints_of(tmp_path / "later") == []
