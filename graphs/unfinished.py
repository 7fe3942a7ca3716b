"""Tasks that a dead session left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.types import RESUME
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from errors import InputInvalidError
from graphs.seams import Locks
from schema.task import Task
from state import Context, SessionState

Compiled = CompiledStateGraph[SessionState, Context, SessionState, SessionState]

INPUT_NODE = "user_input"
LAST_NODE = "clear"
"""Before it a checkpoint holds all that a task has come to."""
NOT_UNFINISHED = "There is no unfinished task of that name, or another window has taken it up."


@dataclass(frozen=True)
class UnfinishedTask:
    """An interrupted task of a session that no live process holds. `age_s` counts from its last checkpoint.

    `finished`: it went through, and its session died before the record can have been shown; resuming it only gives the record.
    """

    thread_id: str
    task: Task
    age_s: float
    finished: bool = False

    @property
    def code(self) -> str:
        """The paste, prepared."""
        return self.task.code

    @property
    def language(self) -> str:
        """Its language."""
        return self.task.language


@dataclass(frozen=True)
class OpenTask:
    """What is known of an interrupted task. `answer` is the task when the graph has yet to take it in, else None.

    `finished`: there is nothing left to do but to show what `values` hold.
    """

    task: Task
    values: Mapping[str, Any]
    at: datetime
    answer: Mapping[str, Any] | None = None
    finished: bool = False


def open_task(snapshot: StateSnapshot, saved: CheckpointTuple | None) -> OpenTask | None:
    """The task that a thread was working on; None when it waited for one or had ended.

    A session that died just after it was resumed still stands at `user_input`; then the task is a pending write. One that
    died between a node's end and the next checkpoint has no next node at all.
    """
    if saved is None:
        return None
    at = datetime.fromisoformat(saved.checkpoint["ts"])
    task = snapshot.values.get("task")
    if task and INPUT_NODE not in snapshot.next:
        return OpenTask(Task.from_plain(task), snapshot.values, at)
    answer = pending_answer(saved)
    return None if answer is None else OpenTask(Task.from_plain(answer), snapshot.values, at, answer)


def pending_answer(saved: CheckpointTuple) -> dict[str, Any] | None:
    """The task that was handed in and not yet taken up, if any."""
    for _, channel, value in reversed(saved.pending_writes or []):
        answer = value[-1] if isinstance(value, list) and value else value
        if channel == RESUME and isinstance(answer, dict) and "code" in answer:
            return answer
    return None


class LeftBehind:
    """The tasks of dead sessions in one file of checkpoints. A session is dead when its lock is free."""

    def __init__(self, graph: Compiled, saver: BaseCheckpointSaver[str], locks: Locks) -> None:
        self._graph = graph
        self._saver = saver
        self._locks = locks

    async def find(self) -> list[UnfinishedTask]:
        """All of them, newest first. Dead sessions without a task are deleted. Raises: StorageFailedError."""
        found: list[tuple[str, OpenTask]] = []
        for thread_id in await self._threads():
            if not self._locks.acquire(thread_id):
                continue
            try:
                left = await self._open_task(thread_id)
                if left is None:
                    await self._saver.adelete_thread(thread_id)
                else:
                    found.append((thread_id, left))
            finally:
                self._locks.release(thread_id)
        now = datetime.now(UTC)
        ordered = sorted(found, key=lambda pair: pair[1].at, reverse=True)
        return [UnfinishedTask(name, left.task, (now - left.at).total_seconds(), left.finished) for name, left in ordered]

    async def claim(self, thread_id: str) -> OpenTask:
        """Take a task over, with its lock. Raises: InputInvalidError when it is not there or not dead."""
        if not self._locks.acquire(thread_id):
            raise InputInvalidError(NOT_UNFINISHED)
        left = await self._open_task(thread_id)
        if left is None:
            self._locks.release(thread_id)
            raise InputInvalidError(NOT_UNFINISHED)
        return left

    async def drop(self, thread_id: str) -> None:
        """Delete a claimed task. Raises: StorageFailedError."""
        await self._saver.adelete_thread(thread_id)

    def release(self, thread_id: str) -> None:
        """Give a claimed task's lock back."""
        self._locks.release(thread_id)

    async def _threads(self) -> list[str]:
        """Threads of all sessions, dead or alive. Raises: StorageFailedError."""
        return list({str(saved.config["configurable"]["thread_id"]): None async for saved in self._saver.alist(None)})

    async def _open_task(self, thread_id: str) -> OpenTask | None:
        """What a thread was working on, or has finished without showing it. Raises: StorageFailedError."""
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        left = open_task(await self._graph.aget_state(config), await self._saver.aget_tuple(config))
        return left or await self._unshown(config)

    async def _unshown(self, config: RunnableConfig) -> OpenTask | None:
        """The task that went through last, when the checkpoints of its steps are still there: the driver prunes them once the caller
        has had the record and gone on."""
        async for snapshot in self._graph.aget_state_history(config):
            task = snapshot.values.get("task")
            if task and snapshot.next == (LAST_NODE,) and snapshot.created_at:
                return OpenTask(Task.from_plain(task), snapshot.values, datetime.fromisoformat(snapshot.created_at), finished=True)
        return None
