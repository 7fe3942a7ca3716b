"""The rows of the ledger's vectors: written with each experience, and which texts have none of an embedder yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from memory.records import Vector
from memory.storage_errors import NotALedgerError

_BUGGY_TEXTS = """
SELECT k.hash, e.language, CASE k.part WHEN 0 THEN a.code ELSE p.code END
FROM keys k JOIN alternatives a ON a.seq = k.alternative JOIN experiences e ON e.seq = a.experience
LEFT JOIN parts p ON p.alternative = k.alternative AND p.number = k.part
LEFT JOIN vectors v ON v.hash = k.hash AND v.embedder = ?
WHERE k.kind = 'exact' AND k.side = 'buggy' AND v.seq IS NULL GROUP BY k.hash LIMIT ?
"""


@dataclass(frozen=True)
class Neighbour:
    """A stored text by its exact key, and its cosine distance (0 same direction, 2 opposite) from what was asked."""

    hash: str
    distance: float


@dataclass(frozen=True)
class BuggyText:
    """A stored buggy text, whole or part, that has no vector yet."""

    hash: str
    language: str
    code: str


def write_vectors(connection: sqlite3.Connection, vectors: Iterable[Vector], embedder: str, language: str) -> None:
    """Write what is not there yet: a key has one vector of each embedder."""
    connection.executemany(
        "INSERT OR IGNORE INTO vectors (hash, embedder, language, vector) VALUES (?, ?, ?, ?)",
        [(each.hash, embedder, language, each.vector) for each in vectors],
    )


def note_embedder(connection: sqlite3.Connection, embedder: str) -> None:
    """Called with each write: an empty ledger is complete for its first embedder, and no longer for any once another one writes."""
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('embedder', ?)", (embedder,))
    connection.execute("UPDATE meta SET value = '' WHERE name = 'embedder' AND value != ?", (embedder,))


def mark_complete(connection: sqlite3.Connection, embedder: str) -> None:
    """Every buggy text has a vector of this embedder now."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (embedder,))


def is_complete(connection: sqlite3.Connection, embedder: str) -> bool:
    """True when no vector of this embedder is missing."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'embedder'").fetchone()
    return row is None or row[0] == embedder


def missing(connection: sqlite3.Connection, embedder: str, limit: int = -1) -> list[BuggyText]:
    """Buggy texts without a vector of this embedder; at most `limit`, -1 for all. Raises NotALedgerError, which is damage."""
    found = [BuggyText(*row) for row in connection.execute(_BUGGY_TEXTS, (embedder, limit))]
    if not all(isinstance(each.code, str) for each in found):
        raise NotALedgerError
    return found


def highest_row(connection: sqlite3.Connection) -> int:
    """The highest row number that a vector ever had: there are no more vectors than that, and counting takes milliseconds."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'vectors'").fetchone()
    return int(row[0]) if row else 0


def count_vectors(connection: sqlite3.Connection, embedder: str, language: str, after: int = 0) -> int:
    """How many vectors of this embedder there are for texts of a language, in rows behind `after`."""
    query = "SELECT count(*) FROM vectors WHERE embedder = ? AND language = ? AND seq > ?"
    return int(connection.execute(query, (embedder, language, after)).fetchone()[0])
