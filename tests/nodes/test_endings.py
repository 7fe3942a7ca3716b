"""Saving, summarizing and clearing."""

from __future__ import annotations

import asyncio
import threading

import pytest
from langgraph.runtime import Runtime

from errors import MemoryLockedError
from nodes.session.clear import clear
from nodes.session.save_experience import save_experience
from nodes.session.summarize import newest, summarize
from schema.experience import Provenance
from schema.fix import Check, Verification
from state import SUMMARY_LIMIT, Context, SessionState
from tests.fakes import BUGGY, FIXED, FakeMemory, a_context, a_finding, a_fix, a_match, a_state, a_task, verified


def runtime(memory: FakeMemory | None) -> Runtime[Context]:
    """A runtime with that memory."""
    return Runtime(context=a_context(memory=memory))


def known(
    status: str, coverage: float = 1.0, fix_code: str = FIXED, origin: str = "transfer", why: str = "Guarded the division."
) -> SessionState:
    """A task whose fix is memory's own unless `fix_code` says otherwise."""
    match = a_match(status, coverage)  # type: ignore[arg-type]  # a plain word, for short tests
    proposal = a_fix(FIXED, origin)  # type: ignore[arg-type]  # as above
    return a_state(
        match=match.as_plain(),
        match_status=status,
        fix=a_fix(fix_code, origin, explanation=why).as_plain(),  # type: ignore[arg-type]  # as above
        long_term_context={"fix": proposal.as_plain(), "example": None},
    )


async def test_a_new_verified_fix_is_remembered_under_the_paste() -> None:
    """The key is the paste as it came in, not the working copy."""
    memory = FakeMemory()
    state = a_state(current_code=FIXED, fix=a_fix().as_plain(), findings=[a_finding().as_plain()])

    update = await save_experience(state, runtime(memory))

    kept = memory.kept[0]
    assert update["saved"]["status"] == "added"
    assert (kept.code, kept.fixed_code, kept.language) == (BUGGY, FIXED, "python")
    assert kept.provenance == Provenance("session", ref="session-1")
    assert kept.findings == (a_finding(),)
    assert kept.trust == "plausible"


async def test_a_tested_fix_is_proved() -> None:
    """Only the user's own test, or the user, proves a fix."""
    memory = FakeMemory()

    await save_experience(a_state(fix=a_fix(verification=verified("tested", tests=True)).as_plain()), runtime(memory))

    assert memory.kept[0].trust == "proved"


async def test_an_identical_hit_is_a_duplicate_and_bumps_its_counters() -> None:
    """Nothing is learnt from what memory itself said."""
    memory = FakeMemory()

    update = await save_experience(known("IDENTICAL", origin="memory"), runtime(memory))

    assert update["saved"] == {"status": "duplicate", "id": "e1", "why": None, "alternative_id": None}
    assert len(memory.used) == 1
    assert memory.kept == []


@pytest.mark.parametrize(("coverage", "code"), [(1.0, FIXED), (0.5, FIXED), (0.5, "a part of it")])
async def test_a_transferred_fix_is_not_learnt_again(coverage: float, code: str) -> None:
    """SIMILAR, whole or in part: skipped, because it came from memory."""
    memory = FakeMemory()

    update = await save_experience(known("SIMILAR", coverage, code), runtime(memory))

    assert update["saved"] == {"status": "skipped", "id": "e1", "why": "from_memory", "alternative_id": None}
    assert memory.kept == []


async def test_a_partial_hit_is_learnt_when_more_than_memory_s_part_was_mended() -> None:
    """The paste as a whole is something new then."""
    memory = FakeMemory()

    update = await save_experience(known("SIMILAR", 0.5, FIXED + "# and more\n", why="Guarded the division. And more."), runtime(memory))

    assert update["saved"]["status"] == "added"
    assert memory.kept[0].fixed_code == FIXED + "# and more\n"


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (a_state(), "nothing_found"),
        (a_state(findings=[a_finding().as_plain()]), "no_fix"),
        (a_state(task=a_task(save=False).as_plain(), fix=a_fix().as_plain()), "no_save"),
        (a_state(fix=a_fix().as_plain(), error={"code": "memory_damaged", "message": "m", "exit_code": 3}), "error"),
    ],
)
async def test_what_is_not_worth_saving_is_skipped_and_says_why(state: SessionState, why: str) -> None:
    """Nothing found, no fix, not wanted, or the memory failed earlier in this task."""
    memory = FakeMemory()

    update = await save_experience(state, runtime(memory))

    assert update["saved"] == {"status": "skipped", "id": None, "why": why, "alternative_id": None}
    assert (memory.kept, memory.used) == ([], [])


async def test_without_a_memory_nothing_is_saved() -> None:
    """A session that was wired without one."""
    update = await save_experience(a_state(fix=a_fix().as_plain()), runtime(None))

    assert update["saved"]["why"] == "no_save"


async def test_a_fix_that_could_not_be_tested_is_still_saved() -> None:
    """A missing sandbox says nothing about the level that was reached."""
    memory = FakeMemory()
    state = a_state(fix=a_fix().as_plain(), error={"code": "sandbox_unavailable", "message": "m", "exit_code": 3})

    update = await save_experience(state, runtime(memory))

    assert update["saved"]["status"] == "added"
    assert update["error"] is not None


async def test_a_failing_save_is_the_task_s_error() -> None:
    """The review is not lost by it."""
    memory = FakeMemory(save_error=MemoryLockedError("process 7 holds it"))

    update = await save_experience(a_state(fix=a_fix().as_plain()), runtime(memory))

    assert update["saved"]["why"] == "error"
    assert update["error"] == {"code": "memory_locked", "message": "process 7 holds it", "exit_code": 3}


async def test_a_save_that_ends_after_ctrl_c_is_taken_back() -> None:
    """Nothing is kept of a cancelled task, even when its write could not be stopped."""
    begun, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        go_on.wait(10)

    memory = FakeMemory(while_saving=hang)
    saving = asyncio.create_task(save_experience(a_state(fix=a_fix().as_plain()), runtime(memory)))
    await asyncio.to_thread(begun.wait, 10)

    saving.cancel()
    await asyncio.sleep(0)
    go_on.set()

    with pytest.raises(asyncio.CancelledError):
        await saving
    assert [saved.id for saved in memory.undone] == ["e1"]


async def test_the_summary_gets_a_line_of_outcomes() -> None:
    """No code and no name out of it; rule ids are ours."""
    state = a_state(
        summary="1: earlier",
        tasks_done=1,
        findings=[a_finding().as_plain(), a_finding(3).as_plain()],
        fix=a_fix().as_plain(),
        saved={"status": "added"},
    )

    update = await summarize(state)

    line = "2: python, NONE, 2 findings (bugs/division), fixed by rules (clean), added"
    assert update["summary"] == f"1: earlier\n{line}"
    assert update["tasks_done"] == 2
    assert [message.content for message in update["messages"]] == [line]


async def test_the_oldest_lines_leave_a_full_summary() -> None:
    """At most 2,000 characters, newest last."""
    state = a_state(summary="\n".join(f"{n}: {'x' * 90}" for n in range(30)), tasks_done=30, saved={"status": "skipped"})

    update = await summarize(state)

    assert len(update["summary"]) <= SUMMARY_LIMIT
    assert update["summary"].splitlines()[-1] == "31: python, NONE, 0 findings, no fix, skipped"
    assert update["summary"].splitlines()[0].startswith("10:")


def test_a_line_longer_than_the_summary_is_left_out() -> None:
    """The limit holds even then."""
    assert newest(["a" * 11], 10) == ""


async def test_clear_empties_the_task_and_keeps_the_session() -> None:
    """Every field of the state but summary and tasks_done is written, and is empty afterwards."""
    update = await clear(a_state(summary="s", tasks_done=3))

    kept = {"summary", "tasks_done"}
    assert set(update) == set(SessionState.__annotations__) - kept
    assert all(not value for key, value in update.items() if key not in {"messages", "reviewed"})
    assert len(update["messages"]) == 1


async def test_a_fix_that_the_user_s_tests_refuse_is_not_learnt() -> None:
    """It would be offered again; the record says that it was rejected."""
    memory = FakeMemory()
    failed = a_fix(FIXED, "rules", verification=Verification("clean", (Check("tests", False, "fails with exit status 1"),)))

    update = await save_experience(a_state(findings=[a_finding().as_plain()], fix=failed.as_plain()), runtime(memory))

    assert (update["saved"]["status"], update["saved"]["why"]) == ("skipped", "rejected")
    assert not memory.kept
