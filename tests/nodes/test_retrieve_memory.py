"""Looking at the paste and looking it up."""

from __future__ import annotations

from langgraph.runtime import Runtime

from errors import MemoryDamagedError, MemoryLockedError, ToolMissingError
from nodes.session.retrieve_memory import retrieve_memory
from schema.fix import Check, Verification
from schema.match import PastFix
from schema.ports import Recalled
from state import Context
from tests.fakes import BUGGY, FIXED, FakeInspector, FakeMemory, a_context, a_finding, a_fix, a_match, a_state, a_task, verified


def runtime(**changes: object) -> Runtime[Context]:
    """A runtime with fakes."""
    return Runtime(context=a_context(**changes))


async def test_the_whole_paste_is_inspected_even_when_memory_knows_it() -> None:
    """A memory hit never hides code; the fix is looked at only for what it leaves."""
    inspector = FakeInspector(lambda _: [a_finding(2)])
    memory = FakeMemory(Recalled(a_match(), a_fix(origin="memory"), (a_finding(1, "bugs/other"),)))

    update = await retrieve_memory(a_state(), runtime(inspector=inspector, memory=memory))

    assert [source.text for source in inspector.seen] == [BUGGY, FIXED]
    assert [(found["start_line"], found["rule_id"]) for found in update["findings"]] == [(1, "bugs/other"), (2, "bugs/division")]
    assert update["fix"] is not None
    assert update["fix"]["code"] == FIXED
    assert update["current_code"] == FIXED


async def test_a_stored_finding_that_was_seen_again_is_told_once() -> None:
    """The same rule on the same line is one finding, the fresh one."""
    memory = FakeMemory(Recalled(a_match(), a_fix(), (a_finding(2, source="memory:e1"),)))

    update = await retrieve_memory(a_state(), runtime(inspector=FakeInspector(lambda _: [a_finding(2)]), memory=memory))

    assert [found["source"] for found in update["findings"]] == ["rule:bugs/division@1"]


async def test_a_damaged_memory_does_not_stop_the_review() -> None:
    """The failure is the task's error, the match says why it is NONE, the findings are there."""
    memory = FakeMemory(recall_error=MemoryDamagedError("it is broken"))

    update = await retrieve_memory(a_state(), runtime(inspector=FakeInspector(lambda _: [a_finding()]), memory=memory))

    assert update["match_status"] == "NONE"
    assert update["match"]["reason"] == "memory could not be read: it is broken"
    assert update["error"] == {"code": "memory_damaged", "message": "it is broken", "exit_code": 3}
    assert len(update["findings"]) == 1


async def test_a_missing_linter_does_not_stop_the_recall() -> None:
    """What memory knows is still told."""
    inspector = FakeInspector(error=ToolMissingError("no linter"))

    update = await retrieve_memory(a_state(), runtime(inspector=inspector, memory=FakeMemory(Recalled(a_match(), a_fix()))))

    assert update["match_status"] == "IDENTICAL"
    assert update["error"] is not None
    assert update["error"]["code"] == "tool_missing"
    assert "no rule or linter here knows python: its logic was not checked" in update["notes"]


async def test_memory_is_not_asked_when_the_task_says_so() -> None:
    """--no-memory and /retry go past the memory."""
    memory = FakeMemory(recall_error=MemoryLockedError("never asked"))

    update = await retrieve_memory(a_state(task=a_task(use_memory=False).as_plain()), runtime(memory=memory))

    assert update["error"] is None
    assert update["match"]["reason"] == "memory was not asked"


async def test_a_fix_from_memory_that_fails_the_test_command_is_not_in_place() -> None:
    """The route then leads to the fixer, which has it as a proposal."""
    refused = a_fix(verification=verified(tests=False))

    update = await retrieve_memory(a_state(), runtime(memory=FakeMemory(Recalled(a_match(), refused))))

    assert update["fix"] is None
    assert update["current_code"] == BUGGY
    assert update["long_term_context"]["fix"]["code"] == FIXED


async def test_a_fix_that_could_not_be_tested_is_offered_with_the_reason() -> None:
    """Without a sandbox the level is what it is, and the task says that the command was not run."""
    untested = a_fix(verification=Verification("clean", (Check("tests", False, "no sandbox here: bubblewrap is missing"),)))

    update = await retrieve_memory(a_state(), runtime(memory=FakeMemory(Recalled(a_match(), untested))))

    assert update["fix"] is not None
    assert update["error"] is not None
    assert update["error"]["code"] == "sandbox_unavailable"


async def test_a_proposal_for_similar_code_is_kept_for_the_fixer() -> None:
    """It is not verified yet, so it is not the fix."""
    example = PastFix("e1", "a", "b", "because", "names differ")
    recalled = Recalled(a_match("SIMILAR"), a_fix(origin="transfer"), example=example)

    update = await retrieve_memory(a_state(), runtime(memory=FakeMemory(recalled)))

    assert update["fix"] is None
    assert update["long_term_context"]["fix"]["origin"] == "transfer"
    assert update["long_term_context"]["example"]["why_not"] == "names differ"


async def test_the_worst_findings_are_kept_and_the_cut_is_said() -> None:
    """At most max_findings, in the order of the text."""
    many = [
        a_finding(1, "a/low", "low"),
        a_finding(2, "a/high", "high"),
        a_finding(3, "a/low", "low"),
        a_finding(4, "a/critical", "critical"),
    ]

    update = await retrieve_memory(a_state(), runtime(inspector=FakeInspector(lambda _: many), max_findings=2))

    assert [found["start_line"] for found in update["findings"]] == [2, 4]
    assert "2 more findings were cut; the 2 worst are listed" in update["notes"]


async def test_a_static_result_says_that_no_model_looked() -> None:
    """Every static result says so, and what checked."""
    update = await retrieve_memory(a_state(), runtime())

    assert update["notes"] == ["checked by fake linter", "static: logic was not checked by a model"]


async def test_messages_hold_no_code() -> None:
    """A message is a short line about the paste."""
    update = await retrieve_memory(a_state(), runtime())

    assert [message.content for message in update["messages"]] == ["python code of 2 lines"]
