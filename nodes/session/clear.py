"""Empty the task's fields; the session's stay."""

from __future__ import annotations

from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from state import SessionState


async def clear(state: SessionState) -> SessionState:
    """Forget the finished task: code, findings, messages. Writes: every field but summary and tasks_done."""
    return cleared()


def cleared() -> SessionState:
    """The fields of a task, empty. Also what ends a task that was cancelled."""
    return {
        "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],  # type: ignore[list-item]  # the reducer takes it, its type does not say so
        "task": {},
        "user_input_code": "",
        "current_code": "",
        "long_term_context": {},
        "match": {},
        "match_status": "",
        "plan": [],
        "next_worker": "",
        "history": [],
        "findings": [],
        "ignored": [],
        "silenced": [],
        "fix": None,
        "rejected": False,
        "saved": {},
        "notes": [],
        "reviewed": True,
        "usage": {},
        "error": None,
    }
