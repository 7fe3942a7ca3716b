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
        connection.execute("DELETE FROM experiences")
        connection.execute("DELETE FROM meta WHERE name = 'normaliser'")
        for alternative in alternatives:
            write_back(connection, alternative, ledger.clock(), [scope for owner, scope in scopes if owner == alternative.id])


def write_back(connection: sqlite3.Connection, alternative: StoredAlternative, now: datetime, scopes: list[str] | None = None) -> bool:
    """Store an alternative under today's keys with its old counters; False when it is not stored as a row of its own."""
    prepared = prepare(_experience(alternative))
    if prepared is None:
        return False
    saved = store(connection, prepared, now, alternative.created_at)
    if saved.alternative_id is None or saved.status not in ("added", "updated"):
        return False
    restore_counters(connection, replace(alternative, id=saved.alternative_id))
    connection.executemany("INSERT OR IGNORE INTO scopes VALUES (?, ?)", [(saved.alternative_id, scope) for scope in scopes or []])
    return True


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
    )
