"""Have what was found mended."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from errors import CodeMindError
from nodes.session.failures import first_failure, untested
from nodes.session.spending import add_usage
from schema.finding import Finding
from schema.fix import Fix
from schema.match import Match, PastFix
from schema.ports import FixOutcome, FixRequest
from schema.task import Task
from state import Context, SessionState


class FixUpdate(TypedDict, total=False):
    """What `fixer` writes."""

    history: list[str]
    fix: dict[str, Any] | None
    current_code: str
    notes: list[str]
    usage: dict[str, Any]
    error: dict[str, Any] | None


async def fixer(state: SessionState, runtime: Runtime[Context]) -> FixUpdate:
    """Ask the fixer; what it returns has passed the verifier. When it fails the findings stay.

    Reads: task, findings, match, long_term_context, summary. Writes: fix, current_code, notes, usage, history, error.
    """
    history = [*state.get("history", []), "fixer"]
    try:
        outcome = await runtime.context.fixer.fix(fix_request(state))
    except CodeMindError as error:
        return {"history": history, "error": first_failure(state, error)}
    return {
        "history": history,
        "fix": None if outcome.fix is None else outcome.fix.as_plain(),
        "current_code": state["user_input_code"] if outcome.fix is None else outcome.fix.code,
        "notes": [*state.get("notes", []), *outcome.notes],
        "usage": add_usage(state, outcome.usage),
        "error": first_failure(state, failure_of(outcome)),
    }


def failure_of(outcome: FixOutcome) -> CodeMindError | None:
    """Why the task is incomplete although there may be a fix."""
    return outcome.failure if isinstance(outcome.failure, CodeMindError) else untested(outcome.fix)


def fix_request(state: SessionState) -> FixRequest:
    """What the fixer gets to see."""
    recalled = state["long_term_context"].get("fix")
    example = state["long_term_context"].get("example")
    return FixRequest(
        task=Task.from_plain(state["task"]),
        findings=tuple(Finding.from_plain(plain) for plain in state.get("findings", [])),
        match=Match.from_plain(state["match"]),
        recalled=None if recalled is None else Fix.from_plain(recalled),
        example=None if example is None else PastFix(**example),
        summary=state.get("summary", ""),
    )
