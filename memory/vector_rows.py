"""The ledger's vectors: written with each experience, made anew for the rows of an older program, and scanned.

The scan reads every vector of a language and is exact; any index over the vectors is only a faster way to the same answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory.records import Vector
from memory.vectors import VECTOR_BYTES

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
    """Buggy texts without a vector of this embedder; at most `limit`, -1 for all."""
    return [BuggyText(*row) for row in connection.execute(_BUGGY_TEXTS, (embedder, limit))]


def count_vectors(connection: sqlite3.Connection, embedder: str, language: str) -> int:
    """How many texts of a language can be found by this embedder's vectors."""
    query = "SELECT count(*) FROM vectors WHERE embedder = ? AND language = ?"
    return int(connection.execute(query, (embedder, language)).fetchone()[0])


class VectorScan:
    """All vectors of a language, read from the ledger once and compared with each text asked for: exact, nearest first.

    `lent` are vectors that could not be written. Those of another length than today's can't be compared and are left out.
    """

    def __init__(self, connection: sqlite3.Connection, embedder: str, language: str, lent: Iterable[Vector] = ()) -> None:
        query = "SELECT hash, vector FROM vectors WHERE embedder = ? AND language = ? AND length(vector) = ? ORDER BY seq"
        rows = [*connection.execute(query, (embedder, language, VECTOR_BYTES)), *((each.hash, each.vector) for each in lent)]
        self._hashes = [row[0] for row in rows]
        self._stored = b"".join(row[1] for row in rows)

    def nearest(self, vector: bytes) -> Iterator[Neighbour]:
        """Every stored text by its distance from `vector`."""
        import numpy as np  # late: only the near tier needs it, and it takes a tenth of a second

        if not self._hashes:
            return
        stored = np.frombuffer(self._stored, dtype="<f4").reshape(len(self._hashes), -1)
        distances = 1.0 - stored @ np.frombuffer(vector, dtype="<f4")
        for place in np.argsort(distances, kind="stable"):
            yield Neighbour(self._hashes[place], float(distances[place]))
