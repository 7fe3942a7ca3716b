"""Writing stored alternatives anew: after damage, and when a new normaliser gives all keys (and so all ids) another value."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime

from memory.ledger import Ledger
from memory.lookup import is_stale
from memory.prepare import prepare
from memory.records import COLUMNS, StoredAlternative, alternative_of
from memory.writes import restore_counters, store
from schema.experience import Experience

_ALL = f"SELECT {COLUMNS} FROM alternatives a JOIN experiences e ON e.seq = a.experience ORDER BY a.seq"  # noqa: S608 - constants only


def rekey(ledger: Ledger) -> None:
    """Derive every id, key and part again, in one transaction; counters, scopes and times stay. Nothing when keys are fresh.

    An entry whose two sides have become the same for the new normaliser is left out.
    """
    with ledger.writing() as connection:
        if not is_stale(connection):
            return
        alternatives = [alternative_of(row) for row in connection.execute(_ALL).fetchall()]
        scopes = connection.execute("SELECT alternative, scope FROM scopes").fetchall()
        old_keys = dict(connection.execute("SELECT seq, fix_key FROM alternatives").fetchall())
        connection.execute("DELETE FROM experiences")
        connection.execute("DELETE FROM meta WHERE name = 'normaliser'")
        for alternative in alternatives:
            write_back(connection, alternative, ledger.clock(), [scope for owner, scope in scopes if owner == alternative.id])
            _move_verdicts(connection, alternative, old_keys[alternative.id])


def write_back(
    connection: sqlite3.Connection, alternative: StoredAlternative, now: datetime, scopes: list[str] | None = None
) -> int | None:
    """Store an alternative under today's keys with its old counters; its number, None when it is not stored as a row of its own."""
    prepared = prepare(_experience(alternative))
    if prepared is None:
        return None
    saved = store(connection, prepared, now, alternative.created_at)
    if saved.alternative_id is None or saved.status not in ("added", "updated"):
        return None
    restore_counters(connection, replace(alternative, id=saved.alternative_id))
    connection.executemany("INSERT OR IGNORE INTO scopes VALUES (?, ?)", [(saved.alternative_id, scope) for scope in scopes or []])
    return saved.alternative_id


def _move_verdicts(connection: sqlite3.Connection, alternative: StoredAlternative, old_fix_key: str) -> None:
    """What was said of an experience and its fix is said of them under their new keys."""
    prepared = prepare(_experience(alternative))
    if prepared is None:
        return
    old = f"{alternative.experience_id}/{old_fix_key}"
    connection.execute("UPDATE OR REPLACE verdicts SET key = ? WHERE key = ?", (f"{prepared.id}/{prepared.fix_key}", old))
    connection.execute("UPDATE verdicts SET code = ? WHERE code = ?", (prepared.id, alternative.experience_id))
    new = (prepared.id, prepared.fix_key, alternative.experience_id, old_fix_key)
    connection.execute("UPDATE events SET experience = ?, fix_key = ? WHERE experience = ? AND fix_key = ?", new)
    connection.execute("UPDATE verdicts SET origin = ? WHERE origin = ?", (prepared.id, alternative.experience_id))


def _experience(alternative: StoredAlternative) -> Experience:
    return Experience(
        language=alternative.language,
        code=alternative.code,
        fixed_code=alternative.fixed_code,
        explanation=alternative.explanation,
        provenance=alternative.provenance,
        findings=alternative.findings,
        verification=alternative.verification,
        trust=alternative.trust,
        trust_reason=alternative.trust_reason,
        scope=alternative.scope,
        cost=alternative.cost,
    )
