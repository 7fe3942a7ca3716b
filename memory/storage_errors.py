"""What SQLite and the file system say, in the words of `errors.py`: one place that reads their error codes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from errors import StorageFailedError

_PRIMARY = 0xFF
"""SQLite's extended codes keep the primary code in the lowest byte."""

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_SIGNS = ("no such table", "Could not decode to UTF-8")
_STORAGE = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space, then run the same command again",
    sqlite3.SQLITE_IOERR: "reading or writing failed (disk full, file size limit or a failing disk): mend that, then "
    "run the same command again",
    sqlite3.SQLITE_READONLY: "the folder or file is read-only: make it writable or set CODEMIND_HOME to another folder",
    sqlite3.SQLITE_PERM: "access is denied: make the folder yours or set CODEMIND_HOME to another folder",
    sqlite3.SQLITE_CANTOPEN: "it can't be opened: make the folder writable or set CODEMIND_HOME to another folder",
}


class NotALedgerError(sqlite3.DatabaseError):
    """The file is empty, another program's, or holds something else than was stored; never leaves `memory`."""


def is_damage(error: sqlite3.Error) -> bool:
    """True when the file's content is broken: not a ledger, malformed, without its tables, or with text that is none."""
    if isinstance(error, NotALedgerError):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    return (code is not None and code & _PRIMARY in _DAMAGED) or any(sign in str(error) for sign in _SIGNS)


def is_busy(error: sqlite3.Error) -> bool:
    """True when another connection held the lock longer than the busy timeout."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY in _BUSY


def storage_failure(error: sqlite3.Error | OSError, path: Path) -> StorageFailedError | None:
    """The user's sentence for a storage error, None when `error` is of another kind (a fault of ours)."""
    if isinstance(error, OSError):
        return StorageFailedError(f"The memory at {path} can't be used: {_os_advice(error)}.")
    code = getattr(error, "sqlite_errorcode", None)
    advice = None if code is None else _STORAGE.get(code & _PRIMARY)
    return None if advice is None else StorageFailedError(f"The memory at {path} can't be used: {advice}.")


def _os_advice(error: OSError) -> str:
    reason = (error.strerror or type(error).__name__).lower()
    return f"{reason}; mend that or set CODEMIND_HOME to another folder"
