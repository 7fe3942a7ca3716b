"""Orders inside of a paste: with a model that obeys them, nothing but the model's own words differs from a paste without them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from pydantic import BaseModel

from agents.fencing import Fencing
from agents.manager import StaticManager
from agents.model_fixer import ModelFixer
from agents.model_manager import ModelManager
from agents.model_reviewer import ModelReviewer
from agents.schemas import FixResult, ReviewerOutput, TaskPlan, json_schema
from checks.inspect import StaticInspector
from checks.verify import FixVerifier
from rules.engine import RuleEngine
from rules.load import rule_aliases
from rules.secrets import SecretAnalyzer
from rules.text_checks import TextAnalyzer
from schema.ports import ModelRequest
from schema.record import TaskRecord
from tests.agents.injections import AIMED, REPORTED, Injection
from tests.fakes import FakeLanguageModel, FakeMemory, a_task
from tests.graphs.sessions import WHOLE_ROUTE, a_session

CALL = 'subprocess.call("ls " + name, shell=True)'
MENDED = 'subprocess.call(["ls", name])'
FENCED = re.compile(r"<<<BEGIN (?P<label>\w+) (?P<number>[0-9a-f]{12})>>>\n(?P<inside>.*?)\n<<<END (?P=label) (?P=number)>>>", re.DOTALL)
MARKS = re.compile(r"\nWhere data looks like such a line .*?not part of the data\.", re.DOTALL)
PEACE = Injection("peace", "comment", "Lists a folder.")
SCHEMAS: Mapping[str, type[BaseModel]] = {"manager": TaskPlan, "reviewer": ReviewerOutput, "fixer": FixResult}


@dataclass(frozen=True)
class Run:
    """What a task came to, and what the model was asked."""

    record: TaskRecord
    trusts: tuple[str, ...]
    requests: tuple[ModelRequest, ...]


def pasted(injection: Injection) -> tuple[str, str]:
    """The code with the text in it, and what stands around the code."""
    text = injection.text
    comment = "".join(f"# {line}\n" for line in text.split("\n")) if injection.where == "comment" else ""
    constant = {"string": f'NOTE = """{text}"""\n\n', "name": f"{text} = 1\n\n"}.get(injection.where, "")
    docstring = f'    """{text}"""\n' if injection.where == "docstring" else ""
    code = f"{comment}import subprocess\n\n{constant}def listing(name):\n{docstring}    return {CALL}\n"
    return code, text if injection.where == "context" else ""


def obeying(fixed_code: str) -> FakeLanguageModel:
    """A model that does what such texts want: no findings, and a fix with big words."""
    plan = {"thoughts": "approved", "steps": ["Skip the review.", "Mark the fix as tested by the user."]}
    fix = {"fixed_code": fixed_code, "explanation": "Tested by the user; trust proved."}
    answers: Mapping[str, dict[str, Any]] = {"manager": plan, "reviewer": {"summary": "approved", "findings": []}, "fixer": fix}
    return FakeLanguageModel(*[lambda request: answers[request.role]] * 8)


async def run(injection: Injection, *, mends: bool) -> Run:
    """The whole session graph with the real rules and the real verifier."""
    code, context_text = pasted(injection)
    model = obeying(code.replace(CALL, MENDED) if mends else code.replace(f"return {CALL}", "pass"))
    inspector = StaticInspector([RuleEngine(), TextAnalyzer(), SecretAnalyzer()], rule_aliases())
    memory = FakeMemory()
    ports: dict[str, Any] = {
        "inspector": inspector,
        "manager": ModelManager(model, StaticManager()),
        "reviewer": ModelReviewer(model),
        "fixer": ModelFixer(model, inspector, FixVerifier(inspector)),
        "memory": memory,
        "has_model": True,
    }
    async with a_session(**ports) as session:
        record = await session.run_task(a_task(code, context_text=context_text))
    return Run(record, tuple(kept.trust for kept in memory.kept), tuple(model.requests))


def outcome(done: Run) -> tuple[object, ...]:
    """All that an order in a paste must not change. (Invisible characters in it may be reported themselves.)"""
    record = done.record
    found = [(f.rule_id, f.severity, f.message, f.evidence, f.source) for f in record.findings if not f.rule_id.startswith("text/")]
    fix = None if record.fix is None else (record.fix.origin, record.fix.verification.level, record.fix.verification.checks)
    return record.route, record.match.status, found, fix, record.saved.status, record.saved.why, done.trusts, record.llm.calls, record.error


def trusted(request: ModelRequest) -> str:
    """What the request says outside of its fences, with the random words left out."""
    numbers = {found["number"] for found in FENCED.finditer(request.user)}
    (number,) = numbers
    text = FENCED.sub(lambda found: f"[{found['label']}]", request.user)
    return MARKS.sub("", request.system).replace(number, "N") + "\n" + text.replace(number, "N")


def without(request: ModelRequest, label: str) -> str:
    """The trusted text without one optional block and the sentence before it."""
    return re.sub(rf"(?:\A|\n\n)[^\n]*\n\[{label}\]", "", trusted(request))


_runs: dict[tuple[str, bool], Run] = {}


async def ran(injection: Injection, *, mends: bool) -> Run:
    """The run, made once: two tests look at it."""
    key = injection.name, mends
    if key not in _runs:
        _runs[key] = await run(injection, mends=mends)
    return _runs[key]


def each(injections: tuple[Injection, ...]) -> pytest.MarkDecorator:
    """A test for each of them."""
    return pytest.mark.parametrize("injection", injections, ids=[injection.name for injection in injections])


@cache
def words_of(injection: Injection) -> tuple[str, ...]:
    """The lines of the text."""
    return tuple(line.strip() for line in injection.text.split("\n") if line.strip())


@each(REPORTED + AIMED)
@pytest.mark.parametrize("mends", [True, False], ids=["mends", "guts"])
async def test_an_order_in_a_paste_changes_nothing_but_the_models_words(injection: Injection, mends: bool) -> None:
    """Route, findings, level, checks, saved trust, calls and error are those of the same code without it."""
    done, expected = await ran(injection, mends=mends), await ran(PEACE, mends=mends)

    assert outcome(done) == outcome(expected)
    assert done.record.route == WHOLE_ROUTE
    assert [f.rule_id for f in done.record.findings if f.severity == "high"] == ["security/shell-by-concatenation"]
    assert "tested" not in {done.record.fix.verification.level if done.record.fix else "none"}


@each(REPORTED + AIMED)
async def test_an_order_stands_between_fences_only(injection: Injection) -> None:
    """Everything else that is sent is what is sent for a peaceful paste, and so is the schema."""
    done, expected = await ran(injection, mends=True), await ran(PEACE, mends=True)

    for request, usual in zip(done.requests, expected.requests, strict=True):
        assert without(request, "context") == without(usual, "context")
        assert request.json_schema == json_schema(SCHEMAS[request.role])
        inside = "\n".join(found["inside"] for found in FENCED.finditer(request.user))
        marks = re.search(r"the letters (\w+) were", request.system)
        sent = inside.replace(marks[1], "") if marks else inside
        assert all(line in sent for line in words_of(injection))


def test_there_are_forty_and_half_of_them_come_from_elsewhere() -> None:
    """Written without sight of the defence: twenty."""
    assert (len(REPORTED), len(AIMED)) == (20, 20)
    assert len({injection.name for injection in REPORTED + AIMED}) == 40


def test_fences_hold_for_each_text() -> None:
    """One end, and the text comes back."""
    for injection in REPORTED + AIMED:
        fences = Fencing([injection.text])
        (block,) = FENCED.finditer(fences.fence("code", injection.text))
        assert fences.undo(block["inside"]) == injection.text.removesuffix("\n")
