"""From a line of a seed file to the rows it becomes, or why it becomes none. Pure, and all that takes time in a seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.prepare import prepare
from memory.records import Prepared
from memory.seed_files import MAX_LINE_BYTES
from memory.seed_lines import BadSeedError, parse_seed


@dataclass(frozen=True)
class Origin:
    """What all lines of one seed have in common: project, file (`name` stands in for a missing `source`), and its hash."""

    scope: str = ""
    name: str = ""
    file_hash: str = ""


@dataclass(frozen=True)
class SeedLine:
    """A line that was read. With neither `bad` nor `prepared` it is blank, or its fix changes nothing (`is_unchanged`)."""

    size: int
    bad: str = ""
    is_unchanged: bool = False
    prepared: Prepared | None = None
    created_at: str = ""


def read_seed_line(raw: bytes, now: datetime, origin: Origin) -> SeedLine:
    """Read a line (see `memory.seed_lines`) and prepare what is stored of it. Raises StorageFailedError for an incomplete installation."""
    if not raw.strip():
        return SeedLine(len(raw))
    if len(raw) >= MAX_LINE_BYTES and not raw.endswith(b"\n"):
        return SeedLine(len(raw), f"longer than {MAX_LINE_BYTES // 1_000_000} MB")
    try:
        row = parse_seed(raw, now, origin.scope, origin.file_hash, origin.name)
    except BadSeedError as error:
        return SeedLine(len(raw), str(error))
    prepared = prepare(row.experience)
    return SeedLine(len(raw), is_unchanged=prepared is None, prepared=prepared, created_at=row.created_at)
