"""Writing what comes from an export: a file's lines as an import, one's own backup as it was."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

from memory.exchange import Past
from memory.records import Prepared
from memory.seed_rows import SeedLine, Tombstone
from memory.writes import set_trust, stamp, store
from schema.experience import Saved
from schema.fix import LEVELS

_RANK = {"rejected": 0, "quarantined": 1, "plausible": 2, "proved": 3}
_REJECTED_THERE = "rejected in the backup"


def store_line(connection: sqlite3.Connection, line: SeedLine, now: datetime) -> Saved:
    """Write one line inside the caller's transaction; see `memory.writes.store` for the answers. A tombstone that is new is `added`.

    What the memory has already is not written again: of a backup it takes over what is stronger there (see `_merge`).
    """
    if line.tombstone is not None:
        return _store_tombstone(connection, line.tombstone, now)
    if line.prepared is None:
        raise ValueError("a line without a fix is not stored")
    saved = store(connection, line.prepared, now, line.created_at)
    if line.past is not None and saved.alternative_id is not None and saved.status != "skipped":
        if saved.status == "duplicate":
            _merge(connection, saved.alternative_id, line.prepared, line.past, line.created_at)
        else:
            _give_back(connection, saved, line.past)
    return saved


def _store_tombstone(connection: sqlite3.Connection, tombstone: Tombstone, now: datetime) -> Saved:
    values = (tombstone.text_hash, tombstone.created_at or stamp(now))
    is_new = connection.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", values).rowcount
    return Saved("added" if is_new else "duplicate")


def _give_back(connection: sqlite3.Connection, saved: Saved, past: Past) -> None:
    """To a row that was just written: its counters, its projects, and when its code was first stored."""
    counters = past.counters
    connection.execute(
        "UPDATE alternatives SET uses = ?, accepted = ?, rejected = ?, pinned = ?, last_used_at = ?, corrected = ?, kept_in = ? "
        "WHERE seq = ?",
        (
            counters.uses,
            counters.accepted,
            counters.rejected,
            int(counters.pinned),
            counters.last_used_at or None,
            counters.corrected,
            counters.kept_in,
            saved.alternative_id,
        ),
    )
    _add_scopes(connection, saved.alternative_id, past)
    if past.known_since:
        changed = "created_at = ?" if saved.status == "added" else "created_at = min(created_at, ?)"
        connection.execute(f"UPDATE experiences SET {changed} WHERE id = ?", (past.known_since, saved.id))  # noqa: S608 - one of two


def _merge(connection: sqlite3.Connection, alternative: int, prepared: Prepared, past: Past, created_at: str) -> None:
    """Into a row that is there: the larger counters, the earlier time, and of trust and evidence the stronger."""
    counters = past.counters
    connection.execute(
        "UPDATE alternatives SET uses = max(uses, ?), accepted = max(accepted, ?), rejected = max(rejected, ?), pinned = max(pinned, ?), "
        "corrected = max(corrected, ?), kept_in = CASE kept_in WHEN '' THEN ? ELSE kept_in END, "
        "last_used_at = nullif(max(coalesce(last_used_at, ''), ?), ''), "
        "created_at = CASE WHEN ? BETWEEN '1' AND created_at THEN ? ELSE created_at END WHERE seq = ?",
        (
            counters.uses,
            counters.accepted,
            counters.rejected,
            int(counters.pinned),
            counters.corrected,
            counters.kept_in,
            counters.last_used_at,
            created_at,
            created_at,
            alternative,
        ),
    )
    _add_scopes(connection, alternative, past)
    _strengthen(connection, alternative, prepared)


def _strengthen(connection: sqlite3.Connection, alternative: int, prepared: Prepared) -> None:
    """The higher trust and level of both. A rejection in the backup counts unless the user vouches for the fix here."""
    query = "SELECT trust, verification, fix_hash, accepted, pinned FROM alternatives WHERE seq = ?"
    trust, verification, fix_hash, accepted, pinned = connection.execute(query, (alternative,)).fetchone()
    experience = prepared.experience
    if experience.trust == "rejected":
        if trust in ("plausible", "quarantined") and not accepted and not pinned:
            set_trust(connection, alternative, "rejected", experience.trust_reason or _REJECTED_THERE)
        return
    if _RANK[experience.trust] > _RANK[trust]:
        set_trust(connection, alternative, experience.trust, experience.trust_reason)
    level = json.loads(verification).get("level", "none")
    is_better = LEVELS.index(experience.verification.level) > (LEVELS.index(level) if level in LEVELS else 0)
    if is_better and fix_hash == prepared.fix_hash:  # what was checked is that very text
        plain = json.dumps(experience.verification.as_plain())
        connection.execute("UPDATE alternatives SET verification = ? WHERE seq = ?", (plain, alternative))


def _add_scopes(connection: sqlite3.Connection, alternative: int | None, past: Past) -> None:
    connection.executemany("INSERT OR IGNORE INTO scopes VALUES (?, ?)", [(alternative, scope) for scope in past.scopes])
