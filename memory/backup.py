"""The automatic backup of the ledger: one sound copy beside it, made when nobody waits for an answer.

It is renewed once a day, and sooner when a tenth of what it would hold is new: so the cost of copying stays a small share of the cost of
writing. A copy takes the old one's place only when it was read through and found sound. What the user forgets leaves it at once.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from errors import CodeMindError, MemoryLockedError
from memory import connections, soundness
from memory.files import private_file, remove, write_out
from memory.ledger import Ledger
from memory.tally import Tally, tally_of

LEAST_FREE_BYTES = 100_000_000
RENEWED_AFTER = timedelta(days=1)
MANY_ROWS = 200
"""Fewer new fixes than this are no reason for a new backup within the day."""
SHARE = 0.1
MADE_AT = "backed_up_at"
"""The name in `meta` under which a backup says when it was made; a ledger has no such row."""
_PAGES = 5_000
"""Pages copied in one step; between two of them a Ctrl-C is heard."""


@dataclass(frozen=True)
class BackupMark:
    """When a backup was made (UTC, to a second), and how far the ledger had come."""

    made_at: str
    tally: Tally


def backup_path(path: Path) -> Path:
    """The automatic backup of the ledger at `path`."""
    return path.with_name(f"{path.stem}.backup-auto{path.suffix}")


def read_mark(path: Path) -> BackupMark | None:
    """What the backup of the ledger at `path` says of itself; None when there is none, or it can't be read."""
    backup = backup_path(path)
    try:
        if not backup.is_file() or not backup.stat().st_size:
            return None
        with closing(sqlite3.connect(f"file:{quote(str(backup))}?mode=ro&immutable=1", uri=True, isolation_level=None)) as connection:
            if not connections.is_ours(connection):
                return None
            made = connection.execute("SELECT value FROM meta WHERE name = ?", (MADE_AT,)).fetchone()
            return BackupMark(str(made[0]), tally_of(connection)) if made else None
    except (OSError, sqlite3.Error, ValueError):
        return None


def back_up_when_due(ledger: Ledger) -> bool:
    """Renew the backup where that is due and there is room; True when it was. Never raises: the memory itself is as it was."""
    try:
        return _is_due(ledger) and back_up(ledger)
    except (CodeMindError, OSError, sqlite3.Error):
        return False


def back_up(ledger: Ledger) -> bool:
    """Make the backup anew; False when another process is at it, the disk is short, or the ledger was changed meanwhile.

    Raises what `Ledger.reading` raises, OSError and sqlite3.Error.
    """
    from memory.locking import write_lock  # late: a look-up makes no backup

    if not ledger.path.exists() or not _has_room(ledger.path):
        return False
    try:
        with write_lock(ledger.path.with_name(f"{ledger.path.stem}.backup.lock"), 0, ledger.clock):
            return _made(ledger)
    except MemoryLockedError:
        return False


def drop_backup(path: Path) -> None:
    """Delete the backup, and what killed copies left: before something is deleted from the ledger for good. Raises OSError."""
    for file in (backup_path(path), *_side_files(path)):
        file.unlink(missing_ok=True)


def renew_backup(ledger: Ledger) -> None:
    """Make the backup anew after it was dropped. Never raises: without one, the next session makes it."""
    with suppress(CodeMindError, OSError, sqlite3.Error):
        back_up(ledger)


def _is_due(ledger: Ledger) -> bool:
    if not ledger.path.exists():
        return False
    mark = read_mark(ledger.path)
    with ledger.reading() as connection:
        now = tally_of(connection)
    if mark is None:
        return now.last > 0
    new = now.last - mark.tally.last
    return now.generation != mark.tally.generation and (
        _is_old(mark.made_at, ledger.clock()) or (new >= MANY_ROWS and new >= SHARE * now.last)
    )


def _is_old(made_at: str, now: datetime) -> bool:
    """A time of the future is a clock that was put back."""
    try:
        age = now - datetime.fromisoformat(made_at)
    except (ValueError, TypeError):
        return True
    return not timedelta(0) <= age < RENEWED_AFTER


def _has_room(path: Path) -> bool:
    import shutil  # late: `memory list` needs none of it

    return shutil.disk_usage(path.parent).free >= max(LEAST_FREE_BYTES, 2 * path.stat().st_size)


def _side_files(path: Path) -> list[Path]:
    return list(path.parent.glob(f"{path.stem}.backup-new-*"))


def _made(ledger: Ledger) -> bool:
    for stale in _side_files(ledger.path):
        remove(stale)
    side = ledger.path.with_name(f"{ledger.path.stem}.backup-new-{os.getpid()}{ledger.path.suffix}")
    try:
        private_file(side)
        generation = _copy(ledger, side)
        if not is_sound(side):
            ledger.mend()  # what was copied is broken: better found now than when it is needed
            return False
        with ledger.exclusive():  # nothing can be forgotten between this look and the rename
            if _generation(ledger.path) != generation:
                return False
            side.replace(backup_path(ledger.path))
    finally:
        remove(side)
    write_out(ledger.path.parent)
    _log("ledger: backed up")
    return True


def _copy(ledger: Ledger, side: Path) -> int:
    """Copy one state of the ledger into a file that needs no companions; the generation of that state."""
    with ledger.reading() as source, closing(sqlite3.connect(side, isolation_level=None)) as target:
        generation = tally_of(source).generation
        source.backup(target, pages=_PAGES, sleep=0)
        target.execute("PRAGMA journal_mode = DELETE")
        made_at = ledger.clock().isoformat(timespec="seconds")
        target.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (MADE_AT, made_at))
    return generation


def is_sound(path: Path) -> bool:
    """Read a file that nobody writes, all of it, and say whether it is a ledger without a broken page or row."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True, isolation_level=None)) as connection:
            return soundness.is_sound(connection)
    except sqlite3.Error:
        return False


def _generation(path: Path) -> int:
    with connections.reader(path, 0) as connection:
        return tally_of(connection).generation


def _log(sentence: str) -> None:
    from logging import getLogger

    getLogger("codemind.memory").debug(sentence)
