"""Whether two findings mean the same defect."""

from __future__ import annotations

import pytest

from agents.same_defect import same_defect, same_meaning, same_place
from schema.finding import Category, Finding
from tests.fakes import a_finding


def said(message: str, category: Category = "bug", rule_id: str = "model/bug", line: int = 3, last: int | None = None) -> Finding:
    """A finding that says something on a line."""
    return a_finding(line, rule_id, message=message, suggestion="", category=category, end_line=last or line)


@pytest.mark.parametrize(
    ("rule_id", "rule", "model"),
    [
        ("ruff/B006", "Do not use mutable data structures for argument defaults", "the list `seen` is shared between calls"),
        ("ruff/S307", "Use of possibly insecure function; consider using `ast.literal_eval`", "eval runs whatever the file holds"),
        ("bugs/index-past-end", "The index is one past the last element", "off by one: raises IndexError for every list"),
        ("bugs/division-by-length", "Division by len(xs) without a check", "raises ZeroDivisionError when nothing is given"),
        ("async/coroutine-not-awaited", "The coroutine `save` is never awaited", "nothing is saved, because await is missing"),
        ("reliability/response-body-not-closed", "The body of the response is not closed", "leaks a connection for each request"),
        ("text/bidi-control", "U+202E reorders what is shown", "a control character reorders what readers see"),
    ],
)
def test_one_defect_in_other_words_is_the_same(rule_id: str, rule: str, model: str) -> None:
    """By its subject, or by the words that tell."""
    assert same_defect(said(rule, rule_id=rule_id), said(model))


@pytest.mark.parametrize(
    ("rule", "model"),
    [
        ("Division by len(xs) without a check", "the result is rounded, so cents are lost"),
        ("A shell command is put together from variables", "the exit status is returned where callers want the output"),
        ("The loop runs in a subshell because of the pipe", "a file name with blanks is split"),
        ("mutable default argument", "callers that pass None crash"),
    ],
)
def test_another_defect_on_the_same_line_is_another(rule: str, model: str) -> None:
    """Nothing that a model adds gets lost in a neighbour."""
    assert not same_defect(said(rule), said(model))


def test_the_same_words_on_another_line_are_another_defect() -> None:
    """Places must overlap."""
    assert same_meaning(said("division by zero"), said("division by zero", line=9))
    assert not same_defect(said("division by zero"), said("division by zero", line=9))
    assert same_place(said("x", line=2, last=5), said("x", line=5))


def test_shared_words_do_not_join_security_and_bug() -> None:
    """Unless they speak of the same subject."""
    assert not same_meaning(said("the header name reaches the log", "security"), said("the header name reaches the cache"))
    assert same_meaning(said("the query is concatenated", "security"), said("wrong quoting in the sql text"))


def test_a_finding_about_a_whole_function_is_the_same_only_by_its_subject() -> None:
    """Overlapping it says little."""
    whole = said("the counter of retries never ends the loop of requests", last=30)
    assert not same_defect(whole, said("the counter of retries starts at one for requests", line=20))
    assert same_defect(said("division by zero", last=30), said("divides by an empty length", line=20))
