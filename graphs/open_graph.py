"""The session graph compiled on the place where its checkpoints go: opened, run and closed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command

from graphs.seams import OpenSaver
from graphs.session import SessionGraph
from graphs.unfinished import Compiled
from state import Context, SessionState

NOT_STARTED = "the session was not started"


class OpenGraph:
    """One graph; `max_rounds` is the step budget of a run. It may be opened again on another place once it was closed."""

    def __init__(self, builder: SessionGraph, context: Context, max_rounds: int) -> None:
        self._builder = builder
        self._context = context
        self._max_rounds = max_rounds
        self._stack = AsyncExitStack()
        self._saver: BaseCheckpointSaver[str] | None = None
        self._graph: Compiled | None = None

    async def open(self, open_saver: OpenSaver) -> str:
        """Compile the graph on a saver; a sentence for the user, or empty. Raises: StorageFailedError."""
        self._saver, note = await self._stack.enter_async_context(open_saver())
        self._graph = self._builder.compile(checkpointer=self._saver)
        return note

    async def close(self) -> None:
        """Let go of the checkpoints. Raises: StorageFailedError."""
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()

    async def events(self, thread_id: str, given: Command[Any] | SessionState | None) -> AsyncIterator[tuple[str, Any]]:
        """What the graph reports until it waits or ends: pairs of mode and payload."""
        async for event in self.compiled.astream(
            given,
            self.config(thread_id),
            context=self._context,
            stream_mode=["tasks", "updates", "values"],
            durability="sync",
        ):
            mode, payload = event
            yield str(mode), payload

    def config(self, thread_id: str) -> RunnableConfig:
        """Thread and step budget of one run; nothing secret, since it is checkpointed."""
        return {"configurable": {"thread_id": thread_id}, "recursion_limit": self._max_rounds}

    async def drop(self, thread_id: str) -> None:
        """Delete what is kept of a thread, where anything is open. Raises: StorageFailedError."""
        if self._saver is not None:
            await self._saver.adelete_thread(thread_id)

    @property
    def compiled(self) -> Compiled:
        """The compiled graph. Raises: RuntimeError before it was opened."""
        if self._graph is None:
            raise RuntimeError(NOT_STARTED)
        return self._graph

    @property
    def saver(self) -> BaseCheckpointSaver[str]:
        """The checkpoints. Raises: RuntimeError before they were opened."""
        if self._saver is None:
            raise RuntimeError(NOT_STARTED)
        return self._saver
