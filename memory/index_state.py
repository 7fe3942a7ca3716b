"""What is known about the vector index without opening it: a small file beside it, and samples of its files.

Chroma does not notice all damage, and some of it ends the whole process (SIGSEGV, abort). So the state of each clean close is written
down: size, time and checksum of every file. What looks different later is not opened here before a child process has done so and lived. A
glance compares sizes, times and samples; before a process opens the files for the first time, all of them are read (`is_intact`).
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import Literal

from memory.files import write_out

Sight = Literal["absent", "sound", "busy", "missing", "suspect"]
"""absent: never built. busy: another process has it open. missing: files are gone. suspect: not closed, or changed from outside."""

DATABASE = "chroma.sqlite3"
FORMAT = 2
_BLOCK = 4096
_BLOCKS = 8
_READ_BYTES = 1 << 20
GRAPH, VECTORS = "link_lists.bin", "data_level0.bin"


@dataclass(frozen=True)
class Extent:
    """Which vectors of the ledger a collection holds: how many, and up to which row. Any insertion or deletion changes one of the two."""

    rows: int
    last: int


@dataclass(frozen=True)
class FileMark:
    """How a file looked: its size in bytes, a checksum over blocks spread across it, when it was written (ns), a checksum of it all."""

    size: int
    sample: int
    written: int
    checksum: int


@dataclass(frozen=True)
class IndexState:
    """The index at its last clean close, or, with `opened_by` (a process id), while it is open.

    `flushes`: made for many rows, so that Chroma writes its graph to files of its own; a small index keeps all in its SQLite file.
    """

    embedder: str
    ledger: str
    flushes: bool
    extents: Mapping[str, Extent] = field(default_factory=dict)
    files: Mapping[str, FileMark] = field(default_factory=dict)
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
        plain["files"] = {name: FileMark(*map(int, mark)) for name, mark in plain["files"].items()}
        return IndexState(**plain)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_state(folder: Path, state: IndexState) -> None:
    """In one step; the index's lock is held, so that what a killed process left of such a file is written over. Raises OSError."""
    path = state_path(folder)
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        marks = {name: list(astuple(mark)) for name, mark in state.files.items()}
        json.dump({"format": FORMAT, **asdict(replace(state, files={})), "files": marks}, file)
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
        return "sound" if _looks_the_same(folder, state.files) else "suspect"
    except OSError:
        return "suspect"


def mark_files(folder: Path, known: Mapping[str, FileMark]) -> dict[str, FileMark]:
    """How each file looks. Those that were not written since they were `known` are not read again. Raises OSError."""
    return {name: _mark(path, known.get(name)) for name, path in _files(folder).items()}


def is_intact(folder: Path, known: Mapping[str, FileMark]) -> bool:
    """Read every file whole: True when each is byte for byte what it was. Raises OSError."""
    files = _files(folder)
    return files.keys() == known.keys() and all(
        path.stat().st_size == known[name].size and _checksum(path) == known[name].checksum for name, path in files.items()
    )


def has_torn_graph(folder: Path) -> bool:
    """True when the lists of neighbours are larger than the vectors: a torn one grows without bound as soon as it is written to."""
    graphs = [path for path in folder.rglob(GRAPH) if path.is_file()]
    return any(path.stat().st_size > path.with_name(VECTORS).stat().st_size for path in graphs if path.with_name(VECTORS).is_file())


def _files(folder: Path) -> dict[str, Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in files}


def _looks_the_same(folder: Path, known: Mapping[str, FileMark]) -> bool:
    """A file that was written since is read whole: in a copy elsewhere the times differ and the content does not."""
    files = _files(folder)
    return files.keys() == known.keys() and all(_is_the_same(path, known[name]) for name, path in files.items())


def _is_the_same(path: Path, known: FileMark) -> bool:
    status = path.stat()
    if status.st_size != known.size or _sample(path) != known.sample:
        return False
    return status.st_mtime_ns == known.written or _checksum(path) == known.checksum


def _mark(path: Path, known: FileMark | None) -> FileMark:
    status, sample = path.stat(), _sample(path)
    is_known = known is not None and (known.size, known.written, known.sample) == (status.st_size, status.st_mtime_ns, sample)
    return known if known is not None and is_known else FileMark(status.st_size, sample, status.st_mtime_ns, _checksum(path))


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            checksum = zlib.crc32(block, checksum)
    return checksum


def _sample(path: Path) -> int:
    size, checksum = path.stat().st_size, 0
    with path.open("rb") as file:
        for number in range(_BLOCKS):
            file.seek(max(0, size - _BLOCK) * number // (_BLOCKS - 1))
            checksum = zlib.crc32(file.read(_BLOCK), checksum)
    return checksum


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
