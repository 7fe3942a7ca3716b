"""Manager, reviewer and fixer."""

from __future__ import annotations

from dataclasses import replace

from langgraph.runtime import Runtime

from errors import ModelError, ReviewerDisabledError
from nodes.session.fixer import fixer
from nodes.session.manager import manager
from nodes.session.reviewer import reviewer
from schema.fix import NOT_STARTED, Check, Verification
from schema.ports import Review, ReviewRequest
from state import Context
from tests.fakes import FIXED, FakeFixer, FakeManager, FakeReviewer, a_context, a_finding, a_fix, a_match, a_state, a_task


def runtime(**changes: object) -> Runtime[Context]:
    """A runtime with fakes."""
    return Runtime(context=a_context(**changes))


async def test_a_plan_is_made_when_a_reviewer_will_read_it() -> None:
    """The manager decides in code and has the plan written; its cost is counted."""
    planner = FakeManager()

    update = await manager(a_state(summary="1: python"), runtime(manager=planner))

    assert update["next_worker"] == "reviewer"
    assert update["plan"] == ["look at the loop"]
    assert update["usage"]["calls"] == 1
    assert planner.requests[0].summary == "1: python"


async def test_no_plan_is_made_for_a_task_that_memory_settles() -> None:
    """An identical paste costs no call."""
    planner = FakeManager()
    state = a_state(match=a_match().as_plain(), fix=a_fix().as_plain())

    update = await manager(state, runtime(manager=planner))

    assert update == {"next_worker": "FINISH"}
    assert planner.requests == []


async def test_a_plan_that_fails_does_not_stop_the_review() -> None:
    """Part results are kept; the failure is the task's."""
    update = await manager(a_state(), runtime(manager=FakeManager(ModelError("no answer"))))

    assert update["next_worker"] == "reviewer"
    assert update["error"] == {"code": "llm_request_failed", "message": "no answer", "exit_code": 3}


async def test_reviewer_sees_the_plan() -> None:
    """The manager's plan, the static findings and the summary reach the reviewer unchanged."""
    asked = FakeReviewer([a_finding(1, "model/logic")])
    state = a_state(plan=["check the loop"], findings=[a_finding().as_plain()], summary="s", notes=["n"])

    update = await reviewer(state, runtime(reviewer=asked))

    assert asked.requests[0].plan == ("check the loop",)
    assert asked.requests[0].findings == (a_finding(),)
    assert asked.requests[0].summary == "s"
    assert [found["rule_id"] for found in update["findings"]] == ["bugs/division", "model/logic"]
    assert update["notes"] == ["n", "reviewed"]
    assert update["history"] == ["reviewer"]


async def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    """A number that leaves out a part would be a wrong number."""
    update = await reviewer(a_state(usage={"calls": 1, "input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25}), runtime())

    assert update["usage"] == {"calls": 2, "input_tokens": 110, "output_tokens": 55, "cost_usd": None}


async def test_a_failing_reviewer_leaves_the_static_findings() -> None:
    """Nothing is written over them, and the reviewer has had its turn."""
    update = await reviewer(a_state(), runtime(reviewer=FakeReviewer(error=ModelError("no answer"))))

    assert update["history"] == ["reviewer"]
    assert "findings" not in update
    assert update["error"] is not None


async def test_a_reviewer_that_read_a_part_only_leaves_what_it_found_and_its_failure() -> None:
    """Both are in the state: the record is incomplete, and says so."""

    class PartReviewer(FakeReviewer):
        async def review(self, request: ReviewRequest) -> Review:
            return replace(await super().review(request), failure=ModelError("no answer"))

    update = await reviewer(a_state(), runtime(reviewer=PartReviewer([a_finding(1, "model/logic")])))

    assert [found["rule_id"] for found in update["findings"]] == ["model/logic"]
    assert update["error"] == {"code": "llm_request_failed", "message": "no answer", "exit_code": 3}


async def test_a_disabled_reviewer_is_said_and_is_no_error() -> None:
    """The record says "not reviewed"."""
    update = await reviewer(a_state(), runtime(reviewer=FakeReviewer(error=ReviewerDisabledError("disabled"))))

    assert update["reviewed"] is False
    assert update["notes"] == ["not reviewed: the reviewer is disabled, and memory does not know this code"]
    assert "error" not in update


async def test_fixer_gets_memory_s_proposal_and_the_findings() -> None:
    """What memory proposed and what was found reach the fixer; its fix becomes the working copy."""
    asked = FakeFixer(a_fix())
    state = a_state(
        findings=[a_finding().as_plain()],
        match=a_match("SIMILAR").as_plain(),
        long_term_context={"fix": a_fix("other", "transfer").as_plain(), "example": None},
    )

    update = await fixer(state, runtime(fixer=asked))

    assert asked.requests[0].recalled == a_fix("other", "transfer")
    assert asked.requests[0].findings == (a_finding(),)
    assert update["current_code"] == FIXED
    assert update["notes"] == ["tried"]


async def test_no_fix_leaves_the_working_copy_as_it_was_pasted() -> None:
    """`current_code` goes back to the snapshot."""
    update = await fixer(a_state(current_code="half done"), runtime(fixer=FakeFixer()))

    assert update["fix"] is None
    assert update["current_code"] == a_task().code


async def test_a_failing_fixer_leaves_the_findings() -> None:
    """The failure is the task's error; an earlier one stays in front."""
    failing = FakeFixer(error=ModelError("no answer"))

    fresh = await fixer(a_state(), runtime(fixer=failing))
    second = await fixer(a_state(error={"code": "memory_locked", "message": "m", "exit_code": 3}), runtime(fixer=failing))

    assert fresh["error"] is not None
    assert fresh["error"]["code"] == "llm_request_failed"
    assert second["error"] is not None
    assert second["error"]["code"] == "memory_locked"


async def test_a_test_command_without_a_sandbox_is_the_task_s_error_and_the_fix_stays() -> None:
    """The product says so and goes on without that level."""
    untested = a_fix(verification=Verification("clean", (Check("tests", False, "no sandbox here: bubblewrap is missing"),)))

    update = await fixer(a_state(), runtime(fixer=FakeFixer(untested)))

    assert update["fix"] is not None
    assert update["error"] is not None
    assert update["error"]["code"] == "sandbox_unavailable"


async def test_a_test_command_that_is_not_there_is_the_task_s_error_and_the_fix_stays() -> None:
    """One sentence that says what was not found."""
    untested = a_fix(verification=Verification("clean", (Check("tests", False, f"{NOT_STARTED}: pytset: not found"),)))

    update = await fixer(a_state(), runtime(fixer=FakeFixer(untested)))

    assert update["fix"] is not None
    assert update["error"] is not None
    assert update["error"]["code"] == "tool_missing"
    assert update["error"]["message"].startswith("Your test command could not be started: pytset: not found")
