"""What an import would do, found out by doing it to a copy of the rows that it would meet; the ledger is only read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime

from memory.damage import again_when_healed
from memory.ledger import Ledger
from memory.migrations import create
from memory.restoring import store_line
from memory.seed_rows import SeedLine
from schema.experience import Saved


@contextmanager
def foreseeing(ledger: Ledger) -> Iterator[Foresight]:
    """A writer of slices that leaves nothing behind. Its copy is a file without a name, which ends with it."""
    with closing(sqlite3.connect("", isolation_level=None)) as copy:
        copy.execute("PRAGMA synchronous = OFF")
        copy.execute("PRAGMA journal_mode = MEMORY")
        create(copy)
        yield Foresight(ledger, copy)


@dataclass(frozen=True)
class Foresight:
    """Answers as the ledger would, line by line."""

    ledger: Ledger
    copy: sqlite3.Connection

    @again_when_healed
    def __call__(self, rows: Sequence[SeedLine]) -> list[Saved]:
        """An answer for each line of a slice."""
        now = self.ledger.clock()
        with self.ledger.reading() as connection:
            self.copy.execute("BEGIN")
            try:
                answers = [self._answer(connection, line, now) for line in rows]
            except BaseException:
                self.copy.execute("ROLLBACK")
                raise
            self.copy.execute("COMMIT")
            return answers

    def _answer(self, connection: sqlite3.Connection, line: SeedLine, now: datetime) -> Saved:
        _copy_what_it_meets(connection, self.copy, line)
        return store_line(self.copy, line, now)


def _copy_what_it_meets(ledger: sqlite3.Connection, copy: sqlite3.Connection, line: SeedLine) -> None:
    """The tombstone of the text, and the experience with its fixes and verdicts, unless an earlier line has met it."""
    if line.tombstone is not None:
        _copy_rows(ledger, copy, "tombstones", "text_hash = ?", line.tombstone.text_hash)
    if line.prepared is None:
        return
    _copy_rows(ledger, copy, "tombstones", "text_hash = ?", line.prepared.text_hash)
    key = line.prepared.id
    if copy.execute("SELECT 1 FROM experiences WHERE id = ?", (key,)).fetchone() is not None:
        return
    _copy_rows(ledger, copy, "verdicts", "code = ?", key)
    found = ledger.execute("SELECT seq FROM experiences WHERE id = ?", (key,)).fetchone()
    if found is not None:
        seq = _copy_rows(ledger, copy, "experiences", "seq = ?", found[0])
        _copy_rows(ledger, copy, "alternatives", "experience = ?", found[0], experience=seq)


def _copy_rows(
    ledger: sqlite3.Connection,
    copy: sqlite3.Connection,
    table: str,
    condition: str,
    value: object,
    without: tuple[str, ...] = (),
    **other: object,
) -> int:
    """Copy rows; the number of the last one. `other` gives columns another value."""
    cursor = ledger.execute(f"SELECT * FROM {table} WHERE {condition}", (value,))  # noqa: S608 - constants of this module
    names = [name for name, *_ in cursor.description]
    kept = [name for name in names if name != "seq"]  # an earlier line may have taken the number that it has in the ledger
    statement = f"INSERT OR IGNORE INTO {table} ({', '.join(kept)}) VALUES ({', '.join('?' * len(kept))})"  # noqa: S608 - as above
    last = 0
    for row in cursor:
        values = {**dict(zip(names, row, strict=True)), **other}
        last = int(copy.execute(statement, [values[name] for name in kept]).lastrowid or 0)
    return last
