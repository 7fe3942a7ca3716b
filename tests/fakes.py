"""Fakes of the ports, and short ways to make the values that tests are about."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from errors import CodeMindError, ModelOutputError
from schema.experience import Experience, Judged, Saved
from schema.finding import Finding, Severity, SuggestedFix, TextEdit
from schema.fix import FAILED_BEFORE, PASSED_BEFORE, Check, Fix, Level, Origin, Verification
from schema.match import Match, Region, Status
from schema.ports import FixOutcome, FixRequest, Inspection, ModelRequest, Plan, PlanRequest, Recalled, Review, ReviewRequest
from schema.record import Usage
from schema.source import Source
from schema.task import Task
from state import Context, SessionState

T = TypeVar("T")
Said = str | dict[str, Any] | CodeMindError
Answer = Said | Callable[[ModelRequest], Said]

BUGGY = "def mean(values):\n    return sum(values) / len(values)\n"
FIXED = "def mean(values):\n    if not values:\n        return 0\n    return sum(values) / len(values)\n"


def a_task(code: str = BUGGY, **changes: Any) -> Task:
    """A task with Python code; `changes` are fields of Task."""
    return replace(Task(id="1", code=code, language="python"), **changes)


def a_finding(line: int = 2, rule_id: str = "bugs/division", severity: Severity = "medium", **changes: Any) -> Finding:
    """A finding on one line, without a fix unless `fix` is given."""
    found = Finding(
        path="paste",
        start_line=line,
        end_line=line,
        start_column=1,
        end_column=2,
        severity=severity,
        category="bug",
        rule_id=rule_id,
        message="may divide by zero",
        suggestion="guard the division",
        evidence=f"line {line}",
        confidence=0.9,
        source=f"rule:{rule_id}@1",
    )
    return replace(found, **changes)


def replacing(line: int, old: str, new: str) -> SuggestedFix:
    """A safe fix that replaces the first `len(old)` characters of a line."""
    return SuggestedFix((TextEdit(line, 1, line, len(old) + 1, new),), "safe")


def verified(level: Level = "clean", *, tests: bool | None = None, passed_before: bool = False) -> Verification:
    """An accepted verification; `tests` adds the outcome of a test command, `passed_before` that of the same on the unfixed code."""
    checks = [Check("parses", passed=True)]
    if tests is not None:
        detail = PASSED_BEFORE if passed_before else f"{FAILED_BEFORE}fails with exit status 1"
        checks.append(Check("tests", tests, detail if tests else "fails with exit status 1"))
    return Verification(level, tuple(checks), basis="basis")


def a_fix(code: str = FIXED, origin: Origin = "rules", verification: Verification | None = None, **changes: Any) -> Fix:
    """A fix, verified as clean unless told otherwise."""
    return replace(Fix(code, "Guarded the division.", origin, verification or verified()), **changes)


def a_region(status: Status = "SIMILAR", fixed_code: str | None = FIXED, **changes: Any) -> Region:
    """A region over the first two lines."""
    region = Region(1, 2, status, "exact" if status == "IDENTICAL" else "renamed", "e1", 1, "plausible", fixed_code)
    return replace(region, **changes)


def a_match(status: Status = "IDENTICAL", coverage: float = 1.0, fixed_code: str | None = FIXED, **changes: Any) -> Match:
    """A hit with one region, or the NONE of an unknown paste."""
    if status == "NONE":
        return replace(Match(), **changes)
    region = a_region(status, fixed_code)
    match = Match(status, region.tier, "e1", 1.0, coverage=coverage, regions=(region,), trust="plausible")
    return replace(match, **changes)


class FakeInspector:
    """Finds what a function of the text says; counts its runs."""

    def __init__(self, find: Callable[[str], Sequence[Finding]] = lambda _: (), error: CodeMindError | None = None) -> None:
        self._find = find
        self._error = error
        self.seen: list[Source] = []

    def inspect(self, source: Source) -> Inspection:
        """The findings, or the error."""
        self.seen.append(source)
        if self._error is not None:
            raise self._error
        return Inspection(tuple(self._find(source.text)), ("fake linter",))

    def basis(self) -> str:
        """A fixed digest."""
        return "basis"


class FakeVerifier:
    """Judges a fix by a function of (before, after, test_cmd); remembers what it was asked."""

    def __init__(self, judge: Callable[[str, str, str | None], Verification] = lambda *_: verified()) -> None:
        self._judge = judge
        self.asked: list[tuple[str, str, str | None]] = []

    def verify(
        self,
        before: Source,
        after: str,
        *,
        findings: Sequence[Finding] = (),
        test_cmd: str | None = None,
        file: str | None = None,
    ) -> Verification:
        """The judgement."""
        self.asked.append((before.text, after, test_cmd))
        return self._judge(before.text, after, test_cmd)

    def basis(self) -> str:
        """A fixed digest."""
        return "basis"


class FakeMemory:
    """Knows what it is told, keeps what it is given, fails when it is told to."""

    def __init__(
        self,
        recalled: Recalled | None = None,
        *,
        recall_error: CodeMindError | None = None,
        save_error: CodeMindError | None = None,
        while_saving: Callable[[], None] = lambda: None,
    ) -> None:
        self._recalled = recalled or Recalled(Match())
        self._recall_error = recall_error
        self._save_error = save_error
        self._while_saving = while_saving
        self.kept: list[Experience] = []
        self.used: list[Match] = []
        self.undone: list[Saved] = []
        self.rejected: set[str] = set()
        self.judged: list[tuple[int | None, bool, str]] = []
        self.confirmed: list[Match] = []
        self.test_cmds: list[str | None] = []

    def recall(self, source: Source, *, test_cmd: str | None = None, file: str | None = None) -> Recalled:
        """What it was told to know, or the error."""
        self.test_cmds.append(test_cmd)
        if self._recall_error is not None:
            raise self._recall_error
        return self._recalled

    def remember(self, experience: Experience) -> Saved:
        """Keep the experience."""
        self._while_saving()
        if self._save_error is not None:
            raise self._save_error
        self.kept.append(experience)
        return Saved("added", f"e{len(self.kept)}", None, len(self.kept))

    def mark_used(self, match: Match) -> None:
        """Count the use."""
        if self._save_error is not None:
            raise self._save_error
        self.used.append(match)

    def undo(self, saved: Saved) -> bool:
        """Note what was taken back."""
        self.undone.append(saved)
        return True

    def judge(
        self,
        alternative_id: int | None,
        *,
        accepted: bool,
        source: Source | None = None,
        fixed_code: str = "",
        here_only: bool = False,
    ) -> Judged | None:
        """Note the verdict; a rejected code is rejected from now on."""
        self.judged.append((alternative_id, accepted, fixed_code))
        if fixed_code and not accepted:
            self.rejected.add(fixed_code)
        return Judged(alternative_id, accepted, "plausible", "", fixed_code)

    def take_back(self, judged: Judged) -> bool:
        """Reject it no more."""
        self.rejected.discard(judged.key)
        return True

    def is_rejected(self, source: Source, fixed_code: str) -> bool:
        """True for what was rejected."""
        return fixed_code in self.rejected

    def confirm(self, source: Source, match: Match, verification: Verification) -> bool:
        """Note whose trust was raised."""
        self.confirmed.append(match)
        return True


class FakeVerdicts:
    """Remembers dismissed findings by their fingerprints, whatever the code."""

    def __init__(self, *fingerprints: str, error: CodeMindError | None = None) -> None:
        self.kept = set(fingerprints)
        self._error = error

    def dismiss(self, source: Source, findings: Sequence[Finding]) -> None:
        """Keep them."""
        self.kept |= {found.fingerprint for found in findings}

    def restore(self, source: Source, findings: Sequence[Finding]) -> None:
        """Drop them."""
        self.kept -= {found.fingerprint for found in findings}

    def dismissed(self, source: Source, findings: Sequence[Finding]) -> frozenset[str]:
        """Those that are kept, or the error."""
        if self._error is not None:
            raise self._error
        return frozenset(found.fingerprint for found in findings) & self.kept


class FakeManager:
    """Plans one step."""

    def __init__(self, error: CodeMindError | None = None) -> None:
        self._error = error
        self.requests: list[PlanRequest] = []

    async def plan(self, request: PlanRequest) -> Plan:
        """One step for one call, or the error."""
        self.requests.append(request)
        if self._error is not None:
            raise self._error
        return Plan(["look at the loop"], Usage(1, 10, 5, 0.25))


class FakeReviewer:
    """Adds its findings to those it is given, or fails."""

    def __init__(self, findings: Sequence[Finding] = (), error: CodeMindError | None = None) -> None:
        self._findings = tuple(findings)
        self._error = error
        self.requests: list[ReviewRequest] = []

    async def review(self, request: ReviewRequest) -> Review:
        """All findings, for one call; or the error."""
        self.requests.append(request)
        if self._error is not None:
            raise self._error
        return Review((*request.findings, *self._findings), Usage(1, 100, 50, None), ("reviewed",))


class FakeFixer:
    """Proposes the fix it was given, or fails."""

    def __init__(self, fix: Fix | None = None, error: CodeMindError | None = None) -> None:
        self._fix = fix
        self._error = error
        self.requests: list[FixRequest] = []

    async def fix(self, request: FixRequest) -> FixOutcome:
        """The fix, or the error."""
        self.requests.append(request)
        if self._error is not None:
            raise self._error
        return FixOutcome(self._fix, notes=("tried",))


def a_context(**changes: Any) -> Context:
    """Ports that find nothing and know nothing; `changes` are fields of Context."""
    context = Context(
        inspector=FakeInspector(),
        manager=FakeManager(),
        reviewer=FakeReviewer(),
        fixer=FakeFixer(),
        memory=FakeMemory(),
        provider="static",
        session_id="session-1",
    )
    return replace(context, **changes)


def a_state(**changes: Any) -> SessionState:
    """The state of a task that memory does not know and in which nothing was found; `changes` are its keys."""
    state: dict[str, Any] = {
        "summary": "",
        "tasks_done": 0,
        "task": a_task().as_plain(),
        "user_input_code": BUGGY,
        "current_code": BUGGY,
        "long_term_context": {"fix": None, "example": None},
        "match": Match().as_plain(),
        "match_status": "NONE",
        "findings": [],
        "fix": None,
    }
    return SessionState(**{**state, **changes})  # type: ignore[typeddict-item]  # built from parts, read by nodes


class FakeLanguageModel:
    """Gives its answers one after another: a dict or text is what it says, an error what it raises; a function is asked with the request.

    As the real one: an answer that `parse` refuses is repaired once, by the next answer. Every answer counts as a call.
    """

    name = "fake-1"
    host = "models.test"

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[ModelRequest] = []
        self.complaints: list[str] = []
        self.calls = 0

    def begin(self, task_id: str) -> None:
        """Nothing to prepare."""

    async def ask(self, request: ModelRequest, parse: Callable[[str], T]) -> T:
        """The next answer, parsed."""
        self.requests.append(request)
        try:
            return parse(self._next(request))
        except ValueError as fault:
            self.complaints.append(str(fault))
        try:
            return parse(self._next(request))
        except ValueError as fault:
            self.complaints.append(str(fault))
            raise ModelOutputError("The model's answer could not be used.") from None

    def usage(self, task_id: str) -> Usage:
        """A hundred tokens in, ten out and a quarter dollar a call."""
        return Usage(self.calls, 100 * self.calls, 10 * self.calls, 0.25 * self.calls)

    def _next(self, request: ModelRequest) -> str:
        self.calls += 1
        answer = self._answers.pop(0)
        said = answer(request) if callable(answer) else answer
        if isinstance(said, CodeMindError):
            raise said
        return said if isinstance(said, str) else json.dumps(said)


def a_quoted(quote: str, **changes: Any) -> dict[str, Any]:
    """One finding as a model gives it."""
    finding = {
        "quote": quote,
        "message": "the last index is len - 1",
        "severity": "high",
        "category": "bug",
        "suggestion": "subtract one",
        "confidence": 0.9,
    }
    return {**finding, **changes}


def a_review(*findings: dict[str, Any]) -> dict[str, Any]:
    """A reviewer's answer."""
    return {"summary": "looked at it", "findings": list(findings)}
