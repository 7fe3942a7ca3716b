"""Long code: windows at the borders of functions, within the calls of the task, and what was not read is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents.model_reading import KEPT_CALLS
from agents.model_reviewer import ModelReviewer
from agents.model_windows import MAX_CHARACTERS, MAX_LINES, OVERLAP_LINES, cut, named_lines
from errors import CodeMindError, ContextTooLongError, ModelBudgetError, ModelError, ModelOutputError
from schema.finding import Finding
from schema.ports import ModelRequest, Review, ReviewRequest
from tests.fakes import FakeLanguageModel, a_finding, a_match, a_quoted, a_review, a_task

TOO_LONG = ContextTooLongError("too long")


def a_function(number: int, lines: int = 12) -> str:
    """One that can be told from the others."""
    body = "".join(f"    step_{line} = values[{line}] + {number}\n" for line in range(lines - 3))
    return f"def function_{number}(values):\n{body}    return values[{number}]\n\n"


def long_code(functions: int, lines: int = 12) -> str:
    """A file of so many functions."""
    return "import os\n\n" + "".join(a_function(number, lines) for number in range(functions))


def shown(request: ModelRequest) -> str:
    """The code block of a question."""
    found = re.search(r"<<<BEGIN code \w+>>>\n(.*?)\n<<<END code", request.user, re.DOTALL)
    assert found
    return found[1]


def quoting(request: ModelRequest) -> dict[str, object]:
    """A reviewer that reports every first and every third function that it sees."""
    numbers = re.findall(r"def function_(\d+)", shown(request))
    return a_review(
        *[a_quoted(f"return values[{number}]", message=f"`function_{number}` overruns") for number in numbers if int(number) % 50 == 0]
    )


async def review(model: FakeLanguageModel, code: str, *static: Finding, max_calls: int = 8) -> Review:
    """What the reviewer makes of a long paste."""
    return await ModelReviewer(model, max_calls=max_calls).review(ReviewRequest(a_task(code), static, a_match("NONE"), (), ""))


def numbers_of(code: str, found: Sequence[Finding]) -> list[str]:
    """What stands on the lines of the findings."""
    lines = code.split("\n")
    return [lines[one.start_line - 1].strip() for one in found]


def test_code_that_fits_is_one_window() -> None:
    """Nothing changes for it."""
    code = long_code(10)
    (window,) = cut(code, "python").windows

    assert (window.text, window.first, window.last) == (code, 1, len(code.split("\n")))


@settings(max_examples=60, deadline=None)
@example(["def f():", *["y" * 300] * 4])
@given(st.lists(st.sampled_from(["def f():", "    x = 1", "", "y" * 300, "class A:", "    def g(self):"]), min_size=1, max_size=400))
def test_windows_cover_every_line_within_their_bounds(lines: list[str]) -> None:
    """In order, each with the end of the one before it, and never endless."""
    code = "\n".join(lines)
    made = cut(code, "python", limit=1_000)

    seen = {line for window in made.windows for line in range(window.first, window.last + 1)}
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= seen
    for window in made.windows:
        assert window.text == "\n".join(lines[window.first - 1 : window.last])
        assert len(window.text) <= 1_000
        assert window.last - window.first < MAX_LINES
    for one, following in pairwise(made.windows):
        assert one.first < following.first
        assert one.last < following.last
        assert one.last - following.first < OVERLAP_LINES


def test_windows_begin_and_end_with_functions() -> None:
    """A short one before the border is seen twice."""
    windows = cut(long_code(200), "python").windows

    assert len(windows) == 3
    assert all(window.text.startswith("def function_") for window in windows[1:])
    assert all(window.text.rstrip().split("\n")[-1].strip().startswith("return") for window in windows)
    assert all(following.first <= window.last for window, following in pairwise(windows))


def test_a_line_that_is_longer_than_a_window_is_left_out() -> None:
    """What stands around it is not."""
    made = cut("a = 1\n" + "b" * 2 * MAX_CHARACTERS + "\nc = 3\n", "python")

    assert [window.text.strip() for window in made.windows] == ["a = 1", "c = 3"]
    assert made.too_long == (2,)


async def test_long_code_is_read_in_parts_and_the_findings_are_one_list() -> None:
    """On the lines of the whole code; a defect that two windows show is one finding; the number of calls is said."""
    code = long_code(200)
    model = FakeLanguageModel(*[quoting] * 3)

    found = await review(model, code)

    assert numbers_of(code, found.findings) == [f"return values[{number}]" for number in (0, 50, 100, 150)]
    assert len({one.fingerprint for one in found.findings}) == 4
    assert found.notes == ("the model read the code in 3 parts, one call each",)
    assert (found.usage.calls, found.failure) == (3, None)
    assert all(len(shown(request)) <= MAX_CHARACTERS for request in model.requests)
    assert "BEGIN head" not in model.requests[0].user
    assert "import os" in model.requests[2].user


async def test_a_window_sees_only_what_is_known_about_its_lines() -> None:
    """Findings of other parts would lead it astray."""
    code = long_code(200)
    static = [a_finding(line, "rules/x", message=f"known on {line}") for line in (3, 2_400)]
    model = FakeLanguageModel(*[a_review()] * 3)

    found = await review(model, code, *static)

    assert [["known on 3" in one.user, "known on 2400" in one.user] for one in model.requests] == [
        [True, False],
        [False, False],
        [False, True],
    ]
    assert len(found.findings) == 2


async def test_calls_are_kept_for_the_fixer_and_what_was_not_read_is_said() -> None:
    """By its lines; it is no failure."""
    code = long_code(400)
    windows = cut(code, "python").windows
    model = FakeLanguageModel(*[a_review()] * 9)

    found = await review(model, code, max_calls=KEPT_CALLS + 3)

    last = windows[-1].last
    assert model.calls == 3
    assert found.notes[1] == (
        f"lines {windows[2].last + 1}-{last} were not reviewed by the model: "
        "the calls of this task were used up; set MAX_LLM_CALLS higher, or review less at a time"
    )
    assert found.failure is None


async def test_a_context_that_is_too_small_gets_smaller_windows_once() -> None:
    """For the rest of the session."""
    code = long_code(60)
    model = FakeLanguageModel(TOO_LONG, *[a_review()] * 30)
    reviewer = ModelReviewer(model, max_calls=20)
    request = ReviewRequest(a_task(code), (), a_match("NONE"), (), "")

    first = await reviewer.review(request)
    asked = len(model.requests)
    await reviewer.review(request)

    assert first.failure is None
    assert [one for one in first.notes if "not reviewed" in one] == []
    assert max(len(shown(one)) for one in model.requests[1:]) <= len(code) // 4
    assert len(model.requests) - asked == asked - 1


async def test_a_context_that_is_too_small_for_any_window_is_the_failure() -> None:
    """After one smaller attempt."""
    model = FakeLanguageModel(TOO_LONG, TOO_LONG)
    with pytest.raises(ContextTooLongError):
        await review(model, long_code(60))

    assert model.calls == 2


@pytest.mark.parametrize(
    ("second", "calls", "kind"),
    [(ModelError("gone"), 2, ModelError), (ModelBudgetError("no calls"), 2, ModelBudgetError), ("no json", 4, ModelOutputError)],
)
async def test_what_was_read_stays_when_a_later_part_fails(second: CodeMindError | str, calls: int, kind: type[ModelError]) -> None:
    """The failure is told, and the lines; only a useless answer lets the next part be asked about."""
    answers = [quoting, second, *([second] if isinstance(second, str) else []), quoting]
    code = long_code(200)

    found = await review(model := FakeLanguageModel(*answers), code)

    assert type(found.failure) is kind
    assert model.calls == calls
    assert "return values[0]" in numbers_of(code, found.findings)
    assert any("were not reviewed by the model" in note for note in found.notes)


def test_lines_are_named_in_short() -> None:
    """What touches is one span."""
    assert named_lines([(7, 7)]) == "line 7"
    assert named_lines([(9, 12), (1, 3), (4, 5)]) == "lines 1-5, 9-12"
