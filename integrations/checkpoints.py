"""Where the session graph keeps its checkpoints: one private SQLite file, pruned while the session waits for input.

The file holds unfinished tasks only. Measured: unpruned, 1,000 tasks leave 54 MB; each checkpoint is a full copy of the state.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from errors import StorageFailedError
from integrations.private import private_folder

BUSY_TIMEOUT_S = 5.0
"""How long a write waits for another session's write; each takes about a millisecond."""
SIDE_FILES = ("-wal", "-shm")
NOT_KEPT = "The session could not be kept on disk (full, read-only, locked or damaged); an interrupted task could not be resumed."
DAMAGED_NOTE = "the file of unfinished tasks was damaged; it was moved to {name}"

SETTINGS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",  # a killed process loses nothing; after a power cut an unfinished review may be lost
    "PRAGMA secure_delete=ON",
)
KEEP_LATEST = {
    table: f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id <> "  # noqa: S608 - the table names are the two below
    f"(SELECT max(newest.checkpoint_id) FROM checkpoints newest WHERE newest.thread_id = {table}.thread_id"
    f" AND newest.checkpoint_ns = {table}.checkpoint_ns)"
    for table in ("writes", "checkpoints")
}


class PruningSaver(AsyncSqliteSaver):
    """The SQLite saver with `aprune`, private on disk, and with one error for everything that fails there."""

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each thread (with what is pending on it), or none with strategy "delete".

        The graph uses no DeltaChannel, so nothing that is kept rests on what goes. Raises: StorageFailedError, ValueError.
        """
        if strategy not in {"keep_latest", "delete"}:
            raise ValueError(f"unknown pruning strategy {strategy}")
        async with self._failures_named():
            await self.setup()
            async with self.lock:
                for thread_id in thread_ids:
                    await self._delete(str(thread_id), strategy)
                await self.conn.commit()
                await self._truncate()

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread, from the file too. Raises: StorageFailedError."""
        await self.aprune([thread_id], strategy="delete")

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As the base class. Raises: StorageFailedError."""
        async with self._failures_named():
            return await super().aget_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As the base class. Raises: StorageFailedError."""
        async with self._failures_named():
            async for found in super().alist(config, filter=filter, before=before, limit=limit):
                yield found

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """As the base class. Raises: StorageFailedError."""
        async with self._failures_named():
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        """As the base class. Raises: StorageFailedError."""
        async with self._failures_named():
            await super().aput_writes(config, writes, task_id, task_path)

    async def _delete(self, thread_id: str, strategy: str) -> None:
        """Two statements, writes first: which are current is read from the checkpoints."""
        for table, keep_latest in KEEP_LATEST.items():
            statement = keep_latest if strategy == "keep_latest" else f"DELETE FROM {table} WHERE thread_id = ?"  # noqa: S608 - as above
            await self.conn.execute(statement, (thread_id,))

    async def _truncate(self) -> None:
        """Empty the write-ahead log, where deleted text would stay. Another session's reader may prevent it this time."""
        async with self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)") as cursor:
            await cursor.fetchall()

    @asynccontextmanager
    async def _failures_named(self) -> AsyncIterator[None]:
        """Turn what SQLite and the system say into StorageFailedError, with no transaction left open."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            with suppress(sqlite3.Error, ValueError):
                await self.conn.rollback()
            raise StorageFailedError(NOT_KEPT) from error


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[tuple[PruningSaver, str]]:
    """The saver on `path`, made when it is missing, and a sentence for the user when a damaged file was moved aside.

    Raises: StorageFailedError when it can't be opened or made.
    """
    try:
        note = await prepare_file(path)
        connection = await connect(path)
    except (sqlite3.Error, OSError) as error:
        raise StorageFailedError(NOT_KEPT) from error
    try:
        yield PruningSaver(connection), note
    finally:
        await connection.close()


@asynccontextmanager
async def scratch_checkpoints() -> AsyncIterator[tuple[PruningSaver, str]]:
    """A saver that leaves nothing behind: its database is in memory."""
    async with aiosqlite.connect(":memory:") as connection:
        yield PruningSaver(connection), ""


async def prepare_file(path: Path) -> str:
    """Make the file and its folder; move a damaged file aside. Raises: OSError, sqlite3.Error."""
    make_private(path)
    if not await is_damaged(path):
        return ""
    aside = move_aside(path)
    make_private(path)
    return DAMAGED_NOTE.format(name=aside.name)


def make_private(path: Path) -> None:
    """Make the file (0600) and its folder (0700) when they are missing. Raises: OSError."""
    private_folder(path.parent)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


async def connect(path: Path) -> aiosqlite.Connection:
    """A connection with its settings made. Raises: sqlite3.Error."""
    connection = await aiosqlite.connect(path, timeout=BUSY_TIMEOUT_S)
    try:
        for statement in SETTINGS:
            async with connection.execute(statement) as cursor:
                await cursor.fetchall()
    except sqlite3.Error:
        await connection.close()
        raise
    return connection


async def is_damaged(path: Path) -> bool:
    """True when SQLite can't make sense of the file. Raises: sqlite3.OperationalError when it can't be read at all."""
    async with aiosqlite.connect(path, timeout=BUSY_TIMEOUT_S) as connection:
        try:
            async with connection.execute("PRAGMA quick_check(1)") as cursor:
                answer = await cursor.fetchone()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            return True
        return answer is None or answer[0] != "ok"


def move_aside(path: Path) -> Path:
    """Rename the file, with its side files, to the first free `.damaged-N`. Raises: OSError."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    path.rename(aside)
    for suffix in SIDE_FILES:
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside
