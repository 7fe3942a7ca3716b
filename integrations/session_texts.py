"""Taking a forgotten text out of the file of unfinished tasks: a task of a session that has ended goes, when it is about just that text.

The file is that of `integrations.checkpoints`; this opens it without the graph and its libraries. A text stands in it as a MessagePack
string, its length in front, so that the whole of it is told from a part of a longer one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from errors import StorageFailedError
from integrations.session_locks import SessionLocks

BUSY_TIMEOUT_S = 5.0
_TABLES = {"checkpoints": "checkpoint", "writes": "value"}
"""Where a thread's values lie."""
_LEAST = 4
"""Characters below which a text is no code that anybody would know again."""
_MOST_ENDS = 100
_FIX, _STR8, _STR16 = 32, 1 << 8, 1 << 16
"""From so many bytes on the next longer form of a length is used."""


def drop_tasks_with(path: Path, locks: Path, texts: Iterable[str]) -> int:
    """Delete the tasks of dead sessions that hold one of the texts whole, and what was deleted before from the write-ahead log.

    `locks` is the folder of the sessions' locks; the texts have LF ends. How many tasks went; 0 for a file that is not there or can't be
    read, as nothing can be told of it. A session that runs keeps what it works on.
    """
    wanted = tuple({text.rstrip("\n").encode("utf-8", "surrogatepass") for text in texts if len(text.strip()) >= _LEAST})
    if not wanted or not path.is_file():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)) as file:
            file.execute("PRAGMA secure_delete = ON")
            dropped = sum(_drop(file, thread, SessionLocks(locks)) for thread in _threads_with(file, wanted))
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return dropped
    except sqlite3.Error:
        return 0


def _threads_with(file: sqlite3.Connection, wanted: tuple[bytes, ...]) -> list[str]:
    found: dict[str, None] = {}
    for table, column in _TABLES.items():
        for thread, value in file.execute(f"SELECT thread_id, {column} FROM {table}"):  # noqa: S608 - constants of this module
            if isinstance(value, bytes) and any(_holds(value, text) for text in wanted):
                found[str(thread)] = None
    return list(found)


def _drop(file: sqlite3.Connection, thread: str, locks: SessionLocks) -> bool:
    """False for a thread whose session runs: only that one may change it."""
    try:
        if not locks.acquire(thread):
            return False
    except StorageFailedError:
        return False  # where no lock can be made, nobody knows whether it runs
    try:
        file.execute("BEGIN IMMEDIATE")
        for table in _TABLES:
            file.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread,))  # noqa: S608 - as above
        file.execute("COMMIT")
    finally:
        locks.release(thread)
    return True


def _holds(value: bytes, text: bytes) -> bool:
    """True when the text is one of the value's strings, whatever number of line ends it has there."""
    at = value.find(text)
    while at >= 0:
        behind = at + len(text)
        ends = len(value) - behind - len(value[behind:].lstrip(b"\n")) if value[behind : behind + 1] == b"\n" else 0
        if any(value.startswith(head, at - len(head)) for head in map(_head, range(len(text), len(text) + min(ends, _MOST_ENDS) + 1))):
            return True
        at = value.find(text, at + 1)
    return False


def _head(size: int) -> bytes:
    """What stands in front of a string of so many bytes."""
    if size < _FIX:
        return bytes([0xA0 | size])
    if size < _STR8:
        return bytes([0xD9, size])
    if size < _STR16:
        return b"\xda" + size.to_bytes(2, "big")
    return b"\xdb" + size.to_bytes(4, "big")
