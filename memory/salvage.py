"""Reading what is readable of a damaged ledger, row by row and past broken pages. The damaged file is never changed.

A scan stops at the first broken page, so rows are read from both ends, and what lies between is asked for one by one. A file that SQLite
refuses to open for its first page is read with the first page of the backup, or with the header of a new ledger: where the tables stand is
the same. So a row counts only when its content still has the hashes that were stored with it.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.files import with_side_files
from memory.keys import NORMALISER, experience_id
from memory.records import COLUMNS, StoredAlternative, alternative_of, to_lf

COPY_NAME = "copy.sqlite3"
_GAP_LIMIT = 20_000
"""Numbers tried one by one when nothing tells where the table ends."""
_QUERY = "SELECT a.*, e.id AS id, e.language AS language FROM alternatives a CROSS JOIN experiences e ON e.seq = a.experience"
_NAMES = tuple(name.strip().partition(".")[2] for name in COLUMNS.replace("\n", " ").split(","))
_NOT_YET = {"corrected": 0, "kept_in": "", "calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": None}
"""What stands in columns that an older file does not have."""
_HEADER = 100
"""Bytes of SQLite's header; the file's size in pages is at 28."""
_SIZE = slice(28, 32)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class StoredRow:
    """A row that was read: `raw` is everything in it, by column, with the experience's id and language; `scopes` where it was stored."""

    raw: Row
    scopes: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """Its number, which no other row ever had."""
        return int(self.raw["seq"])

    def alternative(self, *, is_fresh: bool) -> StoredAlternative | None:
        """None when its content is not what was stored. Keys of another normaliser (`is_fresh` False) can't be compared."""
        if not all(isinstance(self.raw[name], str) for name in ("id", "language", "code", "fixed_code", "fix_key", "trust", "kind", "ref")):
            return None
        try:
            found = alternative_of(tuple(self.raw.get(name, _NOT_YET.get(name)) for name in _NAMES))
            has_key = not is_fresh or experience_id(to_lf(found.code), found.language) == found.experience_id
        except (ValueError, TypeError, sqlite3.Error):
            return None
        return found if has_key else None


@dataclass
class DamagedLedger:
    """An open copy of a damaged file. `unread` are the numbers whose rows could not be read, known once `rows` is through."""

    connection: sqlite3.Connection
    last: int
    """The highest number that a row may have, 0 when it isn't known."""
    is_itself: bool
    """False when it was opened with a first page that is not its own."""
    is_broken: bool = False
    unread: list[range] = field(default_factory=list)

    def rows(self) -> Iterator[StoredRow]:
        """All rows that can be read, each once."""
        scopes = self._scopes()
        for raw in self._all():
            yield StoredRow(raw, scopes.get(int(raw["seq"]), ()))

    def scan(self, query: str) -> Iterator[Row]:
        """The rows of a query up to the first error, which is noted."""
        try:
            cursor = self.connection.execute(query)
            names = [each[0] for each in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))
        except sqlite3.Error:
            self.is_broken = True

    def value(self, name: str) -> str:
        """What `meta` holds, empty for nothing."""
        return next((str(row["value"]) for row in self.scan("SELECT name, value FROM meta") if row["name"] == name), "")

    def tables(self) -> list[str]:
        """Their names, as far as they can be read."""
        return [str(row["name"]) for row in self.scan("SELECT name FROM sqlite_master WHERE type = 'table'")]

    def _all(self) -> Iterator[Row]:
        known, self.is_broken = 0, False
        for raw in self.scan(f"{_QUERY} ORDER BY a.seq"):
            known = int(raw["seq"])
            yield raw
        if not self.is_broken:
            return
        end = 0
        for raw in self.scan(f"{_QUERY} WHERE a.seq > {known} ORDER BY a.seq DESC"):
            end = int(raw["seq"])
            yield raw
        yield from self._between(known + 1, end or self._end_of_gap(known + 1))

    def _end_of_gap(self, start: int) -> int:
        found = [int(row["seq"]) for row in self.scan("SELECT seq FROM sqlite_sequence WHERE name = 'alternatives'")]
        end = max(self.last, *found, 0)
        return end + 1 if end else start + _GAP_LIMIT

    def _between(self, start: int, end: int) -> Iterator[Row]:
        for number in range(start, end):
            try:
                cursor = self.connection.execute(f"{_QUERY} WHERE a.seq = ?", (number,))
                names = [each[0] for each in cursor.description]
                yield from [dict(zip(names, row, strict=True)) for row in cursor]
            except sqlite3.Error:
                self._note_unread(number)

    def _note_unread(self, number: int) -> None:
        if self.unread and self.unread[-1].stop == number:
            self.unread[-1] = range(self.unread[-1].start, number + 1)
        else:
            self.unread.append(range(number, number + 1))

    def _scopes(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        for row in self.scan("SELECT alternative, scope FROM scopes"):
            if isinstance(row["alternative"], int) and isinstance(row["scope"], str):
                found[row["alternative"]] = (*found.get(row["alternative"], ()), row["scope"])
        return found

    @property
    def is_fresh(self) -> bool:
        """True when its keys are those of today's normaliser, or it can't be told."""
        return self.value("normaliser") in ("", NORMALISER)


@contextmanager
def opened_damaged(place: Path, folder: Path, donors: Sequence[Path], last: int = 0) -> Iterator[DamagedLedger | None]:
    """A copy of the damaged file, made in `folder`, open for reading; None when nothing of it can be read.

    `donors` are sound ledgers whose first page may be borrowed. Raises OSError when it can't be copied.
    """
    copy = folder / COPY_NAME
    with ExitStack() as stack:
        for page in (b"", *_first_pages(place, donors)):
            for file in with_side_files(place):
                shutil.copyfile(file, f"{copy}{file.name.removeprefix(place.name)}")
            if page:
                with copy.open("r+b") as opened_copy:
                    opened_copy.write(page)
            opened = stack.enter_context(closing(sqlite3.connect(copy, isolation_level=None)))
            opened.text_factory = lambda raw: raw.decode("utf-8", "replace")
            if _answers(opened):
                yield DamagedLedger(opened, last, is_itself=not page)
                return
            opened.close()
        yield None


def _first_pages(place: Path, donors: Sequence[Path]) -> Iterator[bytes]:
    """The header, then the whole first page of each donor, with the damaged file's own size."""
    for donor in donors:
        try:
            with donor.open("rb") as file:
                page = bytearray(file.read(1 << 16))
        except OSError:
            continue
        size = int.from_bytes(page[16:18], "big")
        if size < _HEADER or len(page) < size:
            continue
        page[_SIZE] = (place.stat().st_size // size).to_bytes(4, "big")
        yield bytes(page[:_HEADER])
        yield bytes(page[:size])


def _answers(connection: sqlite3.Connection) -> bool:
    """True when the tables are known and what stands at the table's ends, if that can be read, is as it was stored.

    A file that was cut short is opened all the same.
    """
    found: list[StoredRow] = []
    try:
        connection.execute("PRAGMA writable_schema = ON")
        if not connection.execute("PRAGMA table_info(alternatives)").fetchall():
            return False
    except sqlite3.Error:
        return False
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.Error):
            cursor = connection.execute(f"{_QUERY} ORDER BY a.seq {order} LIMIT 1")
            names = [each[0] for each in cursor.description]
            found += [StoredRow(dict(zip(names, row, strict=True))) for row in cursor]
    return not found or any(row.alternative(is_fresh=False) is not None for row in found)
