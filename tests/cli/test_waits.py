"""Waits for a busy model are told in a pipe."""

from __future__ import annotations

import pytest

from tests.cli.harness import CommandLine
from tests.cli.test_model_session import ANSWERS, MENDED, SECOND, with_model
from tests.model_replies import Reply
from tests.model_server import ModelServer


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_wait_is_one_line_on_standard_error(codemind: CommandLine, arguments: list[str]) -> None:
    """However long it takes, and standard output is the report alone."""
    with ModelServer(Reply("429", role="review", retry_after="1.5"), answers=ANSWERS) as server:
        ran = with_model(codemind, server).run(*arguments, stdin=SECOND)

    assert ran.status == 0
    assert [line for line in ran.err.splitlines() if "busy" in line] == ["codemind: the model is busy; attempt 2 of 3 in 2 s"]
    assert "busy" not in ran.out
    if arguments:
        assert ran.record["fix"]["code"] == MENDED


def test_an_endpoint_that_gives_no_answer_is_not_called_busy(codemind: CommandLine) -> None:
    """What is waited for is said: a problem of the endpoint, or an answer that did not come in time."""
    with ModelServer(Reply("500", role="review", retry_after="1"), answers=ANSWERS) as server:
        ran = with_model(codemind, server).run("--json", stdin=SECOND)

    assert "codemind: the model's endpoint has a problem of its own; attempt 2 of 3 in 1 s\n" in ran.err
    assert "busy" not in ran.err


def test_waits_of_a_batch_are_told_too(codemind: CommandLine) -> None:
    """Each of two tasks that wait at a time has its line."""
    lines = "".join(f'{{"id": {number}, "code": "def last_index{number}(xs):\\n    return len(xs)\\n"}}\n' for number in (1, 2))
    with ModelServer(*[Reply("429", role="plan", retry_after="1") for _ in range(2)], answers=ANSWERS) as server:
        ran = with_model(codemind, server).run("batch", "-", "--json", "--jobs", "2", stdin=lines)

    assert ran.err.count("codemind: the model is busy; attempt 2 of 3 in 1 s\n") == 2
    assert len(ran.records) == 2
