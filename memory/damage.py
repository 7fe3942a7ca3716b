"""A ledger that can't be read is moved aside, never deleted and never silently replaced.

A marker file beside it says so until `memory.healing` has made a new ledger of what is readable and of the backup. The marker is written
before the move, so no moment exists in which a missing file looks like a new home. Where there is nothing to make a ledger of, every later
use fails with the same sentence, until the user runs `codemind memory recover`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from errors import MemoryDamagedError, MemoryHealedError
from memory.files import free_name, with_side_files, write_out

RECOVER_COMMAND = "codemind memory recover"
REPLACED = "The memory could not be read and was replaced meanwhile: run the same command again."

P = ParamSpec("P")
T = TypeVar("T")


def again_when_healed(work: Callable[P, T]) -> Callable[P, T]:
    """Call once more what met damage that was mended meanwhile: the first call changed nothing."""

    @wraps(work)
    def call(*given: P.args, **named: P.kwargs) -> T:
        try:
            return work(*given, **named)
        except MemoryHealedError:
            return work(*given, **named)

    return call


@dataclass(frozen=True)
class Identity:
    """Which file was opened: another process may have replaced it by the time damage is seen."""

    device: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> Identity:
        """Raises OSError when the file is missing."""
        status = path.stat()
        return cls(status.st_dev, status.st_ino)


def marker_path(path: Path) -> Path:
    """The marker of the ledger at `path`."""
    return path.with_name(f"{path.stem}.damaged.json")


def quarantined_file(path: Path) -> Path | None:
    """Where the damaged ledger lies, None without a marker. An unreadable marker counts: the newest moved file is meant."""
    marker = marker_path(path)
    try:
        name = str(json.loads(marker.read_text(encoding="utf-8"))["moved_to"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError):
        moved = sorted(path.parent.glob(f"{path.stem}.damaged-*{path.suffix}"))
        return moved[-1] if moved else path
    return path.with_name(Path(name).name)


def is_hopeless(path: Path) -> bool:
    """True when mending was tried and there was nothing to make a ledger of."""
    try:
        return bool(json.loads(marker_path(path).read_text(encoding="utf-8"))["hopeless"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def give_up(path: Path, place: Path | None, now: datetime) -> MemoryDamagedError:
    """Note that there is nothing to make a ledger of, so that it is not tried at each use; the user's sentence. Raises OSError."""
    if place is None:
        return lost_error(path)
    _write_marker(path, place, now, hopeless=True)
    return damaged_error(place)


def lost_error(path: Path) -> MemoryDamagedError:
    """The sentence for a ledger that was there and is not, without a backup."""
    return MemoryDamagedError(
        f"The memory's file {path} is gone, and there is no backup of it: put it back, "
        f"or start an empty memory with `{RECOVER_COMMAND} --empty`."
    )


def damaged_error(place: Path) -> MemoryDamagedError:
    """The user's sentence: where the file is, what to run."""
    return MemoryDamagedError(
        f"The memory can't be read, and there is no backup; it was moved to {place}, nothing was deleted. Run `{RECOVER_COMMAND}`."
    )


def quarantine(path: Path, seen: Identity | None, clock: Callable[[], datetime]) -> MemoryDamagedError:
    """Move the file that was `seen` (with its companions) aside and leave the marker; the caller holds the write lock.

    Another process may have done it already: then its file is named. A folder that can't be written keeps the file.
    """
    place = quarantined_file(path)
    if place is not None:
        return damaged_error(place)
    try:
        if seen is not None and (not path.exists() or Identity.of(path) != seen):
            return MemoryHealedError(REPLACED)
        from logging import getLogger  # late: a sound ledger needs none

        moved = _move_aside(path, clock())
        getLogger("codemind.memory").info("ledger: damaged, moved aside")
        return damaged_error(moved)
    except OSError as error:
        return unmoved_error(path, error)


def unmoved_error(path: Path, error: OSError) -> MemoryDamagedError:
    """The sentence for a damaged file that could not be moved."""
    reason = (error.strerror or "no access").lower()
    return MemoryDamagedError(
        f"The memory at {path} can't be read, and it could not be moved aside ({reason}): "
        f"make the folder writable, then run `{RECOVER_COMMAND}`."
    )


def _move_aside(path: Path, now: datetime) -> Path:
    place = free_name(path.with_name(f"{path.stem}.damaged-{now:%Y%m%dT%H%M%SZ}{path.suffix}"))
    _write_marker(path, place, now)
    move_with_side_files(path, place)
    return place


def _write_marker(path: Path, place: Path, now: datetime, *, hopeless: bool = False) -> None:
    marker = marker_path(path)
    fresh = marker.with_suffix(".new")
    plain = {"moved_to": place.name, "when": now.isoformat(timespec="seconds"), "hopeless": hopeless}
    fresh.write_text(json.dumps(plain), encoding="utf-8")
    fresh.replace(marker)
    write_out(path.parent)


def move_with_side_files(path: Path, place: Path) -> None:
    """Rename a database and its companions; the database itself last, so that a kill between is seen as not yet moved."""
    for file in reversed(with_side_files(path)):
        file.rename(f"{place}{file.name.removeprefix(path.name)}")
    write_out(path.parent)
