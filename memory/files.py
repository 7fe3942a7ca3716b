"""The files around a ledger: names that are free, files only the user can read, and a folder's own write-out."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

SIDE_FILES = ("-wal", "-shm")
"""SQLite's companions of a database in WAL mode; they move and go with it."""


def private_folder(folder: Path) -> None:
    """Make `folder` (and its parents) when it is missing; a new one is the user's alone. Raises OSError."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def private_file(path: Path) -> None:
    """Make an empty file that only the user can read. Raises OSError, FileExistsError included."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def with_side_files(path: Path) -> list[Path]:
    """`path` and those of its companions that exist."""
    return [path, *(side for side in map(Path, (f"{path}{end}" for end in SIDE_FILES)) if side.exists())]


def free_name(path: Path) -> Path:
    """`path`, or the first `stem-2`, `stem-3`, ... that does not exist."""
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate


def remove(path: Path) -> None:
    """Delete a file and its companions; what is not there is no error."""
    for name in (str(path), *(f"{path}{end}" for end in SIDE_FILES)):
        with suppress(OSError):
            Path(name).unlink()


def write_out(folder: Path) -> None:
    """Make renames and links in `folder` survive a power cut, where the system can do that."""
    if os.name != "posix":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
