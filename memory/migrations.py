"""Bringing a ledger file to the present schema, with a backup beside it before every step."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from errors import MemoryMismatchError
from memory.files import free_name, private_file, remove, write_out
from memory.schema_sql import APPLICATION_ID, MIGRATIONS, Migration


def schema_version(connection: sqlite3.Connection) -> int:
    """The version written in the file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def refuse_newer(version: int, known: int, path: Path) -> None:
    """Raise MemoryMismatchError when the file is of a later schema than this program knows."""
    if version > known:
        raise MemoryMismatchError(
            f"The memory at {path} comes from a newer CodeMind (schema {version}, this one knows {known}): "
            "install a newer CodeMind, or point CODEMIND_HOME at another folder."
        )


def create(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Make the tables in an empty file and give the ledger its identity."""
    import uuid  # late: only a new ledger gets one

    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for number, migration in enumerate(migrations, start=1):
        _apply(connection, migration, number)
    connection.executemany("INSERT INTO meta VALUES (?, ?)", [("uuid", uuid.uuid4().hex), ("generation", "0")])


def migrate(connection: sqlite3.Connection, path: Path, now: datetime, migrations: Sequence[Migration] = MIGRATIONS) -> list[Path]:
    """Apply what is missing, one transaction each, and return the backups made; the caller holds the write lock."""
    backups = []
    for number, migration in enumerate(migrations, start=1):
        if number > schema_version(connection):
            backups.append(_back_up(connection, path, number - 1, now))
            _apply(connection, migration, number)
    return backups


def upgrade(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Apply what is missing to a file that is itself a copy: no backup is made of it."""
    for number, migration in enumerate(migrations, start=1):
        if number > schema_version(connection):
            _apply(connection, migration, number)


def _apply(connection: sqlite3.Connection, migration: Migration, number: int) -> None:
    try:
        if isinstance(migration, str):
            # executescript would commit an open transaction, so the script brings its own
            connection.executescript(f"BEGIN IMMEDIATE; {migration}; PRAGMA user_version = {number}; COMMIT;")
            return
        connection.execute("BEGIN IMMEDIATE")
        migration(connection)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _back_up(connection: sqlite3.Connection, path: Path, version: int, now: datetime) -> Path:
    """A copy of the file as it is; the one that a killed attempt has made of it counts."""
    for stale in path.parent.glob(f"{path.stem}.migrating-*"):
        remove(stale)
    state = _state(connection)
    for earlier in sorted(path.parent.glob(f"{path.stem}.backup-v{version}-*{path.suffix}")):
        with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{quote(str(earlier))}?mode=ro&immutable=1", uri=True)) as made:
            if _state(made) == state:
                return earlier
    side = path.with_name(f"{path.stem}.migrating-{os.getpid()}{path.suffix}")
    try:
        private_file(side)
        with closing(sqlite3.connect(side)) as target:
            connection.backup(target)
        backup = free_name(path.with_name(f"{path.stem}.backup-v{version}-{now:%Y%m%dT%H%M%SZ}{path.suffix}"))
        side.rename(backup)
    finally:
        remove(side)
    write_out(path.parent)
    return backup


def _state(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Which ledger, and how many writes it has seen."""
    return connection.execute("SELECT name, value FROM meta WHERE name IN ('uuid', 'generation') ORDER BY name").fetchall()
