"""`memory compact`: one entry instead of several that are the same, the unused gone where that is asked for, and no row without an owner.

A fix that was pinned, accepted, approved, edited or proved, that was made here or kept in Git is never touched, nor is a rejected or
quarantined one: those protect. All changes are one transaction; a kill leaves the memory before or after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from memory.arrivals import arrived_at
from memory.duplicates import duplicates
from memory.events import BY_HAND, note_fix, origin_of
from memory.ledger import Ledger
from memory.records import StoredAlternative
from memory.writes import stamp

_BARE = (
    "a.trust = 'plausible' AND a.kind != 'session' AND a.pinned = 0 AND a.accepted = 0 AND a.corrected = 0 AND a.kept_in = '' "
    "AND a.trust_reason NOT LIKE 'approved by you%'"
)
"""An import that nobody and nothing has vouched for: only such may go."""
_UNUSED = (
    f"SELECT a.seq, e.id, a.created_at FROM alternatives a JOIN experiences e ON e.seq = a.experience "  # noqa: S608 - constants only
    f"WHERE {_BARE} AND a.uses = 0 AND a.rejected = 0"
)
_OWNERLESS = {
    "verdicts": "subject_kind = 'alternative' AND verdict = 'accepted' AND NOT EXISTS (SELECT 1 FROM alternatives a "
    "JOIN experiences e ON e.seq = a.experience WHERE verdicts.key = e.id || '/' || a.fix_key) "
    "AND NOT EXISTS (SELECT 1 FROM experiences e WHERE e.id = verdicts.origin)",
    "vectors": "NOT EXISTS (SELECT 1 FROM keys k WHERE k.hash = vectors.hash AND k.kind = 'exact' AND k.side = 'buggy')",
    "streams": "NOT EXISTS (SELECT 1 FROM alternatives a WHERE a.seq = streams.alternative)",
    "scopes": "NOT EXISTS (SELECT 1 FROM alternatives a WHERE a.seq = scopes.alternative)",
    "parts": "NOT EXISTS (SELECT 1 FROM alternatives a WHERE a.seq = parts.alternative)",
    "keys": "NOT EXISTS (SELECT 1 FROM alternatives a WHERE a.seq = keys.alternative)",
}
"""Rows that nothing leads to any more. Verdicts that keep a fix or a finding away are no such rows: they protect what comes."""


@dataclass(frozen=True)
class Request:
    """What may go: duplicates always; with `older_than` (days) imports that lie unused for longer; with `keep` unused imports, the oldest
    first, until so many fixes are left; with both only those older, and only as far."""

    older_than: int | None = None
    keep: int | None = None


@dataclass(frozen=True)
class Compaction:
    """What was done to the entries, or would be: fixes merged into others, fixes expired, rows without an owner by table, fixes left."""

    merged: int
    expired: int
    ownerless: dict[str, int]
    fixes: int

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class _Plan:
    merges: Sequence[tuple[StoredAlternative, StoredAlternative]]
    """What stays, and what goes into it."""
    expiring: Sequence[int]


def plan_compaction(ledger: Ledger, request: Request) -> Compaction:
    """What `compact_entries` would do; changes nothing."""
    plan = _plan(ledger, request)
    with ledger.reading() as connection:
        ownerless = {table: _count(connection, f"SELECT count(*) FROM {table} WHERE {rule}") for table, rule in _OWNERLESS.items()}  # noqa: S608
        left = _count(connection, "SELECT count(*) FROM alternatives") - len(plan.merges) - len(plan.expiring)
    return Compaction(len(plan.merges), len(plan.expiring), ownerless, left)


def compact_entries(ledger: Ledger, request: Request) -> Compaction:
    """Do it, in one transaction. What changed while it was planned is left alone. Raises what `Ledger.writing` raises."""
    plan = _plan(ledger, request)
    with ledger.writing() as connection:
        now = stamp(ledger.clock())
        merged = sum(_merge(connection, kept, gone, now) for kept, gone in plan.merges)
        expired = sum(_expire(connection, seq, now) for seq in plan.expiring)
        connection.execute("DELETE FROM experiences WHERE seq NOT IN (SELECT experience FROM alternatives)")
        ownerless = {table: connection.execute(f"DELETE FROM {table} WHERE {rule}").rowcount for table, rule in _OWNERLESS.items()}  # noqa: S608
        return Compaction(merged, expired, ownerless, _count(connection, "SELECT count(*) FROM alternatives"))


def _plan(ledger: Ledger, request: Request) -> _Plan:
    """Compared before the lock is taken: reading many texts takes seconds."""
    with ledger.reading() as connection:
        merges = [(best, each) for best, *others in duplicates(connection) for each in others if _is_bare(connection, each.id)]
        gone = {each.id for _, each in merges}
        kept = {best.id for best, _ in merges}
        return _Plan(merges, _expiring(connection, ledger, request, gone, kept))


def _expiring(connection: sqlite3.Connection, ledger: Ledger, request: Request, gone: set[int], kept: set[int]) -> list[int]:
    """The oldest first. What takes over duplicates counts as new."""
    if request.older_than is None and request.keep is None:
        return []
    unused = [
        (arrived_at(connection, seq, key, created), seq)
        for seq, key, created in connection.execute(_UNUSED).fetchall()
        if seq not in gone and seq not in kept
    ]
    if request.older_than is not None:
        before = stamp(ledger.clock() - timedelta(days=request.older_than))
        unused = [each for each in unused if each[0] < before]
    if request.keep is not None:
        too_many = _count(connection, "SELECT count(*) FROM alternatives") - len(gone) - request.keep
        unused = sorted(unused)[: max(0, too_many)]
    return [seq for _, seq in sorted(unused)]


def _merge(connection: sqlite3.Connection, kept: StoredAlternative, gone: StoredAlternative, now: str) -> bool:
    """Add up counters and scopes, and note where the other came from: its ref is in the history of what stays."""
    both = connection.execute("SELECT count(*) FROM alternatives WHERE seq IN (?, ?)", (kept.id, gone.id)).fetchone()[0]
    if both < 2 or not _is_bare(connection, gone.id):  # noqa: PLR2004 - both
        return False
    connection.execute(
        "UPDATE alternatives SET (uses, rejected, last_used_at) = (SELECT alternatives.uses + b.uses, alternatives.rejected + b.rejected, "
        "nullif(max(coalesce(alternatives.last_used_at, ''), coalesce(b.last_used_at, '')), '') FROM alternatives b WHERE b.seq = ?) "
        "WHERE seq = ?",
        (gone.id, kept.id),
    )
    connection.execute("INSERT OR IGNORE INTO scopes SELECT ?, scope FROM scopes WHERE alternative = ?", (kept.id, gone.id))
    note_fix(connection, "merged", kept.id, origin_of(gone.provenance), f"took over {gone.experience_id}", at=now)
    note_fix(connection, "merged", gone.id, BY_HAND, f"into {kept.experience_id}", at=now)
    _remove(connection, gone.id)
    return True


def _expire(connection: sqlite3.Connection, seq: int, now: str) -> bool:
    """Without a tombstone: seeding brings it back."""
    row = connection.execute(f"{_UNUSED} AND a.seq = ?", (seq,)).fetchone()
    if row is None:
        return False
    note_fix(connection, "expired", seq, BY_HAND, at=now)
    _remove(connection, seq)
    return True


def _remove(connection: sqlite3.Connection, seq: int) -> None:
    """Housekeeping of one memory: what was shared from it stays with the others, so no withdrawal is left to be sent."""
    connection.execute("DELETE FROM revisions WHERE alternative = ?", (seq,))
    connection.execute("DELETE FROM alternatives WHERE seq = ?", (seq,))


def _is_bare(connection: sqlite3.Connection, seq: int) -> bool:
    return connection.execute(f"SELECT 1 FROM alternatives a WHERE {_BARE} AND a.seq = ?", (seq,)).fetchone() is not None  # noqa: S608


def _count(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
