"""From a line of a seed file to the rows it becomes, or why it becomes none. Pure, and all that takes time in a seed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.exchange import Past
from memory.line_fields import BadSeedError, json_object
from memory.prepare import prepare
from memory.record_fields import time_field
from memory.records import Prepared
from memory.seed_files import MAX_LINE_BYTES
from memory.seed_lines import parse_seed

_TOMBSTONE = b'"tombstone"'
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Origin:
    """What all lines of one seed have in common: project, file (`name` stands in for a missing `source`), and its hash.

    `reading` is empty for a seed; for lines of an export it says how much of them is believed (see `memory.exchange`).
    """

    scope: str = ""
    name: str = ""
    file_hash: str = ""
    reading: Literal["", "file", "backup"] = ""
    may_reject: bool = False
    """True for lines that were made here, of a Git history: what was taken back there is rejected."""


@dataclass(frozen=True)
class Tombstone:
    """That a text was forgotten: the sha256 that `memory.records.text_hash` gives, and when, empty where that is not known."""

    text_hash: str
    created_at: str


@dataclass(frozen=True)
class SeedLine:
    """A line that was read. With neither `bad` nor `tombstone` nor `prepared` it is blank, or its fix changes nothing (`is_unchanged`)."""

    size: int
    bad: str = ""
    is_unchanged: bool = False
    prepared: Prepared | None = None
    created_at: str = ""
    tombstone: Tombstone | None = None
    past: Past | None = None
    """What a backup says happened to the fix."""
    had_secrets: bool = False
    """True when something in a backup was replaced by placeholders."""


def read_seed_line(raw: bytes, now: datetime, origin: Origin) -> SeedLine:
    """Read a line (see `memory.seed_lines`) and prepare what is stored of it. Raises StorageFailedError for an incomplete installation."""
    if not raw.strip():
        return SeedLine(len(raw))
    if len(raw) >= MAX_LINE_BYTES and not raw.endswith(b"\n"):
        return SeedLine(len(raw), f"longer than {MAX_LINE_BYTES // 1_000_000} MB")
    try:
        if (found := tombstone_of(raw)) is not None:
            return SeedLine(len(raw), tombstone=found)
        row = parse_seed(raw, now, origin.scope, origin.file_hash, origin.name, may_reject=origin.may_reject)
    except BadSeedError as error:
        return SeedLine(len(raw), str(error))
    prepared = prepare(row.experience)
    return SeedLine(len(raw), is_unchanged=prepared is None, prepared=prepared, created_at=row.created_at)


def tombstone_of(raw: bytes) -> Tombstone | None:
    """The tombstone that an exported line is; None for every other line. Raises BadSeedError for a damaged one."""
    if _TOMBSTONE not in raw:
        return None
    line = json_object(raw)
    text_hash = line.get("tombstone")
    if text_hash is None or "code" in line or "buggy" in line:
        return None
    if not isinstance(text_hash, str) or not _SHA256.fullmatch(text_hash):
        raise BadSeedError("`tombstone` is no sha256")
    return Tombstone(text_hash, time_field(line, "created_at", None))
