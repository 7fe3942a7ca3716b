"""Have the code reviewed."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from errors import CodeMindError, ReviewerDisabledError
from nodes.session.failures import first_failure
from nodes.session.ignoring import set_apart
from nodes.session.spending import add_usage
from schema.assemble import NOT_REVIEWED
from schema.finding import Finding
from schema.finding_sets import by_place
from schema.match import Match
from schema.ports import ReviewRequest
from schema.task import Task
from state import Context, SessionState


class ReviewUpdate(TypedDict, total=False):
    """What `reviewer` writes."""

    history: list[str]
    findings: list[dict[str, Any]]
    ignored: list[dict[str, Any]]
    notes: list[str]
    usage: dict[str, Any]
    reviewed: bool
    error: dict[str, Any] | None


async def reviewer(state: SessionState, runtime: Runtime[Context]) -> ReviewUpdate:
    """Ask the reviewer, with the static findings as evidence. When it fails they are what the task has.

    It sees what the user has dismissed, too: a defect that it finds again is then known for the same one, and set apart again.
    Reads: task, findings, ignored, silenced, match, plan, summary. Writes: findings (its own merged in), ignored, notes, usage, history.
    """
    history = [*state.get("history", []), "reviewer"]
    notes = state.get("notes", [])
    try:
        review = await runtime.context.reviewer.review(review_request(state))
    except ReviewerDisabledError:
        return {"history": history, "reviewed": False, "notes": [*notes, NOT_REVIEWED]}
    except CodeMindError as error:
        return {"history": history, "error": first_failure(state, error)}
    findings, ignored, unread = await set_apart(Task.from_plain(state["task"]), review.findings, runtime.context)
    return {
        "history": history,
        "findings": [finding.as_plain() for finding in findings],
        "ignored": [finding.as_plain() for finding in ignored],
        "error": first_failure(state, review.failure if isinstance(review.failure, CodeMindError) else unread),
        "notes": [*notes, *review.notes],
        "usage": add_usage(state, review.usage),
    }


def review_request(state: SessionState) -> ReviewRequest:
    """What the reviewer gets to see."""
    return ReviewRequest(
        task=Task.from_plain(state["task"]),
        findings=by_place(Finding.from_plain(plain) for plain in (*state.get("findings", []), *state.get("ignored", []))),
        match=Match.from_plain(state["match"]),
        plan=tuple(state.get("plan", [])),
        summary=state.get("summary", ""),
        silenced=tuple(Finding.from_plain(plain) for plain in state.get("silenced", [])),
    )
