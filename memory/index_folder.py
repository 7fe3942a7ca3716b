"""The vector index as a folder: opened with a note, replaced in one step, moved aside when it is damaged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from errors import StorageFailedError
from memory.files import free_name, private_folder, write_out
from memory.index_state import DATABASE, IndexState, Sight, drop_state, is_intact, look, mark_files, read_state, write_state
from memory.ledger import Clock

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

LEAST_FREE_BYTES = 100_000_000
ROW_BYTES = 4_000
"""Disk that a row takes in Chroma, about."""


class IndexUnusableError(Exception):
    """The index can't be used as it is; never leaves the modules of the index."""


@dataclass(frozen=True)
class IndexFolder:
    """`path` holds Chroma's files, a file beside it their state. Every method but `look` needs the lock."""

    path: Path
    clock: Clock

    def look(self) -> Sight:
        """What can be told without opening anything."""
        return look(self.path)

    def state(self) -> IndexState | None:
        """As it was at the last close."""
        return read_state(self.path)

    def is_intact(self) -> bool:
        """Read whole, the files are what they were at the last close."""
        state = self.state()
        try:
            return state is not None and is_intact(self.path, state.files)
        except OSError:
            return False

    @contextmanager
    def locked(self, timeout_s: float) -> Iterator[None]:
        """Hold the index's lock. Raises MemoryLockedError, StorageFailedError."""
        from memory.locking import write_lock  # late: a glance needs no lock

        private_folder(self.path.parent)
        with write_lock(self.path.with_name(f"{self.path.name}.lock"), timeout_s, self.clock):
            self._sweep()
            yield

    @contextmanager
    def opened(self) -> Iterator[tuple[ClientAPI, IndexState]]:
        """A client, with the note that it is open: whoever finds the note later knows that it was never closed."""
        from memory import chroma_store  # late: takes a second and a half to import

        state = self.state()
        if state is None or not (self.path / DATABASE).is_file():
            raise IndexUnusableError
        write_state(self.path, replace(state, opened_by=os.getpid()))
        with chroma_store.opened(self.path) as client:
            yield client, state
        self.note_closed(state)

    def note_closed(self, state: IndexState) -> None:
        """Write down that all is well, and how the files look."""
        write_state(self.path, replace(state, files=mark_files(self.path, state.files), opened_by=0))

    @contextmanager
    def replaced(self, rows: int) -> Iterator[ClientAPI]:
        """A client on a new, empty folder that takes the old one's place at the end: a kill leaves the old index, or none.

        Raises StorageFailedError when so many rows may not fit on the disk.
        """
        from memory import chroma_store

        self._refuse_full_disk(rows)
        fresh = self._beside("new")
        private_folder(fresh)
        try:
            with chroma_store.opened(fresh) as client:
                yield client
            self._put_in_place(fresh)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def clear_away(self) -> Path | None:
        """Move the index aside; only the last one is kept, as the ledger has all that it held. None when there was none."""
        drop_state(self.path)
        if not self.path.exists():
            return None
        for earlier in self.path.parent.glob(f"{self.path.name}.damaged-*"):
            shutil.rmtree(earlier, ignore_errors=True)
        place = free_name(self.path.with_name(f"{self.path.name}.damaged-{self.clock():%Y%m%dT%H%M%SZ}"))
        self.path.rename(place)
        return place

    def _put_in_place(self, fresh: Path) -> None:
        drop_state(self.path)
        old = self._beside("old")
        if self.path.exists():
            self.path.rename(old)
        fresh.rename(self.path)
        write_out(self.path.parent)
        shutil.rmtree(old, ignore_errors=True)

    def _beside(self, end: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{end}-{os.getpid()}")

    def _sweep(self) -> None:
        """What killed builds left behind: whoever holds the lock knows that nobody is building."""
        for end in ("new", "old"):
            for stale in self.path.parent.glob(f"{self.path.name}.{end}-*"):
                shutil.rmtree(stale, ignore_errors=True)

    def _refuse_full_disk(self, rows: int) -> None:
        if shutil.disk_usage(self.path.parent).free < max(LEAST_FREE_BYTES, 2 * rows * ROW_BYTES):
            raise StorageFailedError(f"The vector index at {self.path} was not made: too little space is left on the disk.")
