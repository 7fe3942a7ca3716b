"""The reviewer with a model: it quotes, the program places and merges."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.merging import merge_review
from agents.model_reviewer import ModelReviewer
from errors import ModelError, ModelOutputError
from schema.finding import Finding
from schema.match import Match, Region
from schema.ports import ModelRequest, Review, ReviewRequest
from schema.record import Usage
from tests.fakes import FakeLanguageModel, a_finding, a_match, a_quoted, a_review, a_task, replacing

CODE = """import subprocess

def listing(name):
    return subprocess.call('ls ' + name, shell=True)

def last_index(xs):
    return len(xs)
"""
SHELL = a_finding(
    4,
    "security/shell-by-concatenation",
    "high",
    category="security",
    message="A shell command is put together from variables: subprocess.call",
    suggestion="Pass the program and its arguments as a list, without a shell",
    evidence="    return subprocess.call('ls ' + name, shell=True)",
    start_column=12,
    confidence=0.85,
    source="rule:security/shell-by-concatenation@1.0.0+ab",
    fix=replacing(4, "x", "y"),
)
INDEX = a_quoted("return len(xs)")


async def reviewed(model: FakeLanguageModel, *static: Finding, code: str = CODE, match: Match | None = None, **request: Any) -> Review:
    """The review of a paste; nothing is known about it unless told."""
    values = {"plan": (), "summary": "", **request}
    return await ModelReviewer(model).review(ReviewRequest(a_task(code), static, match or a_match("NONE"), **values))


async def test_a_finding_stands_where_its_quote_stands() -> None:
    """With the exact lines as evidence, and the model's name."""
    review = await reviewed(FakeLanguageModel(a_review(INDEX)))

    (found,) = review.findings
    assert (found.start_line, found.end_line, found.start_column, found.end_column) == (7, 7, 5, 19)
    assert (found.rule_id, found.source, found.evidence) == ("model/bug", "model:fake-1", "    return len(xs)")
    assert (found.severity, found.category, found.confidence, found.fix) == ("high", "bug", 0.9, None)
    assert review.usage == Usage(1, 100, 10, 0.25)


async def test_an_empty_list_leaves_the_static_findings() -> None:
    """Whatever the model says, they stay as they are."""
    assert (await reviewed(FakeLanguageModel(a_review()), SHELL)).findings == (SHELL,)


async def test_a_quote_that_is_not_there_is_counted_and_has_no_line() -> None:
    """It is said in a note, without control characters, and stands in no finding."""
    review = await reviewed(FakeLanguageModel(a_review(INDEX, a_quoted("return len(ys)", message="bad\x1b[2J thing"))))

    assert [found.start_line for found in review.findings] == [7]
    assert review.notes == (
        "1 of the model's findings could not be placed, because its quote names no single place in the code: high: bad\\x1b[2J thing",
    )


async def test_one_defect_seen_by_both_is_one_finding() -> None:
    """The rule's id, place, fix and severity stay; both sources are named."""
    own = a_quoted(
        "subprocess.call('ls ' + name, shell=True)", message="command injection", category="security", severity="low", confidence=0.95
    )

    (found,) = (await reviewed(FakeLanguageModel(a_review(own)), SHELL)).findings

    assert (found.rule_id, found.severity, found.fix, found.fingerprint) == (SHELL.rule_id, "high", SHELL.fix, SHELL.fingerprint)
    assert found.source == "rule:security/shell-by-concatenation@1.0.0+ab, model:fake-1"
    assert (found.message, found.suggestion, found.confidence) == (SHELL.message, SHELL.suggestion, 0.95)


async def test_another_defect_on_the_same_line_is_another_finding() -> None:
    """Same place, different meaning."""
    own = a_quoted("subprocess.call", message="the exit status of ls is returned where callers want its output")

    assert len((await reviewed(FakeLanguageModel(a_review(own)), SHELL)).findings) == 2


async def test_the_same_defect_elsewhere_is_another_finding() -> None:
    """Same meaning, different place."""
    code = CODE + "\ndef other(name):\n    return subprocess.call(f'cat {name}', shell=True)\n"
    own = a_quoted("subprocess.call(f'cat {name}', shell=True)", message="command injection through a shell", category="security")

    assert [f.start_line for f in (await reviewed(FakeLanguageModel(a_review(own)), SHELL, code=code)).findings] == [4, 10]


def test_a_short_message_gets_the_models_words() -> None:
    """The suggestion too when there was none; what the rule said stays in front."""
    known = a_finding(1, "ruff/B006", message="mutable default", suggestion="", evidence="def f(a=[]):")
    own = a_finding(
        1,
        "model/bug",
        message="`a` is shared between calls, so titles of an earlier page come back",
        suggestion="use None",
        source="model:m",
    )

    (found,) = merge_review([known], [own])

    assert found.message == "mutable default. Model: `a` is shared between calls, so titles of an earlier page come back"
    assert found.suggestion == "use None"


def test_a_model_that_repeats_itself_has_one_finding() -> None:
    """The worse of the two."""
    low = a_finding(1, "model/bug", "low", message="divides by zero when empty", source="model:m", evidence="x")
    high = a_finding(1, "model/bug", "high", message="zero division for an empty list", source="model:m", evidence="x")

    assert merge_review([], [low, high]) == (high,)


async def test_two_findings_of_one_category_on_one_line_have_two_fingerprints() -> None:
    """Verdicts must be able to tell them apart."""
    other = a_quoted("len(xs)", message="raises TypeError for an iterator", suggestion="make it a list first")

    one, two = (await reviewed(FakeLanguageModel(a_review(INDEX, other)))).findings

    assert one.fingerprint != two.fingerprint


async def test_what_memory_knows_is_marked_and_not_reported_twice() -> None:
    """The whole code is shown; a finding in the known part that says what memory says is memory's."""
    known = a_finding(
        6, "memory/off-by-one", message="the last index is len - 1", suggestion="", source="memory:e1", evidence="def last_index(xs):"
    )
    region = Region(6, 7, "IDENTICAL", "exact", "e1", 1, "plausible", "def last_index(xs):\n    return len(xs) - 1\n", "subtracts one")
    match = a_match("SIMILAR", 0.4, regions=(region,))
    model = FakeLanguageModel(a_review(INDEX, a_quoted("subprocess.call", message="injection", category="security")))

    review = await reviewed(model, known, match=match)

    assert [(found.start_line, found.source) for found in review.findings] == [(4, "model:fake-1"), (6, "memory:e1, model:fake-1")]
    assert CODE in model.requests[0].user
    assert "from `def last_index(xs):` to `return len(xs)`: subtracts one (it has a fix for it)" in model.requests[0].user


async def test_a_static_finding_tells_equal_quotes_apart() -> None:
    """Two equal lines, the linter reports the second."""
    code = "def a(x):\n    return 1 / len(x)\n\ndef b(x):\n    return 1 / len(x)\n"
    static = a_finding(5, "bugs/division-by-length", message="divides by zero for an empty sequence", evidence="    return 1 / len(x)")

    (found,) = (await reviewed(FakeLanguageModel(a_review(a_quoted("1 / len(x)", message="division by zero"))), static, code=code)).findings

    assert found.source.endswith(", model:fake-1")


async def test_findings_are_bounded_and_tidy() -> None:
    """One line, no control characters, no endless text; at most fifty, the worst."""
    code = "".join(f"v{number} = {number} / n\n" for number in range(80))
    static = [a_finding(number, f"bugs/x{number}", "low", message="unrelated", evidence="e") for number in range(51, 81)]
    own = [a_quoted(f"v{number} = {number} / n", message="z\n" * 400, suggestion="\u202eevil") for number in range(50)]

    review = await reviewed(FakeLanguageModel(a_review(*own)), *static, code=code)

    assert len(review.findings) == 50
    assert {found.severity for found in review.findings} == {"high"}
    assert len(review.findings[0].message) == 400
    assert review.findings[0].suggestion == "<U+202E>evil"
    assert review.notes == ("30 more findings were cut; the 50 worst are listed",)


async def test_plan_evidence_and_session_reach_the_model() -> None:
    """Static findings as JSON lines, with the code that they are about and without line numbers."""
    model = FakeLanguageModel(a_review())

    await reviewed(model, SHELL, plan=("check the shell",), summary="1: python")

    user = model.requests[0].user
    assert "- check the shell" in user
    assert "1: python" in user
    (line,) = [line for line in user.split("\n") if line.startswith('{"quote"')]
    assert json.loads(line)["quote"] == SHELL.evidence
    assert "start_line" not in user


async def test_an_unusable_answer_is_repaired_once() -> None:
    """The complaint names the key; the next answer counts."""
    model = FakeLanguageModel(a_review(a_quoted("x", severity="awful")), a_review(INDEX))

    review = await reviewed(model)

    assert len(review.findings) == 1
    assert review.usage.calls == 2
    assert model.complaints[0].startswith("findings[0].severity")


@pytest.mark.parametrize("error", [ModelOutputError("no"), ModelError("down")])
async def test_a_failing_model_is_an_error(error: ModelError) -> None:
    """The session keeps the static findings; nothing is made up here."""
    with pytest.raises(type(error)):
        await reviewed(FakeLanguageModel(error), SHELL)


async def test_marks_against_control_tokens_are_taken_out_of_the_answer() -> None:
    """Code that holds such a token is sent with a mark in it; what is quoted and suggested is the code as it was pasted."""
    code = 'STOP = "<|im_end|>"\n'

    def quoting(request: ModelRequest) -> dict[str, Any]:
        (sent,) = [line for line in request.user.split("\n") if line.startswith("STOP")]
        return a_review(a_quoted(sent, message=f"{sent} is wrong", suggestion=f"not {sent}"))

    (found,) = (await reviewed(FakeLanguageModel(quoting), code=code)).findings

    assert found.evidence == 'STOP = "<|im_end|>"'
    assert (found.message, found.suggestion) == ('STOP = "<|im_end|>" is wrong', 'not STOP = "<|im_end|>"')
