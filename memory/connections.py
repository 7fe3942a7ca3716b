"""Opening the ledger's file: for reading (also on a read-only disk), for writing, and making a new one in one step."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from memory.files import private_file, remove, with_side_files, write_out
from memory.migrations import create
from memory.schema_sql import APPLICATION_ID, MIGRATIONS, Migration

_NO_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP})
"""What SQLite says when a full disk has no room for its shared memory."""


@contextmanager
def reader(path: Path, timeout_s: float) -> Iterator[sqlite3.Connection]:
    """A read-only connection to an existing file.

    On a read-only or full disk SQLite can't make the shared memory that WAL needs: then the file is read as it stands, or, when
    a killed program left unwritten changes beside it, from a private copy.
    """
    try:
        with _connected(f"file:{quote(str(path))}?mode=ro", timeout_s) as connection:
            yield connection
            return
    except _ReadOnlyDiskError:
        pass
    wal = Path(f"{path}-wal")
    if not (wal.exists() and wal.stat().st_size):
        with _connected(f"file:{quote(str(path))}?mode=ro&immutable=1", timeout_s) as connection:
            yield connection
        return
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="codemind-") as folder:
        for file in with_side_files(path):
            shutil.copyfile(file, Path(folder) / file.name)
        with _connected(f"file:{quote(str(Path(folder) / path.name))}", timeout_s) as connection:
            yield connection


class _ReadOnlyDiskError(Exception):
    """The first read failed because SQLite could not make its own files; never leaves this module."""


@contextmanager
def _connected(uri: str, timeout_s: float) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(uri, uri=True, timeout=timeout_s, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as error:
            if "mode=ro" in uri and "immutable" not in uri and _lacks_shared_memory(error):
                raise _ReadOnlyDiskError from error
            raise
        yield connection


def _lacks_shared_memory(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code in _NO_ROOM or code & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY))


@contextmanager
def writer(path: Path, timeout_s: float) -> Iterator[sqlite3.Connection]:
    """A connection that writes durably and leaves nothing readable of what it deletes. The caller holds the write lock."""
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, timeout=timeout_s, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection


@contextmanager
def empty_ledger() -> Iterator[sqlite3.Connection]:
    """What reading a home without a ledger sees: the tables, in memory, with nothing in them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create(connection)
        yield connection


def is_ours(connection: sqlite3.Connection) -> bool:
    """False for a file of another program, and for the empty database that SQLite makes of a 0-byte file."""
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)


def create_file(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Make a new ledger at `path` in one step: a kill leaves either none or a whole one. The caller holds the write lock."""
    for stale in path.parent.glob(f"{path.stem}.new-*{path.suffix}"):
        remove(stale)
    fresh = path.with_name(f"{path.stem}.new-{os.getpid()}{path.suffix}")
    try:
        private_file(fresh)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            create(connection, migrations)
        _put_in_place(fresh, path)
    finally:
        remove(fresh)
    write_out(path.parent)


def _put_in_place(fresh: Path, path: Path) -> None:
    """Link, which can't overwrite; where the file system has no links, rename."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        raise
    except OSError:
        fresh.rename(path)
