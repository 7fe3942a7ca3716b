"""Filling the memory from JSONL: streamed, in slices of one transaction each, so that a kill loses nothing that was reported."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from errors import InputInvalidError
from memory.ledger import Ledger
from memory.prepare import prepare
from memory.records import Prepared
from memory.seed_lines import BadSeedError, parse_seed
from schema.experience import Saved

SLICE_ROWS = 200
"""Rows of one transaction."""
SLICE_CHARACTERS = 2_000_000
MAX_LINE_BYTES = 8_000_000
_CHUNK = 1 << 20
_LISTED = 100
"""Bad lines that the report names; all are counted."""


@dataclass(frozen=True)
class BadLine:
    """A line that was not stored, and why."""

    line: int
    reason: str


@dataclass
class SeedReport:
    """What became of the lines read so far; grows slice by slice, and counts only what is safely stored.

    `quarantined` counts those among added and updated that are not offered until approved. `skipped`: the fix changes
    nothing, or the user has forgotten that code or rejected that fix.
    """

    lines: int = 0
    added: int = 0
    updated: int = 0
    duplicate: int = 0
    skipped: int = 0
    quarantined: int = 0
    bad: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)

    @property
    def stored(self) -> int:
        """Lines whose fix is in the ledger now."""
        return self.added + self.updated + self.duplicate

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        counts = {name: getattr(self, name) for name in ("lines", "added", "updated", "duplicate", "skipped", "quarantined", "bad")}
        return {**counts, "bad_lines": [{"line": each.line, "reason": each.reason} for each in self.bad_lines]}

    def count_bad(self, line: int, reason: str) -> None:
        """One line that can't be used."""
        self.bad += 1
        if len(self.bad_lines) < _LISTED:
            self.bad_lines.append(BadLine(line, reason))

    def count_saved(self, prepared: Prepared, saved: Saved) -> None:
        """One line that was handed to the ledger."""
        setattr(self, saved.status, getattr(self, saved.status) + 1)
        if saved.status in ("added", "updated") and prepared.experience.trust == "quarantined":
            self.quarantined += 1


Progress = Callable[[SeedReport], None]


def seed_file(ledger: Ledger, path: Path, *, scope: str = "", progress: Progress | None = None) -> SeedReport:
    """Store every usable line of a JSONL file; running it again changes nothing.

    Raises InputInvalidError when the file is missing, empty, binary or not UTF-8 (nothing is stored then), and what
    `Ledger.store` raises; then the slices before stay stored, and running it again adds only what is missing.
    """
    file_hash = _checked(path)
    try:
        with path.open("rb") as file:
            return seed_jsonl(ledger, read_lines(file), scope=scope, file_hash=file_hash, progress=progress)
    except OSError as error:
        raise _unreadable(path, error) from error


def seed_jsonl(
    ledger: Ledger, lines: Iterable[bytes], *, scope: str = "", file_hash: str = "", progress: Progress | None = None
) -> SeedReport:
    """Store lines from anywhere (see `seed_file`); a line that can't be used is counted with its number and reason."""
    report = SeedReport()
    waiting: list[tuple[Prepared, str]] = []
    characters = 0
    for number, raw in enumerate(lines, start=1):
        report.lines = number
        if not raw.strip():
            continue
        row = _prepared(ledger, raw, number, report, scope, file_hash)
        if row is None:
            continue
        waiting.append(row)
        characters += len(row[0].experience.code) + len(row[0].experience.fixed_code)
        if len(waiting) >= SLICE_ROWS or characters >= SLICE_CHARACTERS:
            _store(ledger, waiting, report, progress)
            waiting, characters = [], 0
    _store(ledger, waiting, report, progress)
    return report


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, one at a time; of a line that is far too long only its beginning, which then is no JSON."""
    first = True
    while raw := file.readline(MAX_LINE_BYTES):
        rest = raw
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE_BYTES)
        yield raw.removeprefix(codecs.BOM_UTF8) if first else raw
        first = False


def _prepared(ledger: Ledger, raw: bytes, number: int, report: SeedReport, scope: str, file_hash: str) -> tuple[Prepared, str] | None:
    try:
        row = parse_seed(raw, ledger.clock(), scope, file_hash)
    except BadSeedError as error:
        report.count_bad(number, str(error))
        return None
    prepared = prepare(row.experience)
    if prepared is None:
        report.skipped += 1
        return None
    return prepared, row.created_at


def _store(ledger: Ledger, waiting: list[tuple[Prepared, str]], report: SeedReport, progress: Progress | None) -> None:
    if waiting:
        saved = ledger.store([prepared for prepared, _ in waiting], [when for _, when in waiting])
        for (prepared, _), each in zip(waiting, saved, strict=True):
            report.count_saved(prepared, each)
    if progress is not None:
        progress(report)


def _checked(path: Path) -> str:
    """The file's sha256. Raises InputInvalidError for a file that can't be JSONL; reads it in pieces."""
    digest, decoder = hashlib.sha256(), codecs.getincrementaldecoder("utf-8")()
    has_content, at = False, 0
    try:
        with path.open("rb") as file:
            for chunk in chain(iter(lambda: file.read(_CHUNK), b""), [b""]):
                if b"\x00" in chunk:
                    raise InputInvalidError(f"{path} is binary or UTF-16 (it holds NUL bytes): seeds are JSON lines in UTF-8.")
                has_content = has_content or bool(chunk.removeprefix(codecs.BOM_UTF8).strip())
                decoder.decode(chunk, final=not chunk)
                digest.update(chunk)
                at += len(chunk)
    except UnicodeDecodeError:
        raise InputInvalidError(f"{path} is not UTF-8 (before byte {at + _CHUNK}): convert it first.") from None
    except OSError as error:
        raise _unreadable(path, error) from error
    if not has_content:
        raise InputInvalidError(f"{path} is empty: nothing to seed.")
    return digest.hexdigest()


def _unreadable(path: Path, error: OSError) -> InputInvalidError:
    return InputInvalidError(f"{path} can't be read: {(error.strerror or 'no access').lower()}.")
