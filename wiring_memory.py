"""The second half of the wiring: what a user asks of the memory itself, and of files, without graph, index or static engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from settings import Settings
from wiring import open_ledger

if TYPE_CHECKING:
    from integrations.files import SourceFile
    from memory.admin import Forgotten, Health, Stats, StoredExperience
    from memory.ledger import Ledger
    from memory.records import StoredAlternative
    from memory.recover import Recovery
    from memory.seeding import SeedReport


@dataclass(frozen=True)
class MemoryCare:
    """Look into the ledger and care for it. Every method raises what `memory.ledger.Ledger` raises."""

    ledger: Ledger

    def seed(self, path: Path, progress: Callable[[SeedReport], None] | None = None) -> SeedReport:
        """Learn from a JSONL file. Raises InputInvalidError for a file that can't be read."""
        from memory.seeding import seed_file

        return seed_file(self.ledger, path, progress=progress)

    def newest(self) -> list[StoredExperience]:
        """Everything that is remembered, newest first."""
        from memory.admin import list_experiences

        return list_experiences(self.ledger)

    def show(self, prefix: str) -> StoredExperience:
        """The one experience whose id begins with `prefix`. Raises InputInvalidError."""
        from memory.admin import show

        return show(self.ledger, prefix)

    def search(self, text: str) -> list[StoredExperience]:
        """Experiences that hold every word of the text."""
        from memory.admin import search

        return search(self.ledger, text)

    def forget(self, prefix: str) -> Forgotten:
        """Delete one experience for good. Raises InputInvalidError."""
        from memory.admin import forget

        return forget(self.ledger, prefix)

    def stats(self) -> Stats:
        """Counts."""
        from memory.admin import stats

        return stats(self.ledger)

    def quarantined(self) -> list[StoredAlternative]:
        """Fixes that wait for approval."""
        from memory.admin import quarantined

        return quarantined(self.ledger)

    def approve(self, prefix: str) -> int:
        """Let an experience's quarantined fixes be offered; how many there were. Raises InputInvalidError."""
        from memory.admin import approve

        return approve(self.ledger, prefix)

    def export(self) -> Iterator[str]:
        """JSON lines without line ends."""
        from memory.export import export_jsonl

        return export_jsonl(self.ledger)

    def recover(self, *, empty: bool) -> Recovery:
        """Bring a damaged ledger back."""
        from memory.recover import recover

        return recover(self.ledger, empty=empty)

    def health(self) -> Health:
        """Is the ledger sound?"""
        from memory.admin import health

        return health(self.ledger)


def open_care(settings: Settings) -> MemoryCare:
    """The care of CODEMIND_HOME's ledger; opens nothing."""
    return MemoryCare(open_ledger(settings))


def read_source(path: str) -> SourceFile:
    """Read a source file strictly. Raises InputInvalidError."""
    from integrations.files import read_source_file

    return read_source_file(path)


def write_source(file: SourceFile, text: str) -> None:
    """Write the fixed text (LF) into the file that was read. Raises InputInvalidError, StorageFailedError."""
    from integrations.files import write_atomically

    write_atomically(file, text)


def sandbox_selftest() -> list[tuple[str, bool, str]]:
    """Attack the sandbox: name of each attack, whether it was stopped, what was seen. Takes some eight seconds."""
    from integrations.sandbox_selftest import selftest

    return selftest()
