"""`memory recover`: a new ledger of what is readable in the damaged one. The damaged file stays where it is."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from errors import MemoryDamagedError
from memory import connections
from memory.admin import health
from memory.damage import RECOVER_COMMAND, Identity, marker_path, move_with_side_files, quarantine, quarantined_file
from memory.files import remove, write_out
from memory.ledger import Ledger
from memory.rekey import write_back
from memory.salvage import Salvage, salvage
from memory.storage_errors import storage_failure


@dataclass(frozen=True)
class Recovery:
    """What was done: alternatives saved, alternatives lost (at most), and where the damaged file lies (None: no damage)."""

    saved: int
    lost: int
    quarantined: Path | None


def recover(ledger: Ledger, *, empty: bool = False) -> Recovery:
    """Make a new ledger of what can be read in the damaged one and lift the block; `empty` starts without trying.

    A file that nobody has found damaged yet is read whole first. When it is sound nothing is done; a good ledger that the user
    put in place is kept. Raises MemoryDamagedError when nothing could be read and `empty` was not asked for, StorageFailedError
    when the new ledger can't be written.
    """
    _look_for_damage(ledger)
    with ledger.exclusive():
        place = quarantined_file(ledger.path)
        if place is None:
            return Recovery(0, 0, None)
        try:
            return _recover(ledger, place, empty=empty)
        except (OSError, sqlite3.Error) as error:
            raise storage_failure(error, ledger.path) or error from error


def _look_for_damage(ledger: Ledger) -> None:
    """Move a ledger aside whose broken pages no command has met so far."""
    if quarantined_file(ledger.path) is not None or not ledger.path.exists():
        return
    seen = Identity.of(ledger.path)
    if health(ledger).problem:
        with ledger.exclusive():
            quarantine(ledger.path, seen, ledger.clock)


def _recover(ledger: Ledger, place: Path, *, empty: bool) -> Recovery:
    if ledger.path.exists() and not place.exists():
        move_with_side_files(ledger.path, place)  # a kill came between the marker and the move
    if ledger.path.exists():
        count = _count_of_good(ledger.path)
        _lift(ledger.path)
        return Recovery(count, 0, place)
    found = Salvage() if empty or not place.exists() else salvage(place)
    if not found.alternatives and not empty:
        raise MemoryDamagedError(
            f"Nothing could be read in {place}. Put a backup in its place as {ledger.path} and run `{RECOVER_COMMAND}`, "
            f"or start an empty memory with `{RECOVER_COMMAND} --empty`."
        )
    saved = _rebuild(ledger, found)
    _lift(ledger.path)
    return Recovery(saved, found.lost + len(found.alternatives) - saved, place)


def _count_of_good(path: Path) -> int:
    """How many alternatives a file that the user put in place holds. Raises MemoryDamagedError when it is bad, too."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            if connections.is_ours(connection) and connection.execute("PRAGMA quick_check").fetchone()[0] == "ok":
                return int(connection.execute("SELECT count(*) FROM alternatives").fetchone()[0])
    except sqlite3.Error:
        pass
    raise MemoryDamagedError(f"The file at {path} can't be read either: remove it, then run `{RECOVER_COMMAND}` again.")


def _rebuild(ledger: Ledger, found: Salvage) -> int:
    """Write all that was found into a side file, then put it in place; the number of alternatives written."""
    side = ledger.path.with_name(f"{ledger.path.stem}.recovering-{os.getpid()}{ledger.path.suffix}")
    remove(side)
    try:
        connections.create_file(side)
        with connections.writer(side, ledger.lock_timeout_s) as connection:
            saved = _write(connection, ledger, found)
        side.rename(ledger.path)
    finally:
        remove(side)
    write_out(ledger.path.parent)
    return saved


def _write(connection: sqlite3.Connection, ledger: Ledger, found: Salvage) -> int:
    connection.execute("BEGIN IMMEDIATE")
    saved = sum(write_back(connection, alternative, ledger.clock()) for alternative in found.alternatives)
    connection.executemany("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", found.tombstones)
    connection.executemany("INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?)", found.verdicts)
    if found.uuid:
        connection.execute("UPDATE meta SET value = ? WHERE name = 'uuid'", (found.uuid,))
    connection.execute("COMMIT")
    return saved


def _lift(path: Path) -> None:
    """Take the marker away, which ends the block."""
    marker_path(path).unlink()
    write_out(path.parent)
