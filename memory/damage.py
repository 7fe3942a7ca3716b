"""A ledger that can't be read is moved aside, never deleted and never silently replaced.

A marker file beside it makes every later use fail with the same sentence, until the user runs `codemind memory recover`.
The marker is written before the move, so no moment exists in which a missing file looks like a new home.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from errors import MemoryDamagedError
from memory.files import free_name, with_side_files, write_out

RECOVER_COMMAND = "codemind memory recover"


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


def refuse_damaged(path: Path) -> None:
    """Raise MemoryDamagedError while the marker stands."""
    place = quarantined_file(path)
    if place is not None:
        raise damaged_error(place)


def damaged_error(place: Path) -> MemoryDamagedError:
    """The user's sentence: where the file is, what to run."""
    return MemoryDamagedError(
        f"The memory can't be read; it was moved to {place}, nothing was deleted. Run `{RECOVER_COMMAND}` to save what is readable."
    )


def quarantine(path: Path, seen: Identity | None, clock: Callable[[], datetime]) -> MemoryDamagedError:
    """Move the file that was `seen` (with its companions) aside and leave the marker; the caller holds the write lock.

    Another process may have done it already: then its file is named. A folder that can't be written keeps the file.
    """
    place = quarantined_file(path)
    if place is not None:
        return damaged_error(place)
    try:
        if seen is not None and Identity.of(path) != seen:
            return MemoryDamagedError("The memory could not be read and was replaced meanwhile: run the same command again.")
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


def _write_marker(path: Path, place: Path, now: datetime) -> None:
    marker = marker_path(path)
    fresh = marker.with_suffix(".new")
    fresh.write_text(json.dumps({"moved_to": place.name, "when": now.isoformat(timespec="seconds")}), encoding="utf-8")
    fresh.replace(marker)
    write_out(path.parent)


def move_with_side_files(path: Path, place: Path) -> None:
    """Rename a database and its companions; the database itself last, so that a kill between is seen as not yet moved."""
    for file in reversed(with_side_files(path)):
        file.rename(f"{place}{file.name.removeprefix(path.name)}")
    write_out(path.parent)
