"""From a line of an export to the rows it becomes, or why it becomes none. Pure, and all that takes time in an import."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memory.exchange import Record, check_identity, read_record
from memory.line_fields import BadSeedError, json_object
from memory.prepare import prepare
from memory.seed_rows import Origin, SeedLine, tombstone_of
from memory.seed_secrets import without_secrets
from schema.experience import Experience

MAX_LINE_BYTES = 64_000_000
"""Of an exported line: two sides of a large paste, each character written as up to six."""


def read_import_line(raw: bytes, now: datetime, origin: Origin) -> SeedLine:
    """Read a line as `origin.reading` says, check that its keys are those of its code, and prepare what is stored of it."""
    if not raw.strip():
        return SeedLine(len(raw))
    if len(raw) >= MAX_LINE_BYTES and not raw.endswith(b"\n"):
        return SeedLine(len(raw), f"longer than {MAX_LINE_BYTES // 1_000_000} MB")
    try:
        if (found := tombstone_of(raw)) is not None:
            return SeedLine(len(raw), tombstone=found)
        return _read(raw, now, origin)
    except BadSeedError as error:
        return SeedLine(len(raw), str(error))


def _read(raw: bytes, now: datetime, origin: Origin) -> SeedLine:
    read = read_record(json_object(raw), "backup" if origin.reading == "backup" else "file", now)
    clean = without_secrets(read.experience)
    is_same_code = (clean.code, clean.fixed_code) == (read.experience.code, read.experience.fixed_code)
    prepared = prepare(_placed(clean, read, origin))
    check_identity(read, (prepared.id, prepared.fix_key) if prepared is not None and is_same_code else None)
    return SeedLine(
        len(raw),
        is_unchanged=prepared is None,
        prepared=prepared,
        created_at=read.created_at,
        past=read.past,
        had_secrets=clean != read.experience,
    )


def _placed(experience: Experience, read: Record, origin: Origin) -> Experience:
    """What comes from a file belongs to the present project, and can be taken back by that file; a backup says both itself."""
    if read.past is not None:
        return experience
    source = experience.provenance
    if read.made_in_session:
        # The id of a session on another machine says nothing here, and nobody would name it to purge it.
        source = replace(source, ref=f"{origin.name}#{source.ref}" if source.ref else origin.name)
    source = replace(source, ref=source.ref or origin.name, file_hash=origin.file_hash)
    return replace(experience, scope=origin.scope, provenance=source)
