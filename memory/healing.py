"""A damaged or missing ledger made anew, by itself: what is readable of it, and what only the automatic backup still has.

The writers' lock is held throughout, so of several processes one mends and the others wait. All is put together in a folder beside the
ledger and takes its place by one rename; the marker of `memory.damage` goes last. A kill at any moment leaves the marker, and whoever
comes next begins again.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errors import MemoryDamagedError
from memory import connections, soundness
from memory.backup import BackupMark, backup_path, is_sound, read_mark
from memory.damage import marker_path, move_with_side_files, quarantined_file
from memory.files import free_name, private_folder, write_out
from memory.merge import Merged, Sources, base_from, merge, new_base
from memory.salvage import opened_damaged
from memory.storage_errors import storage_failure
from memory.tally import read_tally, tally_of, write_tally

if TYPE_CHECKING:
    from memory.ledger import Ledger

NEW_NAME = "new.sqlite3"


@dataclass(frozen=True)
class Healed:
    """A ledger that was made anew: how many fixes it has, how many of them only the backup had (`made_at`: when that was made, empty
    without one), how many at most are missing, and where the damaged file lies (None: it was gone)."""

    fixes: int
    from_backup: int
    made_at: str
    missing: int
    aside: Path | None

    def sentence(self) -> str:
        """One line for the user."""
        what = "The memory's file was gone and has been restored" if self.aside is None else "The memory was damaged and has been mended"
        back = f"{_count(self.fixes)} {'is' if self.fixes == 1 else 'are'} back"
        if self.from_backup:
            back += f", {'all' if self.from_backup == self.fixes else self.from_backup} of them from the backup of {_time(self.made_at)}"
        lost = f"at most {_count(self.missing)} saved since could not be brought back" if self.missing else "none is missing"
        if self.missing and not self.made_at:
            lost = f"at most {_count(self.missing)} could not be brought back"
        lies = "" if self.aside is None else f"; the damaged file is kept at {self.aside}"
        return f"{what}: {back}, {lost}{lies}."


def heal(ledger: Ledger, *, empty: bool = False) -> Healed | None:
    """Make the ledger anew from what there is; None when there is nothing to make it of. `empty` starts without trying.

    The caller holds the writers' lock, and the damaged file lies where the marker says, or the ledger is gone. Raises
    StorageFailedError when the new ledger can't be written (the marker stays, and the next use tries again), MemoryDamagedError when
    the file that lies in the ledger's place can't be read either.
    """
    place = quarantined_file(ledger.path)
    try:
        if place is not None and ledger.path.exists():
            if place.exists():
                return _kept(ledger, place)
            move_with_side_files(ledger.path, place)  # a kill came between the marker and the move
        return _healed(ledger, place, empty=empty)
    except (OSError, sqlite3.Error) as error:
        raise storage_failure(error, ledger.path) or error from error


def note_path(path: Path) -> Path:
    """The sentence that the user has not been told yet."""
    return path.with_name(f"{path.stem}.healed.json")


def take_note(path: Path) -> str:
    """What is to be told of a ledger that mended itself, once; empty for nothing. One stat where there is nothing."""
    note = note_path(path)
    if not note.exists():
        return ""
    try:
        said = str(json.loads(note.read_text(encoding="utf-8"))["said"])
        note.unlink()
    except (OSError, ValueError, KeyError, TypeError):
        with suppress(OSError):
            note.unlink()
        return ""
    return said


def _kept(ledger: Ledger, place: Path) -> Healed:
    """A good file lies there: the user put it in place, or a kill came before the marker was taken away."""
    if not is_sound_ledger(ledger.path):
        raise MemoryDamagedError(f"The file at {ledger.path} can't be read either: remove it, then run `codemind memory recover` again.")
    shutil.rmtree(_folder(ledger.path), ignore_errors=True)
    _clear_workshop(ledger)
    fixes = _settle(ledger)
    return Healed(fixes, 0, "", 0, place)


def is_sound_ledger(path: Path) -> bool:
    """As `memory.backup.is_sound`, of a file that may have unwritten changes beside it."""
    try:
        with connections.reader(path, 0) as connection:
            return soundness.is_sound(connection)
    except sqlite3.Error:
        return False


def _healed(ledger: Ledger, place: Path | None, *, empty: bool) -> Healed | None:
    folder = _folder(ledger.path)
    shutil.rmtree(folder, ignore_errors=True)
    private_folder(folder)
    try:
        merged = _put_together(ledger, place, folder, empty=empty)
        if merged is None:
            return None
        healed = Healed(merged.fixes, merged.from_backup, merged.made_at, merged.missing, place)
        if not empty:
            note = folder / "note.json"
            note.write_text(json.dumps({"said": healed.sentence()}), encoding="utf-8")
            note.replace(note_path(ledger.path))
        _clear_the_place(ledger)
        (folder / NEW_NAME).replace(ledger.path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _settle(ledger)  # last: whoever finds the marker sweeps the folder
    if not empty:
        _log(healed)
    return healed


def _folder(path: Path) -> Path:
    """Where the new ledger is put together."""
    return path.with_name(f"{path.stem}.healing")


def _clear_workshop(ledger: Ledger) -> Path:
    """Delete the folder in which a ledger is put together, and the copies in it; where it is."""
    folder = ledger.path.with_name(f"{ledger.path.stem}.healing")
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _clear_the_place(ledger: Ledger) -> None:
    """A write-ahead log that was left by a ledger which is gone would be played back into the new one."""
    Path(f"{ledger.path}-shm").unlink(missing_ok=True)
    log = Path(f"{ledger.path}-wal")
    if log.exists():
        log.replace(free_name(ledger.path.with_name(f"{ledger.path.stem}.damaged-{ledger.clock():%Y%m%dT%H%M%SZ}{ledger.path.suffix}-wal")))


def _put_together(ledger: Ledger, place: Path | None, folder: Path, *, empty: bool) -> Merged | None:
    """The new ledger in `folder`; None when nothing can be read anywhere."""
    side, tally = folder / NEW_NAME, read_tally(ledger.path)
    if empty:
        new_base(side)
        return Merged(0, 0, "", 0)
    mark = _usable_backup(ledger.path)
    donor = folder / "empty.sqlite3"
    new_base(donor)
    donors = [donor] if mark is None else [backup_path(ledger.path), donor]
    with ExitStack() as stack:
        damaged = None
        if place is not None and place.is_file() and place.stat().st_size:
            damaged = stack.enter_context(opened_damaged(place, folder, donors, tally.last))
        if mark is None and damaged is None:
            return None
        sources = Sources(damaged, mark, tally, backup_path(ledger.path))
        base_from(sources, side)
        merged = merge(sources, side, ledger.clock(), ledger.lock_timeout_s)
    return merged if merged.fixes or mark is not None or merged.is_whole else None


def _usable_backup(path: Path) -> BackupMark | None:
    mark = read_mark(path)
    return mark if mark is not None and is_sound(backup_path(path)) else None


def _settle(ledger: Ledger) -> int:
    """Note how far the ledger in place has come and take the marker away; the number of fixes in it."""
    with connections.reader(ledger.path, ledger.lock_timeout_s) as connection:
        fixes = int(connection.execute("SELECT count(*) FROM alternatives").fetchone()[0])
        write_tally(ledger.path, tally_of(connection))
    marker_path(ledger.path).unlink(missing_ok=True)
    write_out(ledger.path.parent)
    return fixes


def _count(fixes: int) -> str:
    return f"{fixes:,} fix{'' if fixes == 1 else 'es'}"


def _time(made_at: str) -> str:
    """`2026-11-30 09:00 UTC`."""
    return f"{made_at[:10]} {made_at[11:16]} UTC"


def _log(healed: Healed) -> None:
    from logging import getLogger

    getLogger("codemind.memory").info("ledger: mended fixes=%d from_backup=%d missing=%d", healed.fixes, healed.from_backup, healed.missing)
