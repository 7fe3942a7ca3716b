"""The second half of the wiring: what a user asks of the memory itself, and of files, without graph, index or static engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import CodeMindError
from settings import Settings
from wiring import open_ledger, project_of, vector_index

if TYPE_CHECKING:
    from integrations.files import SourceFile as SourceFile
    from memory.ledger import Ledger


@dataclass(frozen=True)
class MemoryCare:
    """What a user asks of the ledger itself, in plain values (JSON); needs neither graph nor index nor static engine.

    Every method raises what `memory.ledger.Ledger` raises, those with a path or an id also InputInvalidError.
    """

    ledger: Ledger

    def seed(self, path: Path) -> dict[str, Any]:
        """Learn from a JSONL file: what became of its lines, and of the vector index, which is brought up to date."""
        from memory.seeding import seed_file

        return {**seed_file(self.ledger, path, scope=project_of(Path.cwd())).as_plain(), "index": self._indexed()}

    def _indexed(self) -> str:
        """A sentence about the index; whatever fails there, what was learnt is safe."""
        try:
            done = vector_index(self.ledger).refresh()
        except CodeMindError as error:
            return f"not up to date: {error.message}"
        return f"{done.said}, {done.rows} vectors"

    def rebuild(self) -> dict[str, Any]:
        """Make the vector index anew from the ledger; `aside` is where a damaged one lies, else None."""
        done = vector_index(self.ledger).rebuild()
        return {"vectors": done.rows, "index": done.said, "aside": None if done.aside is None else str(done.aside)}

    def newest(self) -> list[dict[str, Any]]:
        """Everything that is remembered, newest first."""
        from memory.admin import list_experiences

        return [found.as_plain() for found in list_experiences(self.ledger)]

    def show(self, prefix: str) -> dict[str, Any]:
        """The one experience whose id begins with `prefix`."""
        from memory.admin import show

        return show(self.ledger, prefix).as_plain()

    def search(self, text: str) -> list[dict[str, Any]]:
        """Experiences that hold every word of the text."""
        from memory.admin import search

        return [found.as_plain() for found in search(self.ledger, text)]

    def forget(self, prefix: str) -> dict[str, Any]:
        """Delete one experience for good; `leftovers` are files that may still hold its text."""
        from memory.admin import forget

        gone = forget(self.ledger, prefix)
        return {"id": gone.id, "alternatives": gone.alternatives, "leftovers": [str(path) for path in gone.leftovers]}

    def stats(self) -> dict[str, Any]:
        """Counts."""
        from memory.admin import stats

        return stats(self.ledger).as_plain()

    def waiting(self) -> list[dict[str, Any]]:
        """Experiences with a fix that waits for approval."""
        from memory.admin import quarantined

        return [self.show(key) for key in dict.fromkeys(each.experience_id for each in quarantined(self.ledger))]

    def approve(self, prefix: str) -> int:
        """Let an experience's quarantined fixes be offered; how many there were."""
        from memory.admin import approve

        return approve(self.ledger, prefix)

    def export(self) -> Iterator[str]:
        """JSON lines without line ends."""
        from memory.export import export_jsonl

        return export_jsonl(self.ledger)

    def recover(self, *, empty: bool) -> dict[str, Any]:
        """Bring a damaged ledger back; `quarantined` is None when it was not damaged."""
        from memory.recover import recover

        done = recover(self.ledger, empty=empty)
        return {"saved": done.saved, "lost": done.lost, "quarantined": str(done.quarantined) if done.quarantined else None}

    def health(self) -> dict[str, Any]:
        """Is the ledger sound? `problem` is empty when it is, or is not yet made."""
        from memory.admin import health

        found = health(self.ledger)
        return {"path": str(found.path), "exists": found.exists, "problem": found.problem}


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
