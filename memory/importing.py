"""`memory import`: lines of an export come back, as from any file or as one's own backup. Streamed, in slices of one transaction each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from memory.damage import again_when_healed
from memory.events import note_saved
from memory.foresight import foreseeing
from memory.import_rows import MAX_LINE_BYTES
from memory.ledger import Ledger
from memory.restoring import store_line
from memory.seed_files import SeedText, keep_stream, open_seeds, read_lines
from memory.seed_report import Progress, SeedReport
from memory.seed_rows import Origin, SeedLine
from memory.seeding import STDIN_NAME, store_lines
from schema.experience import Saved


@dataclass
class ImportReport(SeedReport):
    """What became of the lines of an export. `secrets` counts lines of a backup in which a secret was replaced by a placeholder."""

    secrets: int = 0

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return {**super().as_plain(), "tombstones": 0, "secrets": self.secrets}


@dataclass
class RestoreReport(ImportReport):
    """The same of one's own backup. `tombstones` counts what is forgotten from now on; those known before are `duplicate`."""

    takes_tombstones: ClassVar[bool] = True
    tombstones: int = 0

    def count_stored(self, line: SeedLine, saved: Saved) -> None:
        """One line that was handed to the ledger, with the answer."""
        self.secrets += line.had_secrets and saved.status in ("added", "updated")
        if line.tombstone is None:
            super().count_stored(line, saved)
        elif saved.status == "added":
            self.tombstones += 1
        else:
            self.duplicate += 1

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return {**super().as_plain(), "tombstones": self.tombstones}


@dataclass(frozen=True)
class ImportRequest:
    """How a file is read. `restore`: it is the user's own backup. `dry_run`: nothing is written, only foreseen."""

    scope: str = ""
    restore: bool = False
    dry_run: bool = False


def import_file(ledger: Ledger, path: Path, request: ImportRequest, progress: Progress | None = None) -> ImportReport:
    """Store every usable line of an export; running it again changes nothing.

    Raises InputInvalidError when the file is missing, empty, binary or UTF-16 (nothing is stored then), and what
    `Ledger.store` raises; then the slices before stay stored, and running it again adds only what is missing.
    """
    with open_seeds(path) as text:
        return _import_text(ledger, text, request, progress)


def import_stream(ledger: Ledger, chunks: Iterable[bytes], request: ImportRequest, progress: Progress | None = None) -> ImportReport:
    """As `import_file`, of what comes through standard input; it is read to its end before a line is stored."""
    with keep_stream(chunks, STDIN_NAME) as text:
        return _import_text(ledger, text, request, progress)


def _import_text(ledger: Ledger, text: SeedText, request: ImportRequest, progress: Progress | None) -> ImportReport:
    origin = Origin(request.scope, text.name, text.hash, "backup" if request.restore else "file")
    report = (RestoreReport if request.restore else ImportReport)(total_bytes=text.size)
    with foreseeing(ledger) if request.dry_run else nullcontext(_Writer(ledger)) as store:
        store_lines(read_lines(text.file, MAX_LINE_BYTES), report, store, ledger.clock, origin, progress)
    return report


@dataclass(frozen=True)
class _Writer:
    """Writes a slice in one transaction, with its events."""

    ledger: Ledger

    @again_when_healed
    def __call__(self, rows: Sequence[SeedLine]) -> list[Saved]:
        """An answer for each line."""
        with self.ledger.writing() as connection:
            now = self.ledger.clock()
            saved = [store_line(connection, line, now) for line in rows]
            fixes = [(line.prepared, done) for line, done in zip(rows, saved, strict=True) if line.prepared is not None]
            note_saved(connection, [each for each, _ in fixes], [done for _, done in fixes], now, "imported")
            return saved
