"""The fixer with a model: what needs no call gets none, and what a model returns has to hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agents.fixer import TESTS_FAILED_NOTE
from agents.model_fixer import FAILED_NOTE, SMALL_NOTE, TOO_LONG_NOTE, ModelFixer
from errors import ModelBudgetError, ModelError, ModelOutputError
from schema.finding import Finding
from schema.fix import NOT_STARTED, Check, Fix, Verification
from schema.match import Match, PastFix
from schema.ports import FixOutcome, FixRequest
from tests.agents.test_fixer import bad_lines
from tests.fakes import FakeInspector, FakeLanguageModel, FakeVerifier, a_finding, a_fix, a_match, a_region, a_task, verified

CODE = "def first(xs):\n    return xs[0]\n\ndef last_index(xs):\n    return len(xs)\n"
MENDED = CODE.replace("return len(xs)", "return len(xs) - 1")
LOGIC = a_finding(5, "model/bug", "high", source="model:fake-1", evidence="    return len(xs)", message="one too far")
REFUSED = Verification("none", refused="the parameters of first changed")
NEW_FINDING = Verification("parses", (Check("parses", True), Check("nothing_new", False, "new: ruff/F821 in line 2")))


def an_answer(code: str, explanation: str = "Subtracted one.") -> dict[str, Any]:
    """A fixer's answer."""
    return {"fixed_code": code, "explanation": explanation}


def a_request(code: str = CODE, *findings: Finding, **changes: Any) -> FixRequest:
    """What the fixer sees of a paste that memory does not know."""
    values: dict[str, Any] = {"match": Match(), "recalled": None, "example": None, "summary": "", **changes}
    task = a_task(code, **{key: values.pop(key) for key in ("test_cmd", "context_text") if key in values})
    return FixRequest(task=task, findings=findings, **values)


async def fixed(model: FakeLanguageModel, request: FixRequest, verifier: FakeVerifier | None = None) -> FixOutcome:
    """The outcome with fakes that find `bad` lines and accept everything."""
    return await ModelFixer(model, FakeInspector(bad_lines), verifier or FakeVerifier()).fix(request)


def judging(*verdicts: Verification) -> FakeVerifier:
    """Gives one verdict after another, the last for ever."""
    waiting = list(verdicts)
    return FakeVerifier(lambda *_: waiting.pop(0) if len(waiting) > 1 else waiting[0])


async def test_the_model_mends_what_no_rule_can() -> None:
    """One call; the whole code goes out and comes back."""
    model = FakeLanguageModel(an_answer(MENDED))

    outcome = await fixed(model, a_request(CODE, LOGIC))

    assert outcome.fix == Fix(MENDED, "Subtracted one.", "model", verified())
    assert outcome.usage.calls == 1
    assert CODE in model.requests[0].user
    assert "one too far" in model.requests[0].user


async def test_a_transferred_fix_that_holds_needs_no_call() -> None:
    """Memory goes first."""
    model = FakeLanguageModel()
    past = a_fix(MENDED, "transfer", Verification("none"))

    outcome = await fixed(model, a_request(CODE, LOGIC, recalled=past, match=a_match("SIMILAR", fixed_code=MENDED)))

    assert outcome.fix is not None
    assert (outcome.fix.origin, model.calls) == ("transfer", 0)


async def test_rule_fixes_that_settle_everything_need_no_call() -> None:
    """Findings below medium don't count."""
    code = "bad\nx\n"
    model = FakeLanguageModel()

    outcome = await fixed(model, a_request(code, *bad_lines(code), a_finding(2, "model/bug", "low", source="model:m", evidence="x")))

    assert outcome.fix is not None
    assert (outcome.fix.code, outcome.fix.origin, model.calls) == ("good\nx\n", "rules", 0)


async def test_the_model_builds_on_the_rule_fixes() -> None:
    """It is shown the mended text and only what is left; both explanations are kept."""
    code = "bad\n" + CODE
    mended = "good\n" + MENDED
    logic = a_finding(6, "model/bug", "high", source="model:fake-1", evidence="    return len(xs)", message="one too far")
    model = FakeLanguageModel(an_answer(mended))

    outcome = await fixed(model, a_request(code, *bad_lines(code), logic))

    assert outcome.fix == Fix(mended, "Say good. Subtracted one.", "model", verified())
    assert "good\ndef first" in model.requests[0].user
    assert model.requests[0].user.count('{"quote"') == 1


async def test_findings_too_small_for_a_call_are_left_with_a_note() -> None:
    """Low and info."""
    outcome = await fixed(FakeLanguageModel(), a_request(CODE, a_finding(5, "model/bug", "low", source="model:m")))

    assert (outcome.fix, outcome.notes) == (None, (SMALL_NOTE,))


async def test_generated_files_are_not_sent() -> None:
    """Nobody wants them mended."""
    model = FakeLanguageModel()
    assert (await fixed(model, a_request("# DO NOT EDIT\n" + CODE, LOGIC))).fix is None
    assert model.calls == 0


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("# ... rest unchanged\ndef last_index(xs):\n    return len(xs) - 1\n", "first is gone"),
        (MENDED.replace("return xs[0]", "# ... existing code ..."), "placeholder"),
        (MENDED.replace("    return xs[0]\n", "    ...\n"), "placeholder"),
        ("def last_index(xs):\n    return len(xs) - 1\n", "first is gone"),
        ("   \n", "empty"),
        (MENDED.replace("xs[0]", "xs[0] # \u202e"), "invisible"),
    ],
)
async def test_an_answer_that_leaves_code_out_is_repaired_once(answer: str, said: str) -> None:
    """The second answer is taken; nothing of the first reaches the fix."""
    model = FakeLanguageModel(an_answer(answer), an_answer(MENDED))

    outcome = await fixed(model, a_request(CODE, LOGIC))

    assert outcome.fix is not None
    assert outcome.fix.code == MENDED
    assert said in model.complaints[0]


async def test_code_left_out_twice_is_an_unusable_answer() -> None:
    """No fix, and the task says so."""
    elided = an_answer("def last_index(xs):\n    return len(xs) - 1\n")
    with pytest.raises(ModelOutputError):
        await fixed(FakeLanguageModel(elided, elided), a_request(CODE, LOGIC))


async def test_empty_bodies_of_the_paste_are_no_elision() -> None:
    """`...` that was there may stay; a stub that is dropped is not taken."""
    stubs = "class Store:\n    def get(self): ...\n    def put(self): ...\n\n" + CODE
    model = FakeLanguageModel(an_answer(stubs.replace("return len(xs)", "return len(xs) - 1")))
    assert (await fixed(model, a_request(stubs, LOGIC))).fix is not None


async def test_a_refused_fix_goes_back_once_with_the_reason() -> None:
    """The reason is shown between fences, beside the answer."""
    model = FakeLanguageModel(an_answer(MENDED + "\nx = 1"), an_answer(MENDED))

    outcome = await fixed(model, a_request(CODE, LOGIC), judging(REFUSED, verified("parses")))

    assert outcome.fix is not None
    assert outcome.fix.code == MENDED
    assert "the parameters of first changed" in model.requests[1].user
    assert "x = 1" in model.requests[1].user
    assert model.calls == 2


async def test_a_fix_refused_twice_is_none() -> None:
    """With the reason as a note."""
    model = FakeLanguageModel(an_answer(MENDED), an_answer(MENDED + "y = 2\n"))

    outcome = await fixed(model, a_request(CODE, LOGIC), judging(REFUSED))

    assert outcome.fix is None
    assert outcome.notes == ("the model's fix was refused: the parameters of first changed",)


async def test_a_fix_that_adds_a_defect_goes_back_once() -> None:
    """When it does so again, it is offered at its level, and the note names what it adds."""
    model = FakeLanguageModel(an_answer(MENDED), an_answer(MENDED + "y = 2\n"))

    outcome = await fixed(model, a_request(CODE, LOGIC), judging(NEW_FINDING))

    assert outcome.fix is not None
    assert outcome.fix.verification.level == "parses"
    assert outcome.notes == ("the model's fix adds a finding: new: ruff/F821 in line 2",)
    assert "it adds a defect: new: ruff/F821" in model.requests[1].user


async def test_an_acceptable_fix_survives_a_repair_that_fails() -> None:
    """The failure is reported beside it."""
    model = FakeLanguageModel(an_answer(MENDED), ModelBudgetError("spent"))

    outcome = await fixed(model, a_request(CODE, LOGIC), judging(NEW_FINDING))

    assert outcome.fix is not None
    assert isinstance(outcome.failure, ModelBudgetError)


async def test_the_best_of_several_fixes_is_kept() -> None:
    """A later one that breaks the tests does not replace one that only adds a small defect."""
    tested = Verification("tested", (Check("nothing_new", False, "new: ruff/F821 in line 2"), Check("tests", True)))
    failing = Verification("parses", (Check("parses", True), Check("tests", False, "fails with exit status 1")))
    model = FakeLanguageModel(*[an_answer(MENDED + f"# {number}\n") for number in range(4)])

    outcome = await fixed(model, a_request(CODE, LOGIC, test_cmd="pytest"), judging(tested, failing))

    assert outcome.fix is not None
    assert outcome.fix.code == MENDED + "# 0\n"
    assert model.calls == 4


async def test_a_failing_test_goes_back_at_most_twice() -> None:
    """With the end of its output, redacted and fenced; then the fix is offered with a note."""
    password = "hunter2" + "hunter2"
    output = f"fails with exit status 1: AssertionError | url = postgres://app:{password}@db/x"
    failing = Verification("parses", (Check("parses", True), Check("tests", False, output)))
    model = FakeLanguageModel(*[an_answer(MENDED + f"# {number}\n") for number in range(3)])

    outcome = await fixed(model, a_request(CODE, LOGIC, test_cmd="pytest"), judging(failing))

    assert model.calls == 3
    assert all("AssertionError" in request.user and password not in request.user for request in model.requests[1:])
    assert outcome.fix is not None
    assert outcome.notes == (TESTS_FAILED_NOTE,)


async def test_a_test_that_passes_at_the_second_try_ends_the_rounds() -> None:
    """Level tested."""
    failing = Verification("parses", (Check("parses", True), Check("tests", False, "fails with exit status 1")))
    model = FakeLanguageModel(an_answer(MENDED + "# 1\n"), an_answer(MENDED))

    outcome = await fixed(model, a_request(CODE, LOGIC, test_cmd="pytest"), judging(failing, verified("tested", tests=True)))

    assert outcome.fix == Fix(MENDED, "Subtracted one.", "model", verified("tested", tests=True))


async def test_a_rule_fix_that_breaks_the_tests_is_not_the_base() -> None:
    """The model starts from the paste, and sees what was tried and how the tests ended."""
    code = "bad\n" + CODE
    failing = Verification("clean", (Check("parses", True), Check("tests", False, "fails with exit status 1: boom")))

    def judge(before: str, after: str, test_cmd: str | None) -> Verification:
        return (failing if "good" in after else verified("tested", tests=True)) if test_cmd else verified()

    model = FakeLanguageModel(an_answer("fine\n" + MENDED))
    outcome = await fixed(model, a_request(code, *bad_lines(code), test_cmd="pytest"), FakeVerifier(judge))

    assert outcome.fix == Fix("fine\n" + MENDED, "Subtracted one.", "model", verified("tested", tests=True))
    user = model.requests[0].user
    assert user.index("bad\ndef first") < user.index("good\ndef first") < user.index("boom")


async def test_a_model_that_fails_leaves_the_rule_fix_and_the_failure() -> None:
    """Part results are kept, and the task is known to be incomplete."""
    code = "bad\n" + CODE
    error = ModelError("down")

    outcome = await fixed(FakeLanguageModel(error), a_request(code, *bad_lines(code), LOGIC))

    assert outcome.fix is not None
    assert (outcome.fix.origin, outcome.failure, outcome.notes[-1]) == ("rules", error, FAILED_NOTE)


async def test_a_model_that_fails_with_nothing_else_there_is_an_error() -> None:
    """The session reports it."""
    with pytest.raises(ModelError):
        await fixed(FakeLanguageModel(ModelError("down")), a_request(CODE, LOGIC))


async def test_an_unchanged_answer_is_no_fix() -> None:
    """The model thinks that nothing is wrong; it is not asked again."""
    outcome = await fixed(FakeLanguageModel(an_answer(CODE, "It is right as it is.")), a_request(CODE, LOGIC))

    assert (outcome.fix, outcome.notes) == (None, ("the model would change nothing: It is right as it is.",))


async def test_a_past_pair_that_did_not_carry_over_is_an_example() -> None:
    """It stands between fences; without findings too the model is asked."""
    example = PastFix("e1", "def end(a):\n    return len(a)\n", "def end(a):\n    return len(a) - 1\n", "subtracts one", "place differs")
    match = a_match("SIMILAR", regions=(a_region(fixed_code=None),))
    model = FakeLanguageModel(an_answer(MENDED))

    outcome = await fixed(model, a_request(CODE, example=example, match=match))

    assert outcome.fix is not None
    for text in (example.buggy, example.fixed, example.explanation):
        assert text in model.requests[0].user


async def test_refused_memory_is_shown_as_what_did_not_pass() -> None:
    """The model may find what is wrong with it."""

    def judge(before: str, after: str, test_cmd: str | None) -> Verification:
        return REFUSED if "from_memory" in after else verified()

    past = a_fix(CODE + "from_memory = 1\n", "transfer", Verification("none"))
    model = FakeLanguageModel(an_answer(MENDED))

    outcome = await fixed(model, a_request(CODE, LOGIC, recalled=past, match=a_match("SIMILAR")), FakeVerifier(judge))

    assert outcome.fix is not None
    assert outcome.fix.origin == "model"
    assert "from_memory = 1" in model.requests[0].user


async def test_memorys_part_stays_in_the_models_fix() -> None:
    """Only the rest is asked for; the model's step is judged by itself too."""
    code = "def known(a):\n    return a\n\n" + CODE
    part = code.replace("return a\n", "return a or 0\n")
    logic = a_finding(8, "model/bug", "high", source="model:fake-1", evidence="    return len(xs)", message="one too far")
    remembered = a_finding(2, "memory/none", source="memory:e1", evidence="    return a")
    match = a_match("SIMILAR", 0.4, regions=(a_region(fixed_code="def known(a):\n    return a or 0\n"),))
    verifier = FakeVerifier()
    model = FakeLanguageModel(an_answer(part.replace("return len(xs)", "return len(xs) - 1")))

    past = a_fix(part, "transfer", Verification("none"))
    outcome = await fixed(model, a_request(code, remembered, logic, recalled=past, match=match), verifier)

    assert outcome.fix is not None
    assert outcome.fix.code == part.replace("return len(xs)", "return len(xs) - 1")
    assert model.requests[0].user.count('{"quote"') == 1
    assert (part, outcome.fix.code, None) in verifier.asked
    assert (code, outcome.fix.code, None) in verifier.asked


async def test_of_long_code_only_the_functions_are_sent() -> None:
    """They come back into their places; the rest is not even seen."""
    functions = [f"def f{number}(xs):\n    size = len(xs)\n    return {number}\n" for number in range(90)]
    code = "\n".join(functions)
    finding = a_finding(42 * 4 + 2, "model/bug", "high", source="model:fake-1", evidence="    size = len(xs)")
    model = FakeLanguageModel(an_answer(functions[42].replace("len(xs)", "len(xs) - 1")))

    outcome = await fixed(model, a_request(code, finding))

    assert outcome.fix is not None
    assert outcome.fix.code == code.replace(functions[42], functions[42].replace("len(xs)", "len(xs) - 1"))
    assert functions[42].rstrip("\n") in model.requests[0].user
    assert "def f41" not in model.requests[0].user
    assert "only one part" in model.requests[0].system


async def test_room_for_the_answer_grows_with_the_code() -> None:
    """Two hundred long lines must fit; nothing asks for more than an endpoint gives."""
    model = FakeLanguageModel(*[an_answer("x = 1\n" + code) for code in ("y\n", "z" * 30_000 + "\n", "z" * 81_000 + "\n")])
    for code in ("y\n", "z" * 30_000 + "\n", "z" * 81_000 + "\n"):
        await fixed(model, a_request(code, a_finding(1, "model/bug", "high", source="model:m")))

    assert [request.max_output_tokens for request in model.requests] == [4096, 14_048, 32_768]


async def test_explanations_are_bounded_and_tidy() -> None:
    """They are stored and printed."""
    outcome = await fixed(FakeLanguageModel(an_answer(MENDED, "\x1b]0;owned\x07" + "y " * 900)), a_request(CODE, LOGIC))

    assert outcome.fix is not None
    assert len(outcome.fix.explanation) <= 600
    assert "\x1b" not in outcome.fix.explanation


async def test_a_markdown_fence_around_the_answer_is_taken_off() -> None:
    """The most common habit of all."""
    outcome = await fixed(FakeLanguageModel(an_answer(f"```python\n{MENDED}```")), a_request(CODE, LOGIC))

    assert outcome.fix is not None
    assert outcome.fix.code == MENDED


async def test_what_no_answer_can_hold_is_not_asked_for() -> None:
    """One line of a megabyte; the note says why there is no fix."""
    model = FakeLanguageModel()
    found = a_finding(1, "model/bug", "high", source="model:m", evidence="x")

    outcome = await fixed(model, a_request("x" * 1_000_000, found))

    assert (outcome.fix, outcome.notes, model.calls) == (None, (TOO_LONG_NOTE,), 0)


async def test_the_fixer_reads_head_and_tail_of_a_failing_test() -> None:
    """Between fences, as its own block."""
    printed = "\n".join(["Traceback (first line)", *["..."] * 50, "AssertionError: 2"])
    failing = Verification("parses", (Check("tests", False, "fails with exit status 1: AssertionError: 2"),), test_output=printed)
    model = FakeLanguageModel(an_answer(MENDED), an_answer(MENDED))

    await fixed(model, a_request(CODE, LOGIC, test_cmd="pytest"), judging(failing, verified()))

    assert re.search(
        r"<<<BEGIN tests \w+>>>\nTraceback \(first line\)\n.*AssertionError: 2\n<<<END tests", model.requests[1].user, re.DOTALL
    )


async def test_a_mistyped_test_command_costs_no_round() -> None:
    """It says nothing about the fix."""
    mistyped = Verification("parses", (Check("tests", False, f"{NOT_STARTED}: pytset: not found"),))
    model = FakeLanguageModel(an_answer(MENDED))

    outcome = await fixed(model, a_request(CODE, LOGIC, test_cmd="pytset"), judging(mistyped))

    assert outcome.fix is not None
    assert (model.calls, outcome.fix.verification.level) == (1, "parses")
