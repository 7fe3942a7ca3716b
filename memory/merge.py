"""One ledger made of two: what was read of a damaged one, over what its backup holds.

The new ledger begins as a copy of the backup. What was read of the damaged file is newer and takes the place of the backup's row of the
same fix; what only the backup has stays, unless the damaged file could be read whole: then it was deleted since. What either knows to be
forgotten is not brought back.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory import connections
from memory.backup import MADE_AT, BackupMark
from memory.merge_tables import copy_tables, copy_withdrawn, skip_revisions
from memory.migrations import upgrade
from memory.records import text_hash
from memory.rekey import write_back
from memory.salvage import DamagedLedger, Row, StoredRow
from memory.tally import Tally
from memory.writes import remove_alternative

_OF_THE_ROW = frozenset({"seq", "experience", "id", "language"})
_OF_THE_KEYS = frozenset({"fix_key", "fix_hash"})
_NUMBERED = {"alternatives": "seq", **dict.fromkeys(("keys", "parts", "streams", "scopes", "revisions"), "alternative")}
"""Where a fix stands by its number."""
_GARBLED = "\ufffd"


@dataclass(frozen=True)
class Sources:
    """What there is to make a ledger of. `mark` is None without a sound backup at `backup`; `tally` says how far the ledger had come."""

    damaged: DamagedLedger | None
    mark: BackupMark | None
    tally: Tally
    backup: Path


@dataclass(frozen=True)
class Merged:
    """How many fixes the new ledger has, how many of them only the backup had, when that was made, and how many are missing at most."""

    fixes: int
    from_backup: int
    made_at: str
    missing: int
    is_whole: bool = False
    """True when all of the damaged file could be read."""


def new_base(side: Path) -> None:
    """An empty ledger. Raises OSError, sqlite3.Error."""
    connections.create_file(side)


def base_from(sources: Sources, side: Path) -> None:
    """The backup's copy at today's schema, or an empty ledger. Raises OSError, sqlite3.Error."""
    if sources.mark is None:
        new_base(side)
        return
    shutil.copyfile(sources.backup, side)
    side.chmod(0o600)
    with closing(sqlite3.connect(side, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        upgrade(connection)
        connection.execute("DELETE FROM meta WHERE name = ?", (MADE_AT,))


def merge(sources: Sources, side: Path, now: datetime, timeout_s: float) -> Merged:
    """Bring what was read of the damaged file into the base at `side`, in one transaction. Raises sqlite3.Error."""
    with connections.writer(side, timeout_s) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("PRAGMA defer_foreign_keys = ON")
        made = _Merging(connection, sources, now).all()
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return made


class _Merging:
    """The rows one after the other; `_seen` are those that stand in the new ledger and were read, `_bad` numbers of unusable rows."""

    def __init__(self, connection: sqlite3.Connection, sources: Sources, now: datetime) -> None:
        self._connection = connection
        self._sources = sources
        self._now = now
        self._seen: set[int] = set()
        self._bad: list[int] = []
        self._columns = {str(row[1]) for row in connection.execute("PRAGMA table_info(alternatives)")} - _OF_THE_ROW
        self._numbered = [
            (table, column) for table, column in _NUMBERED.items() if connection.execute(f"PRAGMA table_info({table})").fetchall()
        ]

    def all(self) -> Merged:
        """Everything; what became of it."""
        damaged, is_whole = self._sources.damaged, False
        if damaged is not None:
            is_whole = self._take(damaged)
            self._set_identity(damaged)
        self._next_generation()
        (fixes,) = self._connection.execute("SELECT count(*) FROM alternatives").fetchone()
        mark = self._sources.mark
        from_backup = 0 if mark is None else fixes - len(self._seen)
        return Merged(fixes, from_backup, "" if mark is None else mark.made_at, 0 if is_whole else self._missing(), is_whole)

    def _take(self, damaged: DamagedLedger) -> bool:
        """Bring over what can be read; True when that is all there was."""
        is_fresh = damaged.is_fresh
        forgotten = [str(row["text_hash"]) for row in damaged.scan("SELECT text_hash FROM tombstones")]
        self._forget(forgotten)
        copy_tables(damaged, self._connection, ["tombstones", "verdicts"], is_whole=True)
        skip_revisions(self._connection)
        for row in damaged.rows():
            self._take_row(row, is_fresh=is_fresh)
        is_whole = damaged.is_itself and not damaged.is_broken and not self._bad and _is_sound(damaged.connection)
        if is_whole:
            self._drop_deleted()
        copy_tables(damaged, self._connection, damaged.tables(), is_whole=is_whole)
        copy_withdrawn(damaged, self._connection)
        return is_whole

    def _take_row(self, row: StoredRow, *, is_fresh: bool) -> None:
        raw = row.raw
        held = self._held(raw)
        if held is not None and self._is_same(raw, held):
            self._note(int(held["seq"]), row)
            return
        alternative = row.alternative(is_fresh=is_fresh)
        if alternative is None or (held is not None and _is_garbled(raw, held)):
            self._bad.append(row.number)
            return
        if held is not None and (held["code"], held["fixed_code"]) == (raw["code"], raw["fixed_code"]):
            self._write_raw(int(held["seq"]), raw, leave=frozenset())
            self._note(int(held["seq"]), row)
            return
        if held is not None:
            remove_alternative(self._connection, int(held["seq"]))
        number = write_back(self._connection, alternative, self._now)
        if number is not None:
            self._write_raw(number, raw, leave=_OF_THE_KEYS)
            self._note(self._renumber(number, row.number), row)

    def _note(self, number: int, row: StoredRow) -> None:
        """This row of the new ledger was read, with all its scopes."""
        self._seen.add(number)
        self._connection.executemany("INSERT OR IGNORE INTO scopes VALUES (?, ?)", [(number, scope) for scope in row.scopes])

    def _held(self, raw: Row) -> dict[str, Any] | None:
        """The base's row of the same fix of the same code."""
        query = "SELECT a.* FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ? AND a.fix_key = ?"
        cursor = self._connection.execute(query, (raw["id"], raw["fix_key"]))
        found = cursor.fetchone()
        return None if found is None else dict(zip([each[0] for each in cursor.description], found, strict=True))

    def _is_same(self, raw: Row, held: Row) -> bool:
        return all(raw[name] == held[name] for name in self._columns if name in raw)

    def _write_raw(self, number: int, raw: Row, leave: frozenset[str]) -> None:
        """Counters, verdicts, times: everything as it was read."""
        names = sorted((self._columns & set(raw)) - leave)
        marks = ", ".join(f"{name} = ?" for name in names)
        query = f"UPDATE OR IGNORE alternatives SET {marks} WHERE seq = ?"  # noqa: S608 - names of our own columns
        self._connection.execute(query, (*(raw[name] for name in names), number))

    def _renumber(self, number: int, wanted: int) -> int:
        """Give a row its old number back, where no other row has it."""
        if number == wanted or self._connection.execute("SELECT 1 FROM alternatives WHERE seq = ?", (wanted,)).fetchone():
            return number
        for table, column in self._numbered:
            self._connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (wanted, number))  # noqa: S608 - our own names
        return wanted

    def _forget(self, hashes: Sequence[str]) -> None:
        """Take out of the base what was forgotten since."""
        known = {row[0] for row in self._connection.execute("SELECT text_hash FROM tombstones")}
        new = set(hashes) - known
        if new:
            stored = self._connection.execute("SELECT seq, code FROM alternatives").fetchall()
            for number in [number for number, code in stored if text_hash(code) in new]:
                remove_alternative(self._connection, number)

    def _drop_deleted(self) -> None:
        """What a whole file does not have was deleted after the backup was made."""
        numbers = {row[0] for row in self._connection.execute("SELECT seq FROM alternatives")}
        self._connection.executemany("DELETE FROM alternatives WHERE seq = ?", [(each,) for each in numbers - self._seen])
        self._connection.execute("DELETE FROM experiences WHERE seq NOT IN (SELECT experience FROM alternatives)")

    def _set_identity(self, damaged: DamagedLedger) -> None:
        """The ledger stays the one it was: indexes over it know it by this."""
        if self._sources.mark is None and (uuid := damaged.value("uuid")) and uuid.isalnum():
            self._connection.execute("UPDATE meta SET value = ? WHERE name = 'uuid'", (uuid,))

    def _next_generation(self) -> None:
        """Higher than any that a reader may have seen."""
        mark, damaged = self._sources.mark, self._sources.damaged
        read = damaged.value("generation") if damaged is not None else ""
        known = (self._sources.tally.generation, mark.tally.generation if mark else 0, int(read) if read.isdecimal() else 0)
        self._connection.execute("UPDATE meta SET value = ? WHERE name = 'generation'", (str(max(known) + 1),))
        last = max(self._sources.tally.last, mark.tally.last if mark else 0)
        self._connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'alternatives'", (last,))

    def _missing(self) -> int:
        """Numbers after the backup's that could not be read, and stand nowhere else. At most so many fixes: some may have been deleted."""
        covered = self._sources.mark.tally.last if self._sources.mark else 0
        damaged = self._sources.damaged
        unread = [range(1, self._sources.tally.last + 1)] if damaged is None else damaged.unread
        unread = [range(max(each.start, covered + 1), each.stop) for each in unread]
        there = {row[0] for row in self._connection.execute("SELECT seq FROM alternatives")}
        return sum(1 for each in unread for number in each if number not in there) + sum(
            number > covered and number not in there for number in self._bad
        )


def _is_garbled(raw: Row, held: Row) -> bool:
    """Text of the damaged file with characters that could not be read, where the backup's has none."""
    return any(
        isinstance(value, str) and _GARBLED in value and _GARBLED not in str(held[name]) for name, value in raw.items() if name in held
    )


def _is_sound(connection: sqlite3.Connection) -> bool:
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.Error:
        return False
