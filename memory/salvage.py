"""Reading what is readable of a damaged ledger, row by row and past broken pages. The damaged file is never changed.

A scan stops at the first broken page, so rows are read from both ends, and what lies between is asked for one by one.
A row counts only when its content still has the hashes that were stored with it.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.files import with_side_files
from memory.keys import experience_id
from memory.records import COLUMNS, COLUMNS_WITHOUT_COSTS, StoredAlternative, alternative_of, text_hash, to_lf

_GAP_LIMIT = 20_000
"""Rows tried one by one when a broken page hides where the table ends."""
_FROM = "FROM alternatives a CROSS JOIN experiences e ON e.seq = a.experience"
_TEXT_COLUMNS = slice(1, 18)

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Salvage:
    """What was readable. `lost` counts row numbers that could not be read: at most so many rows."""

    alternatives: tuple[StoredAlternative, ...] = ()
    lost: int = 0
    tombstones: tuple[tuple[str, str], ...] = ()
    uuid: str = ""
    verdicts: tuple[Row, ...] = ()


def salvage(damaged: Path) -> Salvage:
    """Read a copy of the file; nothing readable gives an empty answer. Raises OSError when it can't be copied."""
    with tempfile.TemporaryDirectory(prefix="codemind-") as folder:
        for file in with_side_files(damaged):
            shutil.copyfile(file, Path(folder) / file.name)
        with closing(sqlite3.connect(Path(folder) / damaged.name, isolation_level=None)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            return _salvage(connection)


def _salvage(connection: sqlite3.Connection) -> Salvage:
    rows, lost = _all_rows(connection)
    whole = [alternative for row in rows if (alternative := _checked(row)) is not None]
    tombstones, _ = _scan(connection, "SELECT text_hash, created_at FROM tombstones")
    uuid, _ = _scan(connection, "SELECT value FROM meta WHERE name = 'uuid'")
    verdicts, _ = _scan(connection, "SELECT subject_kind, key, verdict, code, origin, scope, created_at FROM verdicts")
    kept = tuple(row for row in verdicts if all(isinstance(value, str) for value in row))
    return Salvage(tuple(whole), lost + len(rows) - len(whole), tuple(tombstones), uuid[0][0] if uuid else "", kept)


def _all_rows(connection: sqlite3.Connection) -> tuple[list[Row], int]:
    """The rows that could be read, in order of their number, and how many could not."""
    query = f"SELECT {_columns(connection)} {_FROM}"
    first, broken = _scan(connection, query + " ORDER BY a.seq")
    if not broken:
        return first, 0
    last, _ = _scan(connection, query + " ORDER BY a.seq DESC")
    start = first[-1][0] + 1 if first else 1
    end, is_known = _end_of_gap(connection, last, start)
    middle, failed = _one_by_one(connection, query, start, end)
    return _ascending([*first, *middle, *last]), failed if is_known else 0


def _columns(connection: sqlite3.Connection) -> str:
    """The columns that a file of this age has. What can't be told any more is taken for the present shape."""
    names, _ = _scan(connection, "SELECT name FROM pragma_table_info('alternatives')")
    return COLUMNS_WITHOUT_COSTS if names and ("calls",) not in names else COLUMNS


def _scan(connection: sqlite3.Connection, query: str) -> tuple[list[Row], bool]:
    """The rows up to the first error, and whether there was one."""
    rows: list[Row] = []
    try:
        for row in connection.execute(query):
            rows.append(row)
    except sqlite3.Error:
        return rows, True
    return rows, False


def _end_of_gap(connection: sqlite3.Connection, last: list[Row], start: int) -> tuple[int, bool]:
    """The first number that need not be tried, and whether that is certain."""
    if last:
        return last[-1][0], True
    with suppress(sqlite3.Error, TypeError):
        row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'alternatives'").fetchone()
        return min(int(row[0]) + 1, start + _GAP_LIMIT), True
    return start + _GAP_LIMIT, False


def _one_by_one(connection: sqlite3.Connection, query: str, start: int, end: int) -> tuple[list[Row], int]:
    rows: list[Row] = []
    failed = 0
    for number in range(start, end):
        try:
            rows.extend(connection.execute(query + " WHERE a.seq = ?", (number,)))
        except sqlite3.Error:
            failed += 1
    return rows, failed


def _ascending(rows: list[Row]) -> list[Row]:
    return [row for _, row in sorted({row[0]: row for row in rows}.items())]


def _checked(row: Row) -> StoredAlternative | None:
    """The alternative, None when its content is not what was stored."""
    if not all(isinstance(value, str) for value in row[_TEXT_COLUMNS]):
        return None
    try:
        alternative = alternative_of(row)
        is_same = text_hash(alternative.fixed_code) == alternative.fix_hash
        return (
            alternative if is_same and experience_id(to_lf(alternative.code), alternative.language) == alternative.experience_id else None
        )
    except (ValueError, TypeError):
        return None
