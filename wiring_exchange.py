"""A third part of the wiring: what goes out of the memory as lines, and comes back. Needs neither graph nor static engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import CodeMindError
from settings import Settings
from wiring import open_ledger, project_of, vector_index

if TYPE_CHECKING:
    from memory.importing import ImportReport
    from memory.ledger import Ledger
    from memory.seed_report import Progress


@dataclass(frozen=True)
class Exchange:
    """Export and import of the ledger's lines, in plain values (JSON). Every method raises what `memory.ledger.Ledger` raises."""

    ledger: Ledger

    def export(self, *, with_tombstones: bool = False) -> Iterator[str]:
        """JSON lines without line ends."""
        from memory.export import export_jsonl

        return export_jsonl(self.ledger, with_tombstones=with_tombstones)

    def sources(self) -> dict[str, int]:
        """How many fixes came from where, the largest first."""
        from memory.source_counts import count_sources

        return count_sources(self.ledger)

    def take(
        self, source: Path | Iterable[bytes], *, restore: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Take lines of an export from a file, or as they come in pieces; the vector index is brought up to date.

        Raises InputInvalidError for a file that can't be one.
        """
        from memory.importing import ImportRequest, import_file, import_stream

        request = ImportRequest(project_of(Path.cwd()), restore, dry_run)
        if isinstance(source, Path):
            done = import_file(self.ledger, source, request, progress)
        else:
            done = import_stream(self.ledger, source, request, progress)
        return {**done.as_plain(), "restore": restore, "dry_run": dry_run, "index": "" if dry_run else self._indexed(done)}

    def _indexed(self, done: ImportReport) -> str:
        """A sentence about the index; whatever fails there, what was taken is safe."""
        from logging import getLogger

        counts = " ".join(f"{name}={value}" for name, value in done.as_plain().items() if isinstance(value, int))
        getLogger("codemind.memory").info("imported: %s", counts)
        try:
            index = vector_index(self.ledger).refresh()
        except CodeMindError as error:
            return f"not up to date: {error.message}"
        return f"{index.said}, {index.rows} vectors"


def open_exchange(settings: Settings) -> Exchange:
    """The exchange of CODEMIND_HOME's ledger; opens nothing."""
    return Exchange(open_ledger(settings))
