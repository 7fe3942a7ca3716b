"""Taking back what came from one source: a file, a notes page, a repository. Not forgetting: seeding it again brings it back."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from errors import InputInvalidError, MemoryLockedError, StorageFailedError
from memory.admin import leftovers
from memory.backup import drop_backup, renew_backup
from memory.events import note_events
from memory.ledger import Ledger
from memory.verdicts import write_verdict
from memory.writes import stamp

_LISTED = 8
_HASH = re.compile(r"[0-9a-f]{8,64}")
_CHUNK = 1 << 20

_MATCHES = """
SELECT a.seq, e.id, a.fix_key, a.trust, a.ref, a.kind, a.pinned, a.accepted FROM alternatives a
JOIN experiences e ON e.seq = a.experience
WHERE a.ref = :source OR (substr(a.ref, 1, length(:source)) = :source
    AND (substr(a.ref, length(:source) + 1, 1) IN ('/', '#', ':', '@') OR substr(:source, -1) IN ('/', '#', ':', '@')))
 OR (:hash != '' AND substr(a.file_hash, 1, length(:hash)) = :hash)
ORDER BY a.seq
"""
"""The source itself, what stands under it (`notes` holds `notes/7` and `notes#7`), and all of the file with that hash."""
_SOURCES = "SELECT ref FROM alternatives WHERE kind != 'session' AND ref != '' GROUP BY ref ORDER BY count(*) DESC, ref LIMIT ?"


@dataclass(frozen=True)
class Kept:
    """A fix from the source that stays, and why: the user or a test vouched for it."""

    id: str
    why: str


@dataclass(frozen=True)
class Purge:
    """What is taken back, or would be. `fixes` counts alternatives, `experiences` those of which nothing is left."""

    source: str
    fixes: int
    experiences: int
    kept: tuple[Kept, ...] = ()
    leftovers: tuple[Path, ...] = ()
    """Files that may still hold the text, after a purge."""


@dataclass(frozen=True)
class _Row:
    seq: int
    id: str
    fix_key: str
    trust: str
    ref: str
    kind: str
    pinned: int
    accepted: int

    @property
    def why_kept(self) -> str:
        """Empty for what is taken back."""
        if self.kind == "session":
            return "made here"
        if self.pinned:
            return "pinned"
        if self.trust == "rejected":
            return ""
        return "accepted by you" if self.accepted else "proved here" if self.trust == "proved" else ""


def plan_purge(ledger: Ledger, source: str) -> Purge:
    """What `purge` would do; changes nothing. Raises InputInvalidError when nothing comes from the source."""
    with ledger.reading() as connection:
        return _plan(connection, source, _matching(connection, source))


def purge(ledger: Ledger, source: str) -> Purge:
    """Delete every fix from a source but those that were pinned, accepted or proved here, in one transaction.

    `source` is what stands in `provenance.ref`, or the beginning of it up to a `/ # : @`, or the path or sha256 of the seed file. A
    rejection outlives its fix: seeded again it stays rejected. Raises as `plan_purge`.
    """
    with ledger.writing() as connection:
        rows = _matching(connection, source)
        plan = _plan(connection, source, rows)
        _delete(connection, [row for row in rows if not row.why_kept], stamp(ledger.clock()))
        drop_backup(ledger.path)
    with suppress(StorageFailedError, MemoryLockedError):
        ledger.compact()  # what is deleted is overwritten already; this clears the write-ahead log as well
    renew_backup(ledger)
    return Purge(plan.source, plan.fixes, plan.experiences, plan.kept, tuple(leftovers(ledger.path)))


def _matching(connection: sqlite3.Connection, source: str) -> list[_Row]:
    wanted = source.strip()
    if not wanted:
        raise InputInvalidError("Which source? Give what `codemind memory show` prints behind `from`, or the file that was seeded.")
    rows = [_Row(*row) for row in connection.execute(_MATCHES, {"source": wanted, "hash": _hash_of(wanted)})]
    if not rows:
        known = [repr(ref) for (ref,) in connection.execute(_SOURCES, (_LISTED,))]
        which = f"it knows {', '.join(known)}" if known else "nothing in it was imported"
        raise InputInvalidError(f"Nothing in the memory comes from {wanted[:80]!r}: {which}.")
    return rows


def _hash_of(source: str) -> str:
    """The sha256 of a seed file that is still there, or the (beginning of the) hash that was given; empty for neither."""
    path = Path(source)
    with suppress(OSError, ValueError):
        if path.is_file():
            digest = hashlib.sha256()
            with path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
            return digest.hexdigest()
    return source.lower() if _HASH.fullmatch(source.lower()) else ""


def _plan(connection: sqlite3.Connection, source: str, rows: Sequence[_Row]) -> Purge:
    taken = [row for row in rows if not row.why_kept]
    by_experience: dict[str, int] = {}
    for row in taken:
        by_experience[row.id] = by_experience.get(row.id, 0) + 1
    query = "SELECT count(*) FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ?"
    gone = sum(connection.execute(query, (key,)).fetchone()[0] == count for key, count in by_experience.items())
    return Purge(source.strip(), len(taken), gone, tuple(Kept(row.id, row.why_kept) for row in rows if row.why_kept))


def _delete(connection: sqlite3.Connection, rows: Sequence[_Row], when: str) -> None:
    for row in rows:
        if row.trust == "rejected":
            write_verdict(connection, f"{row.id}/{row.fix_key}", "rejected", when, row.id)
    note_events(connection, "purged", [(row.id, row.fix_key, f"{row.kind} {row.ref}".rstrip()) for row in rows], at=when)
    connection.executemany("DELETE FROM alternatives WHERE seq = ?", [(row.seq,) for row in rows])
    connection.execute("DELETE FROM experiences WHERE seq NOT IN (SELECT experience FROM alternatives)")
