"""The manager with a model: a plan, or the standard one and a note."""

from __future__ import annotations

import pytest

from agents.manager import StaticManager
from agents.model_manager import MAX_CHARACTERS, ModelManager
from errors import AgentTimeoutError, CodeMindError, ModelBudgetError, ModelError, ModelRefusedError
from schema.ports import Plan, PlanRequest
from schema.record import Usage
from tests.fakes import FakeLanguageModel, a_match, a_task


def a_plan(*steps: str) -> dict[str, object]:
    """The model's answer."""
    return {"thoughts": "t", "steps": list(steps)}


async def planned(model: FakeLanguageModel, code: str = "x = 1\n", summary: str = "", **task: object) -> Plan:
    """The plan for a paste that memory does not know."""
    return await ModelManager(model, StaticManager()).plan(PlanRequest(a_task(code, **task), a_match("NONE"), summary))


async def test_the_model_writes_the_plan() -> None:
    """It costs one call, which is reported."""
    model = FakeLanguageModel(a_plan("check the loop", "check zero"))

    assert await planned(model) == Plan(["check the loop", "check zero"], Usage(1, 100, 10, 0.25))
    assert (model.requests[0].role, model.requests[0].schema_name) == ("manager", "TaskPlan")


async def test_code_context_and_session_are_shown_between_fences() -> None:
    """Nothing else of them is anywhere in the request."""
    model = FakeLanguageModel(a_plan("look"))

    await planned(model, "secret_name = 1\n", summary="1: python, NONE", context_text="Traceback: boom")

    request = model.requests[0]
    for said in ("secret_name = 1", "1: python, NONE", "Traceback: boom"):
        assert said not in request.system
        assert request.user.count(said) == 1


async def test_long_code_is_shown_as_an_outline() -> None:
    """The reviewer reads all of it; the plan needs the heads."""
    model = FakeLanguageModel(a_plan("look"))

    await planned(model, "".join(f"def f{number}(a):\n    return {number}\n" for number in range(200)))

    assert "def f199(a):" in model.requests[0].user
    assert "return 150" not in model.requests[0].user


async def test_steps_are_one_line_each_and_obey_no_terminal() -> None:
    """Blank ones are left out, long ones cut."""
    model = FakeLanguageModel(a_plan("a\n\x1b[31mb", " ", "x" * 390))

    steps = (await planned(model)).steps

    assert steps[0] == "a \\x1b[31mb"
    assert [len(step) for step in steps] == [len("a \\x1b[31mb"), 300]


@pytest.mark.parametrize("answers", [["{", "{"], [ModelRefusedError("The model refused.")]])
async def test_a_useless_answer_leads_to_the_standard_plan_and_a_note(answers: list[str | CodeMindError]) -> None:
    """The review is not stopped by it, and the calls are counted."""
    plan = await planned(FakeLanguageModel(*answers))

    assert plan.steps == (await StaticManager().plan(PlanRequest(a_task(), a_match("NONE"), ""))).steps
    assert plan.usage.calls == len(answers)
    assert plan.notes[0].startswith("the model made no plan (The model")


@pytest.mark.parametrize("error", [ModelBudgetError("spent"), AgentTimeoutError("too long"), ModelError("401")])
async def test_a_failed_endpoint_is_the_failure_of_the_task(error: ModelError) -> None:
    """No later call could succeed, so it is not hidden in a note."""
    with pytest.raises(type(error)):
        await planned(FakeLanguageModel(error))


async def test_few_very_long_lines_are_no_short_code() -> None:
    """A minified file is shown in part."""
    model = FakeLanguageModel(a_plan("look"))

    await planned(model, "x" * 1_000_000)

    assert len(model.requests[0].user) < 2 * MAX_CHARACTERS
