"""Wait for the next task."""

from __future__ import annotations

from typing import Any, Final, TypedDict

from langgraph.types import interrupt

from state import SessionState

QUIT: Final = {"quit": True}
"""What the driver resumes with when the session ends."""


class TaskUpdate(TypedDict):
    """What `user_input` writes. `user_input_code` is never changed afterwards; `current_code` is the working copy."""

    task: dict[str, Any]
    user_input_code: str
    current_code: str


def user_input(state: SessionState) -> TaskUpdate:
    """Stop until the session is resumed with a task (`Task.as_plain()`), or with `QUIT`.

    The node starts from its top on resume: `interrupt` is all it does. Writes: task, user_input_code, current_code.
    """
    answer: dict[str, Any] = interrupt({"tasks_done": state.get("tasks_done", 0)})
    task = {} if answer == QUIT else answer
    code = task.get("code", "")
    return {"task": task, "user_input_code": code, "current_code": code}
