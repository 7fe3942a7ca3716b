"""Ledgers of earlier schemas for the tests of migrations."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from memory.schema_sql import FIRST_SCHEMA

_NAMES = "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type = 'table'"
_FIRST_META = "('uuid', 'generation', 'normaliser')"


def back_to_first_schema(connection: sqlite3.Connection) -> None:
    """Take away all that later migrations have brought, and say that the file is of version 1. The rows stay."""
    with closing(sqlite3.connect(":memory:")) as first:
        first.executescript(FIRST_SCHEMA)
        wanted = {name for _, name, _ in first.execute(_NAMES)}
        columns = {table: _columns(first, table) for kind, table, _ in first.execute(_NAMES) if kind == "table"}
    for kind, name, table in connection.execute(_NAMES).fetchall():
        if name not in wanted and (kind == "table" or table in wanted):
            connection.execute(f"DROP {kind} IF EXISTS {name}")
    for table, kept in columns.items():
        for column in sorted(_columns(connection, table) - kept):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    connection.execute(f"DELETE FROM meta WHERE name NOT IN {_FIRST_META}")  # noqa: S608 - three names
    connection.execute("PRAGMA user_version = 1")


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}
