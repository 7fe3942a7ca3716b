"""The history of the memory: what was done to which fix, when, and where that came from.

Whoever changes an experience notes it in the same transaction. An event holds ids, refs and counts, never code, explanations or what an
import says of itself, so that nothing has to be looked for when a text is forgotten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from memory.records import Prepared
from schema.experience import Provenance, Saved

Action = Literal[
    "added",
    "updated",
    "accepted",
    "rejected",
    "taken back",
    "pinned",
    "unpinned",
    "approved",
    "edited",
    "reverted",
    "merged",
    "expired",
    "imported",
    "pulled",
    "purged",
    "forgotten",
]
BY_HAND = "command"
"""The origin of what the user did with `codemind memory ...`."""
IN_SESSION = "session"
"""The origin of what the user did in a session, where the id of the session is not known."""
_INSERT = "INSERT INTO events (at, action, experience, fix_key, origin, detail) VALUES (?, ?, ?, ?, ?, ?)"
_CHANGED = frozenset({"added", "updated"})
_COLUMNS = "seq, at, action, experience, fix_key, origin, detail"


@dataclass(frozen=True)
class Event:
    """One change. `at` is ISO 8601 in UTC; `number` rises with time."""

    number: int
    at: str
    action: str
    experience_id: str
    fix_key: str = ""
    origin: str = ""
    detail: str = ""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


def note_event(  # noqa: PLR0913 - the columns of a row
    connection: sqlite3.Connection,
    action: Action,
    experience_id: str,
    fix_key: str = "",
    origin: str = "",
    detail: str = "",
    *,
    at: datetime | str = "",
) -> None:
    """Write one event inside the caller's transaction. `fix_key` "" is about all fixes; without `at` it is now."""
    connection.execute(_INSERT, (_moment(at), action, experience_id, fix_key, origin, detail))


def note_fix(
    connection: sqlite3.Connection, action: Action, alternative: int, origin: str = "", detail: str = "", *, at: datetime | str = ""
) -> None:
    """Write one event about a stored alternative, by its row number; nothing when there is none. To be called before it is deleted."""
    connection.execute(
        "INSERT INTO events (at, action, experience, fix_key, origin, detail) SELECT ?, ?, e.id, a.fix_key, ?, ? "
        "FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE a.seq = ?",
        (_moment(at), action, origin, detail, alternative),
    )


def note_events(connection: sqlite3.Connection, action: Action, of: Iterable[tuple[str, str, str]], *, at: datetime | str = "") -> None:
    """Write one event for each (experience id, fix key, origin)."""
    when = _moment(at)
    connection.executemany(_INSERT, [(when, action, key, fix_key, origin, "") for key, fix_key, origin in of])


def note_saved(
    connection: sqlite3.Connection, prepared: Sequence[Prepared], saved: Sequence[Saved], at: datetime, action: Action | None = None
) -> None:
    """Write what was stored of each, as `action`, else as added or updated; what was known or left out is no event."""
    when = _moment(at)
    rows = []
    for each, done in zip(prepared, saved, strict=True):
        if done.status in _CHANGED:
            experience = each.experience
            standing = "" if experience.trust == "plausible" else experience.trust
            rows.append((when, action or done.status, each.id, each.fix_key, origin_of(experience.provenance), standing))
    connection.executemany(_INSERT, rows)


def origin_of(provenance: Provenance) -> str:
    """Kind and ref of where a fix came from: `git shop@1a2b..:src/cart.py`, `jsonl team-notes#1`, `session 4f..`."""
    return " ".join(part for part in (provenance.kind, provenance.ref) if part)


def erase_events(connection: sqlite3.Connection, experience_id: str, at: datetime | str) -> None:
    """Leave of an experience's history only that it was forgotten."""
    connection.execute("DELETE FROM events WHERE experience = ?", (experience_id,))
    note_event(connection, "forgotten", experience_id, at=at)


def events_of(connection: sqlite3.Connection, experience_id: str) -> list[Event]:
    """The history of one experience, oldest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM events WHERE experience = ? ORDER BY seq", (experience_id,))  # noqa: S608 - constants
    return [Event(*row) for row in rows]


def latest_events(connection: sqlite3.Connection, limit: int | None = None) -> list[Event]:
    """The newest events of all, oldest of them first; every one without `limit`."""
    query = f"SELECT {_COLUMNS} FROM events ORDER BY seq DESC LIMIT ?"  # noqa: S608 - constants
    return [Event(*row) for row in connection.execute(query, (-1 if limit is None else limit,))][::-1]


def began_at(connection: sqlite3.Connection) -> str:
    """When this history began (ISO 8601, UTC): what was stored before has no event of that."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'events.since'").fetchone()
    return str(row[0]) if row else ""


def _moment(at: datetime | str) -> str:
    if isinstance(at, str):
        return at or _moment(datetime.now(UTC))
    return at.isoformat(timespec="seconds")
