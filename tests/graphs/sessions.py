"""Sessions to test with: the real graph and checkpoints, fakes behind the ports."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata

from errors import StorageFailedError
from graphs.driver import SessionDriver
from graphs.session import build_session
from integrations.checkpoints import PruningSaver, open_checkpoints, scratch_checkpoints
from integrations.session_locks import SessionLocks
from tests.fakes import FakeFixer, FakeInspector, a_context, a_finding, a_fix

WHOLE_ROUTE = (
    *("retrieve_memory", "manager", "reviewer", "manager", "fixer", "manager"),
    *("save_experience", "summarize", "clear"),
)


def a_session(
    home: Path | None = None, *, session_id: str = "session-1", rounds: int = 50, trace: Any = None, **ports: Any
) -> SessionDriver:
    """A session that finds one defect and fixes it; on disk when there is a home."""
    found = {"inspector": FakeInspector(lambda _: [a_finding()]), "fixer": FakeFixer(a_fix()), **ports}
    return SessionDriver(
        build_session(),
        a_context(session_id=session_id, **found),
        open_saver=scratch_checkpoints if home is None else partial(open_checkpoints, home / "sessions.sqlite3"),
        scratch_saver=scratch_checkpoints,
        locks=None if home is None else SessionLocks(home / "locks"),
        trace=trace,
        max_rounds=rounds,
    )


class FailingSaver(PruningSaver):
    """Fails when told to, as a full disk does."""

    fails: Callable[[], bool] = staticmethod(lambda: False)

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """As the base class, or StorageFailedError."""
        if self.fails():
            raise StorageFailedError("the disk is full")
        return await super().aput(config, checkpoint, metadata, new_versions)


@asynccontextmanager
async def failing_checkpoints(fails: Callable[[], bool]) -> AsyncIterator[tuple[PruningSaver, str]]:
    """Checkpoints in memory that fail while `fails()`."""
    async with scratch_checkpoints() as (saver, note):
        failing = FailingSaver(saver.conn)
        failing.fails = fails
        yield failing, note
