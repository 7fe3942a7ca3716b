"""The vector index: Chroma over the ledger's vectors. It can be lost, broken, locked, slow or behind, and no answer changes.

The ledger is the truth; whatever looks wrong here is moved aside and made again from it, without embedding anew. Every use holds the
index's lock and opens and closes its own client inside; a note is left while it is open, so that a killed process is seen. A look-up never
opens a suspect index; what was changed from outside is opened by nobody, and what a killed process left open is opened by a child process
first: damage can end the process that meets it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from errors import CodeMindError, MemoryHealedError, MemoryLockedError, StorageFailedError
from memory.index_content import IndexContent
from memory.index_folder import IndexFolder, IndexUnusableError
from memory.index_state import IndexState, Sight, has_torn_graph
from memory.ledger import LOCK_TIMEOUT_S, Ledger
from memory.vector_rows import Neighbour
from schema.ports import ChildRun

FOLDER_NAME = "chroma"
CATCH_UP_ROWS = 1_000
"""New rows that a look-up puts into the index itself."""
AT_ONCE_ROWS = 1_000
"""Up to so many rows a look-up makes a damaged index again by itself."""
SEARCH_LOCK_S = 0.3
SEARCH_S = 5.0
"""A look-up waits no longer for the index; then the ledger is scanned."""
PROBE_S = 15.0
PROBE_ROWS_A_SECOND = 10_000

REBUILD = "`codemind memory rebuild` makes it again"
MISSING_NOTE = f"the vector index of the memory is gone: answers don't need it, {REBUILD}"
SUSPECT_NOTE = f"the vector index of the memory was damaged or changed from outside: it is skipped, {REBUILD}"
REBUILT_NOTE = "the vector index of the memory was damaged or gone: it was made again from the memory"
SLOW_NOTE = f"the vector index of the memory did not answer in {SEARCH_S:g} s: it is skipped"
BEHIND_NOTE = f"the vector index of the memory is behind: it is skipped, {REBUILD}"

RunChild = Callable[[str, Sequence[str], float], ChildRun]
Found = list[list[Neighbour]] | None


@dataclass(frozen=True)
class IndexReport:
    """What was done to the index: the `rows` it holds now, and a sentence; `aside` is where a damaged one was moved."""

    rows: int
    said: str
    aside: Path | None = None


class VectorIndex:
    """The index of a ledger in the folder at `path`. Making the object touches nothing. `run_child` runs a module of ours in a process
    of its own."""

    def __init__(self, ledger: Ledger, path: Path, run_child: RunChild, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self._ledger = ledger
        self._folder = IndexFolder(path, ledger.clock)
        self._content = IndexContent(ledger, self._folder)
        self._run_child = run_child
        self._lock_timeout_s = lock_timeout_s
        self._notes: list[str] = []
        self._has_looked = False
        self._is_off = False
        self._is_read = False
        """The files were read whole and found what they were: from then on a glance is enough."""

    def take_notes(self) -> tuple[str, ...]:
        """Sentences for the user since the last call, each said once in a process. The first call glances at the files, opening none."""
        if not self._has_looked:
            self._has_looked = True
            sight = self._folder.look()
            if sight in ("missing", "suspect"):
                self._notes.append(MISSING_NOTE if sight == "missing" else SUSPECT_NOTE)
        notes, self._notes = tuple(dict.fromkeys(self._notes)), []
        return notes

    def search(self, language: str, vectors: Sequence[bytes], count: int) -> Found:
        """For each vector its nearest stored texts; None when the index can't tell in time and for certain. Never raises."""
        sight = self._folder.look()
        if self._is_off or sight in ("absent", "busy"):
            return None
        try:
            if sight != "sound" and not self._mended(sight):
                return None
            from memory import chroma_store  # noqa: F401 - late, and before the clock runs: takes a second and a half

            return _within(SEARCH_S, partial(self._search, language, vectors, count))
        except (MemoryLockedError, MemoryHealedError):
            return None
        except TimeoutError:
            self._switch_off(SLOW_NOTE)
        except CodeMindError:
            self._switch_off(SUSPECT_NOTE)
        except _failures():
            self._switch_off(SUSPECT_NOTE)
        return None

    def refresh(self) -> IndexReport:
        """Bring the index up to date, or make it. Raises MemoryLockedError, StorageFailedError and what reading the ledger raises."""
        from memory.revector import complete_streams, complete_vectors  # late, here and below: a look-up has done it by now

        complete_vectors(self._ledger)
        complete_streams(self._ledger)
        with self._folder.locked(self._lock_timeout_s):
            aside = None if self._is_usable() else self._folder.clear_away()
            try:
                rows = self._content.update()
            except _failures():
                aside = self._folder.clear_away()
                rows = self._build()
            return IndexReport(rows, "up to date" if aside is None else _moved(aside), aside)

    def rebuild(self) -> IndexReport:
        """Make the index anew from the ledger, whatever is there; a damaged one is moved aside first. Raises as `refresh`."""
        from memory.revector import complete_streams, complete_vectors

        complete_vectors(self._ledger)
        complete_streams(self._ledger)
        with self._folder.locked(self._lock_timeout_s):
            was_there = self._folder.look() not in ("absent", "missing")
            aside = None if self._is_usable() else self._folder.clear_away()
            rows = self._build()
            self._is_off = False
            return IndexReport(rows, _moved(aside) if aside is not None else "made again" if was_there else "made", aside)

    def forget(self) -> str:
        """Take out what the ledger no longer has, at once; a sentence, empty where there is no index (then Chroma is not imported).

        A small index is made anew, so that its files hold nothing of it either. Never raises: the vectors hold no text.
        """
        if self._folder.look() in ("absent", "missing"):
            return ""
        try:
            return (self.rebuild() if self._content.rows() <= AT_ONCE_ROWS else self.refresh()).said
        except CodeMindError as error:
            return f"not up to date: {error.message}"

    def _build(self) -> int:
        try:
            return self._content.build()
        except _failures() as error:
            reason = (getattr(error, "strerror", None) or type(error).__name__).lower()
            raise StorageFailedError(f"The vector index at {self._folder.path} can't be made: {reason}.") from error

    def _search(self, language: str, vectors: Sequence[bytes], count: int) -> Found:
        with self._folder.locked(SEARCH_LOCK_S):
            if self._folder.look() != "sound":
                return None
            if not self._is_read and not self._folder.is_intact():
                self._switch_off(SUSPECT_NOTE)
                return None
            self._is_read = True
            if self._content.is_behind_by(language) > CATCH_UP_ROWS:
                self._switch_off(BEHIND_NOTE)
                return None
            self._content.update()
            return self._content.query(language, vectors, count)

    def _mended(self, sight: Sight) -> bool:
        """Move a damaged index aside and make it again, where that takes a moment only: less than having a child look at it."""
        if self._content.rows() > AT_ONCE_ROWS:
            self._switch_off(MISSING_NOTE if sight == "missing" else SUSPECT_NOTE)
            return False
        with self._folder.locked(SEARCH_LOCK_S):
            if self._folder.look() != "sound":
                self._folder.clear_away()
                self._content.build()
        self._has_looked = True
        self._notes.append(REBUILT_NOTE)
        _log("index: made again by a look-up sight=%s", sight)
        return True

    def _is_usable(self) -> bool:
        """False for an index that is gone or damaged; true also where there is none yet. The lock is held, so nobody has it open.

        One that was closed must be byte for byte what it was: what was changed from outside is not even tried. One that was left open by a
        process that was killed is tried by a child.
        """
        sight, state = self._folder.look(), self._folder.state()
        if sight == "absent":
            return True
        if sight == "missing" or state is None:
            return False
        if not state.opened_by:
            return sight == "sound" and self._folder.is_intact()
        if not self._is_sound(state):
            return False
        self._folder.note_closed(replace(state, files={}))
        return True

    def _is_sound(self, state: IndexState) -> bool:
        """Ask a child process, which damage may kill and a hang may hold."""
        if has_torn_graph(self._folder.path):
            return False
        rows = {language: extent.rows for language, extent in state.extents.items()}
        asked = json.dumps({"embedder": state.embedder, "rows": rows})
        timeout_s = PROBE_S + sum(rows.values()) / PROBE_ROWS_A_SECOND
        return self._run_child("memory.index_probe", [str(self._folder.path), asked], timeout_s).exit_code == 0

    def _switch_off(self, note: str) -> None:
        """For the rest of this process."""
        self._is_off = self._has_looked = True
        self._notes.append(note)
        _log("index: skipped from now on: %s", note)


def _log(sentence: str, *values: object) -> None:
    from logging import getLogger  # late: a look-up by key doesn't pay for it

    getLogger("codemind.memory").info(sentence, *values)


def _failures() -> tuple[type[Exception], ...]:
    """What Chroma, SQLite and the file system raise for an index that can't be used."""
    from chromadb.errors import ChromaError  # late: only when something was raised

    return (IndexUnusableError, ChromaError, ValueError, KeyError, RuntimeError, OSError, sqlite3.Error, ImportError)


def _moved(aside: Path | None) -> str:
    return "made again" if aside is None else f"damaged: moved to {aside} and made again"


def _within(seconds: float, work: Callable[[], Found]) -> Found:
    """The result of `work`, or TimeoutError; what hangs is left to a thread that does not keep the process alive."""
    from multiprocessing import TimeoutError as PoolTimeoutError
    from multiprocessing.pool import ThreadPool

    pool = ThreadPool(1)
    pending = pool.apply_async(work)
    pool.close()
    try:
        return pending.get(seconds)
    except PoolTimeoutError:
        raise TimeoutError from None
