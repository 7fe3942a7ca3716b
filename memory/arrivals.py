"""When a fix came into this memory: what it says of its own age may be the date of a commit, years ago."""

from __future__ import annotations

import sqlite3

from memory.events import began_at

_ARRIVED = (
    "SELECT max(v.at) FROM events v JOIN alternatives a ON a.fix_key = v.fix_key WHERE a.seq = ? AND v.experience = ? "
    "AND v.action IN ('added', 'updated', 'imported', 'pulled')"
)


def arrived_at(connection: sqlite3.Connection, alternative: int, experience_id: str, created_at: str) -> str:
    """ISO 8601, UTC. Of what is older than the history of the memory no more is known than that, so it counts from its beginning on."""
    (at,) = connection.execute(_ARRIVED, (alternative, experience_id)).fetchone()
    return str(at) if at else max(created_at, began_at(connection))
