"""What is known about the vector index without opening it: a small file beside it, and samples of its files.

Chroma does not notice all damage, and some of it ends the whole process (SIGSEGV, abort). So the state of each clean close is written
down, with a sample of every file; what looks different later is not opened here before a child process has done so and lived.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from memory.files import write_out

Sight = Literal["absent", "sound", "busy", "missing", "suspect"]
"""absent: never built. busy: another process has it open. missing: files are gone. suspect: not closed, or changed from outside."""

DATABASE = "chroma.sqlite3"
FORMAT = 1
_BLOCK = 4096
_BLOCKS = 8


@dataclass(frozen=True)
class Extent:
    """Which vectors of the ledger a collection holds: how many, and up to which row. Any insertion or deletion changes one of the two."""

    rows: int
    last: int


@dataclass(frozen=True)
class IndexState:
    """The index at its last clean close, or, with `opened_by` (a process id), while it is open.

    `flushes`: made for many rows, so that Chroma writes its graph to files of its own; a small index keeps all in its SQLite file.
    """

    embedder: str
    ledger: str
    flushes: bool
    extents: Mapping[str, Extent] = field(default_factory=dict)
    files: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    opened_by: int = 0


def state_path(folder: Path) -> Path:
    """The file beside the index's folder."""
    return folder.with_name(f"{folder.name}.json")


def read_state(folder: Path) -> IndexState | None:
    """None when there is none that can be read."""
    try:
        plain = json.loads(state_path(folder).read_text(encoding="utf-8"))
        if plain.pop("format") != FORMAT:
            return None
        plain["extents"] = {name: Extent(**extent) for name, extent in plain["extents"].items()}
        plain["files"] = {name: (int(size), int(sample)) for name, (size, sample) in plain["files"].items()}
        return IndexState(**plain)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_state(folder: Path, state: IndexState) -> None:
    """In one step. Raises OSError."""
    path = state_path(folder)
    fresh = path.with_name(f"{path.name}.new-{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, **asdict(state)}, file)
    fresh.replace(path)
    write_out(path.parent)


def drop_state(folder: Path) -> None:
    """Forget what was known."""
    with suppress(FileNotFoundError):
        state_path(folder).unlink()


def look(folder: Path) -> Sight:
    """A glance that opens nothing: a few milliseconds at most."""
    state = read_state(folder)
    if state is None:
        return "suspect" if folder.exists() else "absent"
    database = folder / DATABASE
    try:
        if not database.is_file() or database.stat().st_size == 0:
            return "missing"
        if state.opened_by:
            return "busy" if state.opened_by != os.getpid() and _is_alive(state.opened_by) else "suspect"
        return "sound" if sample_files(folder) == dict(state.files) else "suspect"
    except OSError:
        return "suspect"


def sample_files(folder: Path) -> dict[str, tuple[int, int]]:
    """For each file its size and a checksum over blocks spread across it. A copy elsewhere has the same. Raises OSError."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _sample(path) for path in files}


def _sample(path: Path) -> tuple[int, int]:
    size, checksum = path.stat().st_size, 0
    with path.open("rb") as file:
        for number in range(_BLOCKS):
            file.seek(max(0, size - _BLOCK) * number // (_BLOCKS - 1))
            checksum = zlib.crc32(file.read(_BLOCK), checksum)
    return size, checksum


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
