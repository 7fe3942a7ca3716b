"""Have what was found mended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict

from langgraph.runtime import Runtime

from errors import CodeMindError
from nodes.session.failures import first_failure, untested
from nodes.session.spending import add_usage
from nodes.session.unmended import unmended_note
from schema.finding import Finding
from schema.fix import REJECTED_NOTE, Fix
from schema.match import Match, PastFix
from schema.ports import ExperienceMemory, FixOutcome, FixRequest
from schema.task import Task
from state import Context, SessionState


class FixUpdate(TypedDict, total=False):
    """What `fixer` writes."""

    history: list[str]
    fix: dict[str, Any] | None
    rejected: bool
    current_code: str
    notes: list[str]
    usage: dict[str, Any]
    error: dict[str, Any] | None


async def fixer(state: SessionState, runtime: Runtime[Context]) -> FixUpdate:
    """Ask the fixer; what it returns has passed the verifier, and the user has not rejected it. When it fails the findings stay.

    Reads: task, findings, ignored, match, long_term_context, summary. Writes: fix, rejected, current_code, notes, usage, history, error.
    """
    history = [*state.get("history", []), "fixer"]
    request = fix_request(state, runtime.context)
    try:
        outcome = await without_rejected(await runtime.context.fixer.fix(request), request)
    except CodeMindError as error:
        return {"history": history, "error": first_failure(state, error)}
    left = await unmended_note(request.task, request.findings, outcome.fix, request.match, runtime.context)
    return {
        "history": history,
        "fix": None if outcome.fix is None else outcome.fix.as_plain(),
        "rejected": outcome.fix is None and outcome.rejected,
        "current_code": state["user_input_code"] if outcome.fix is None else outcome.fix.code,
        "notes": [*state.get("notes", []), *outcome.notes, *left],
        "usage": add_usage(state, outcome.usage),
        "error": first_failure(state, failure_of(outcome)),
    }


async def without_rejected(outcome: FixOutcome, request: FixRequest) -> FixOutcome:
    """The outcome without a fix that the user has rejected for this code, and with the sentence that says so."""
    if outcome.fix is not None and await asyncio.to_thread(request.is_rejected, outcome.fix.code):
        outcome = replace(outcome, fix=None, rejected=True)
    if outcome.fix is not None or not outcome.rejected:
        return outcome
    return replace(outcome, notes=(*outcome.notes, REJECTED_NOTE))


def failure_of(outcome: FixOutcome) -> CodeMindError | None:
    """Why the task is incomplete although there may be a fix."""
    return outcome.failure if isinstance(outcome.failure, CodeMindError) else untested(outcome.fix)


def fix_request(state: SessionState, context: Context) -> FixRequest:
    """What the fixer gets to see."""
    recalled = state["long_term_context"].get("fix")
    example = state["long_term_context"].get("example")
    task = Task.from_plain(state["task"])
    return FixRequest(
        task=task,
        findings=tuple(Finding.from_plain(plain) for plain in state.get("findings", [])),
        match=Match.from_plain(state["match"]),
        recalled=None if recalled is None else Fix.from_plain(recalled),
        example=None if example is None else PastFix(**example),
        summary=state.get("summary", ""),
        ignored=tuple(Finding.from_plain(plain) for plain in state.get("ignored", [])),
        mends=tuple(Finding.from_plain(plain) for plain in state["long_term_context"].get("mends", [])),
        is_rejected=partial(is_rejected, context.memory, task),
    )


def is_rejected(memory: ExperienceMemory | None, task: Task, fixed_code: str) -> bool:
    """True when the user has rejected this fix of this code; also past the memory, but not when it can't be read."""
    try:
        return memory is not None and memory.is_rejected(task.source, fixed_code)
    except CodeMindError:
        return False
