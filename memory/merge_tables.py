"""Tables beside the fixes themselves, brought from a damaged ledger into a new one row by row, whatever columns they share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress

from memory.salvage import DamagedLedger

DERIVED = frozenset({"experiences", "alternatives", "scopes", "parts", "keys", "vectors", "streams"})
"""Written with each fix, not copied."""
OF_SHARING = frozenset({"revisions"})
"""Numbered anew by its triggers; see `copy_withdrawn`."""
MARKS = frozenset({"shared_seen"})
MARKS_IN_META = "git.last."
"""How far something was read. A mark must not outlive what was read: of a file that is not whole none is taken; the backup's stays."""
REVISIONS_SKIPPED = 1_000_000
"""Others know our revisions by number: new ones must be higher than any that was lost."""
OWN_META = frozenset({"uuid", "generation", "normaliser", "embedder", "backed_up_at"})
"""What a ledger says of itself; everything else in `meta` is the user's: thresholds, how far a history was read."""


def copy_tables(damaged: DamagedLedger, target: sqlite3.Connection, tables: Iterable[str], *, is_whole: bool) -> None:
    """Copy rows of tables that both have. `is_whole`: a row with the same key takes the other's place; else the one that is there stays."""
    known = {str(name) for (name,) in target.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    left_out = DERIVED | OF_SHARING | (frozenset() if is_whole else MARKS)
    for table in sorted((set(tables) & known) - left_out):
        if not table.startswith("sqlite_"):
            _copy(damaged, target, table, is_whole=is_whole)


def skip_revisions(target: sqlite3.Connection) -> None:
    """Number what is shared from far above on."""
    with suppress(sqlite3.Error):  # an older shape has none
        target.execute(
            "INSERT INTO sqlite_sequence SELECT 'revisions', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'revisions')"
        )
        target.execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'revisions'", (REVISIONS_SKIPPED,))


def copy_withdrawn(damaged: DamagedLedger, target: sqlite3.Connection) -> None:
    """Fixes that are gone, and of which others have still to be told: under new numbers."""
    for row in damaged.scan("SELECT experience, fix_key FROM revisions WHERE alternative IS NULL"):
        with suppress(sqlite3.Error):
            target.execute("INSERT OR IGNORE INTO revisions (experience, fix_key) VALUES (?, ?)", (row["experience"], row["fix_key"]))


def _copy(damaged: DamagedLedger, target: sqlite3.Connection, table: str, *, is_whole: bool) -> None:
    columns = {str(row[1]) for row in target.execute(f"PRAGMA table_info({table})")}
    verb = "INSERT OR REPLACE" if is_whole else "INSERT OR IGNORE"
    for row in damaged.scan(f"SELECT * FROM {table}"):  # noqa: S608 - the name of a table of ours
        names = sorted(columns & set(row))
        if table == "meta" and not _is_kept(str(row.get("name")), is_whole=is_whole):
            continue
        if any(isinstance(row[name], str) and "\ufffd" in row[name] for name in names):
            continue
        statement = f"{verb} INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        with suppress(sqlite3.Error):  # a value that the table does not allow was not what stood there
            target.execute(statement, [row[name] for name in names])


def _is_kept(name: str, *, is_whole: bool) -> bool:
    return name not in OWN_META and (is_whole or not name.startswith(MARKS_IN_META))
