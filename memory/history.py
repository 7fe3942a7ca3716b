"""What `memory history` tells: the events of one experience, or the newest of all. Older entries begin with a word on it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from errors import InputInvalidError
from memory.admin import MIN_PREFIX, load_experiences, resolve
from memory.events import Event, events_of, latest_events, origin_of
from memory.ledger import Ledger

NEWEST = 50
"""Events that are shown without an id."""
_ARRIVALS = frozenset({"added", "updated", "imported", "pulled"})
_BEFORE = "before this history began"


@dataclass(frozen=True)
class Told:
    """An event with what is known of its fix today: the author of what came in, and its number as `memory show` prints it."""

    event: Event
    author: str = ""
    fix: int | None = None
    """Only in the history of one experience, while the fix is there."""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        event = self.event
        return {
            "at": event.at,
            "action": event.action,
            "id": event.experience_id,
            "fix": self.fix,
            "fix_key": event.fix_key,
            "origin": event.origin,
            "author": self.author,
            "detail": event.detail,
        }


def history(ledger: Ledger, prefix: str | None = None, limit: int | None = NEWEST) -> list[Told]:
    """Newest last. Of one experience all, also after it was forgotten or purged; else the last `limit` (None: all).

    Raises InputInvalidError when no experience, past ones too, or more than one begins with `prefix`.
    """
    with ledger.reading() as connection:
        if prefix is None:
            return [Told(event, _author(connection, event)) for event in latest_events(connection, limit)]
        return _of_one(connection, _past_or_present(connection, prefix))


def _of_one(connection: sqlite3.Connection, key: str) -> list[Told]:
    events = events_of(connection, key)
    numbers: dict[str, int] = {}
    if connection.execute("SELECT 1 FROM experiences WHERE id = ?", (key,)).fetchone():
        (found,) = load_experiences(connection, [key])
        keys = dict(
            connection.execute(
                "SELECT seq, fix_key FROM alternatives a WHERE a.seq IN (SELECT a.seq FROM alternatives a "
                "JOIN experiences e ON e.seq = a.experience WHERE e.id = ?)",
                (key,),
            ).fetchall()
        )
        numbers = {keys[row]: number for row, number in found.numbers.items()}
        noted = {event.fix_key for event in events if event.action in _ARRIVALS}
        older = [
            Event(0, each.created_at, "added", key, keys[each.id], origin_of(each.provenance), _BEFORE)
            for each in found.alternatives
            if keys[each.id] not in noted
        ]
        events = [*sorted(older, key=lambda event: event.at), *events]
    return [Told(event, _author(connection, event), numbers.get(event.fix_key)) for event in events]


def _author(connection: sqlite3.Connection, event: Event) -> str:
    """Who wrote what came in, while it is stored."""
    if event.action not in _ARRIVALS:
        return ""
    query = "SELECT a.author FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ? AND a.fix_key = ?"
    row = connection.execute(query, (event.experience_id, event.fix_key)).fetchone()
    return str(row[0]) if row else ""


def _past_or_present(connection: sqlite3.Connection, prefix: str) -> str:
    """The id of what is stored, else of what has left its history."""
    try:
        return resolve(connection, prefix)
    except InputInvalidError:
        wanted = prefix.strip().lower()
        query = "SELECT DISTINCT experience FROM events WHERE substr(experience, 1, ?) = ? LIMIT 2"
        rows = connection.execute(query, (len(wanted), wanted)).fetchall() if wanted.isalnum() else []
        if len(rows) != 1 or len(wanted) < MIN_PREFIX:
            raise
        return str(rows[0][0])
