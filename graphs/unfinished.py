"""Tasks that a dead session left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.types import RESUME
from langgraph.types import StateSnapshot

from schema.task import Task

INPUT_NODE = "user_input"


@dataclass(frozen=True)
class UnfinishedTask:
    """An interrupted task of a session that no live process holds. `age_s` counts from its last checkpoint."""

    thread_id: str
    code: str
    language: str
    age_s: float


@dataclass(frozen=True)
class OpenTask:
    """What is known of an interrupted task. `answer` is the task when the graph has yet to take it in, else None."""

    task: Task
    values: Mapping[str, Any]
    at: datetime
    answer: Mapping[str, Any] | None = None


def open_task(snapshot: StateSnapshot, saved: CheckpointTuple | None) -> OpenTask | None:
    """The task that a thread was working on; None when it waited for one or had ended.

    A session that died just after it was resumed still stands at `user_input`; then the task is a pending write.
    """
    if not snapshot.next or saved is None:
        return None
    at = datetime.fromisoformat(saved.checkpoint["ts"])
    if INPUT_NODE not in snapshot.next:
        task = snapshot.values.get("task")
        return OpenTask(Task.from_plain(task), snapshot.values, at) if task else None
    answer = pending_answer(saved)
    return None if answer is None else OpenTask(Task.from_plain(answer), snapshot.values, at, answer)


def pending_answer(saved: CheckpointTuple) -> dict[str, Any] | None:
    """The task that was handed in and not yet taken up, if any."""
    for _, channel, value in reversed(saved.pending_writes or []):
        answer = value[-1] if isinstance(value, list) and value else value
        if channel == RESUME and isinstance(answer, dict) and "code" in answer:
            return answer
    return None
