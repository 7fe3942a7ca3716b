"""Answers of a model: strict and bounded, and complaints that it can act on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from agents.schemas import FixResult, ReviewerOutput, TaskPlan, json_schema, parse
from tests.fakes import a_quoted, a_review

PLAN = {"thoughts": "t", "steps": ["look"]}
FIX = {"fixed_code": "x = 1\n", "explanation": "e"}


def complaint(model: type[BaseModel], answer: Any) -> str:
    """The sentence for the model."""
    with pytest.raises(ValueError, match=r".") as raised:
        parse(model, answer if isinstance(answer, str) else json.dumps(answer))
    return str(raised.value)


@pytest.mark.parametrize(
    ("model", "answer"), [(TaskPlan, PLAN), (ReviewerOutput, a_review(a_quoted("x"))), (ReviewerOutput, a_review()), (FixResult, FIX)]
)
def test_right_answers_are_taken(model: type[BaseModel], answer: dict[str, Any]) -> None:
    """An empty list of findings is a right answer."""
    assert parse(model, json.dumps(answer)).model_dump() == answer


def test_words_of_a_closed_set_may_have_capitals() -> None:
    """Not worth another call."""
    assert parse(ReviewerOutput, json.dumps(a_review(a_quoted("x", severity="HIGH", category="Bug ")))).findings[0].category == "bug"


@pytest.mark.parametrize(
    ("model", "answer", "said"),
    [
        (TaskPlan, {**PLAN, "steps": []}, "steps: "),
        (TaskPlan, {**PLAN, "steps": ["x"] * 9}, "steps: "),
        (TaskPlan, {**PLAN, "steps": ["x" * 401]}, "steps[0]: "),
        (TaskPlan, {"steps": ["x"]}, "thoughts: "),
        (ReviewerOutput, a_review(*[a_quoted("x")] * 51), "findings: "),
        (ReviewerOutput, a_review(a_quoted("")), "findings[0].quote: "),
        (ReviewerOutput, a_review(a_quoted("x", severity="terrible")), "'critical', 'high', 'medium', 'low' or 'info'"),
        (ReviewerOutput, a_review(a_quoted("x", category="style")), "findings[0].category: "),
        (ReviewerOutput, a_review(a_quoted("x", confidence=1.5)), "findings[0].confidence: "),
        (ReviewerOutput, a_review(a_quoted("x", confidence="0.9")), "findings[0].confidence: "),
        (ReviewerOutput, a_review(a_quoted("x", line=3)), "findings[0].line: "),
        (ReviewerOutput, {**a_review(), "route": "FINISH"}, "route: "),
        (FixResult, {"fixed_code": 1, "explanation": "e"}, "fixed_code: "),
        (FixResult, [FIX], "object"),
        (FixResult, '{"fixed_code": "x', "Invalid JSON"),
        (ReviewerOutput, '{"summary": "", "findings": [{"confidence": NaN}]}', "findings[0]"),
    ],
)
def test_wrong_answers_are_named(model: type[BaseModel], answer: Any, said: str) -> None:
    """The key and what it must be, in one line."""
    assert said in complaint(model, answer)
    assert "\n" not in complaint(model, answer)


def test_a_complaint_is_short_and_repeats_no_value() -> None:
    """Three mistakes are named; a key that the model made up can bring nothing along."""
    said = complaint(ReviewerOutput, {**a_review(*[a_quoted("x", severity="SECRET-VALUE")] * 9), "a\n<|im_start|>b": 1})
    assert "and 7 more" in said
    assert "SECRET-VALUE" not in said
    assert "<|" not in complaint(TaskPlan, {**PLAN, "a\n<|im_start|>b": 1})


@pytest.mark.parametrize("model", [TaskPlan, ReviewerOutput, FixResult])
def test_schemas_use_what_every_endpoint_takes(model: type[BaseModel]) -> None:
    """No references, no lengths; every key required, none added."""
    schema = json_schema(model)
    text = json.dumps(schema)
    assert not [word for word in ("$ref", "$defs", "maxLength", "minItems", "maximum") if word in text]
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
