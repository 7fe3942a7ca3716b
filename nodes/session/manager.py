"""Decide who works next, and have the plan written when a reviewer will read it."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from errors import CodeMindError
from nodes.session.failures import first_failure
from nodes.session.routes import route
from nodes.session.spending import add_usage
from schema.match import Match
from schema.ports import PlanRequest
from schema.task import Task
from state import Context, SessionState


class PlanUpdate(TypedDict, total=False):
    """What `manager` writes; only `next_worker` unless a plan was made."""

    next_worker: str
    plan: list[str]
    usage: dict[str, Any]
    notes: list[str]
    error: dict[str, Any] | None


async def manager(state: SessionState, runtime: Runtime[Context]) -> PlanUpdate:
    """Take the route that the facts give. A plan that fails costs nothing but itself.

    Reads: match, history, findings, fix, summary, notes. Writes: next_worker, plan, usage, notes.
    """
    match, task = Match.from_plain(state["match"]), Task.from_plain(state["task"])
    worker = route(
        match,
        state.get("history", []),
        found=bool(state.get("findings")),
        has_fix=state.get("fix") is not None,
        has_model=runtime.context.has_model,
        chosen=bool(task.chosen),
    )
    if worker != "reviewer":
        return {"next_worker": worker}
    request = PlanRequest(task, match, state.get("summary", ""))
    try:
        plan = await runtime.context.manager.plan(request)
    except CodeMindError as error:
        return {"next_worker": worker, "error": first_failure(state, error)}
    notes = [*state.get("notes", []), *plan.notes]
    return {"next_worker": worker, "plan": plan.steps, "usage": add_usage(state, plan.usage), "notes": notes}
