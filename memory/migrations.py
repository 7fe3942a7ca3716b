"""Bringing a ledger file to the present schema, with a backup beside it before every step."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from errors import MemoryMismatchError
from memory.files import free_name, private_file
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
    backup = free_name(path.with_name(f"{path.stem}.backup-v{version}-{now:%Y%m%dT%H%M%SZ}{path.suffix}"))
    private_file(backup)
    with closing(sqlite3.connect(backup)) as target:
        connection.backup(target)
    return backup
