"""Filling the memory from JSONL: streamed, in slices of one transaction each, so that a kill loses nothing that was reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from memory.ledger import Clock, Ledger
from memory.seed_files import SeedText, keep_stream, open_seeds, read_lines
from memory.seed_report import Progress, SeedReport
from memory.seed_rows import Origin, SeedLine
from memory.seed_workers import read_seed_lines, workers_for
from schema.experience import Saved

Store = Callable[[Sequence[SeedLine]], Sequence[Saved]]
"""Writes a slice in one transaction; an answer for each of its lines."""

SLICE_ROWS = 200
"""Rows of one transaction."""
SLICE_CHARACTERS = 2_000_000
SLICE_LINES = 5_000
"""Lines after which progress is told, also where none of them can be stored."""
STDIN_NAME = "standard input"


def seed_file(ledger: Ledger, path: Path, *, scope: str = "", progress: Progress | None = None) -> SeedReport:
    """Store every usable line of a JSONL file; running it again changes nothing.

    Raises InputInvalidError when the file is missing, empty, binary or UTF-16 (nothing is stored then), and what
    `Ledger.store` raises; then the slices before stay stored, and running it again adds only what is missing.
    """
    with open_seeds(path) as text:
        return _seed_text(ledger, text, scope, progress)


def seed_stream(ledger: Ledger, chunks: Iterable[bytes], *, scope: str = "", progress: Progress | None = None) -> SeedReport:
    """As `seed_file`, of what comes through standard input; it is read to its end before a line is stored."""
    with keep_stream(chunks, STDIN_NAME) as text:
        return _seed_text(ledger, text, scope, progress)


def seed_jsonl(
    ledger: Ledger,
    lines: Iterable[bytes],
    *,
    origin: Origin | None = None,
    progress: Progress | None = None,
    total_bytes: int = 0,
) -> SeedReport:
    """Store lines from anywhere (see `seed_file`); a line that can't be used is counted with its number and reason.

    Where many bytes are announced, the lines are read by several processes; they are stored in their order all the same.
    """
    report = SeedReport(total_bytes=total_bytes)

    def store(rows: Sequence[SeedLine]) -> list[Saved]:
        prepared = [each.prepared for each in rows if each.prepared is not None]
        return ledger.store(prepared, [each.created_at for each in rows])

    store_lines(lines, report, store, ledger.clock, origin or Origin(), progress)
    return report


def store_lines(lines: Iterable[bytes], report: SeedReport, store: Store, clock: Clock, origin: Origin, progress: Progress | None) -> None:
    """Read all lines and store them slice by slice, as `store` does it; `report` says how many bytes there are."""
    waiting = _Waiting(store, report, progress)
    with read_seed_lines(lines, clock, origin, workers_for(report.total_bytes)) as found:
        for line in found:
            waiting.add(line)
    waiting.store()


class _Waiting:
    """Rows that are ready and not yet stored, and how many lines they came from."""

    def __init__(self, store: Store, report: SeedReport, progress: Progress | None) -> None:
        self._store = store
        self._report = report
        self._progress = progress
        self._rows: list[SeedLine] = []
        self._characters = 0
        self._told_lines = 0

    def add(self, line: SeedLine) -> None:
        """Count what can't be stored; store the rest as soon as there is enough of it."""
        self._report.count_line(line.size)
        if line.bad:
            self._report.count_bad(line.bad)
        elif line.is_unchanged:
            self._report.count_skipped("no_change")
        elif line.tombstone is not None and not self._report.takes_tombstones:
            self._report.count_skipped("tombstone")
        elif line.tombstone is not None:
            self._rows.append(line)
        elif line.prepared is not None:
            self._rows.append(line)
            self._characters += len(line.prepared.experience.code) + len(line.prepared.experience.fixed_code)
        lines = self._report.lines - self._told_lines
        if len(self._rows) >= SLICE_ROWS or self._characters >= SLICE_CHARACTERS or lines >= SLICE_LINES:
            self.store()

    def store(self) -> None:
        """One transaction; only then are its rows counted."""
        if self._rows:
            for line, saved in zip(self._rows, self._store(self._rows), strict=True):
                self._report.count_stored(line, saved)
        self._rows, self._characters, self._told_lines = [], 0, self._report.lines
        if self._progress is not None:
            self._progress(self._report)


def _seed_text(ledger: Ledger, text: SeedText, scope: str, progress: Progress | None) -> SeedReport:
    origin = Origin(scope, text.name, text.hash)
    return seed_jsonl(ledger, read_lines(text.file), origin=origin, progress=progress, total_bytes=text.size)
