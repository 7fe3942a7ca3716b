"""What an index must hold, read from the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from memory.index_state import Extent
from memory.ledger import Ledger

_NAMED_AT_ONCE = 500
"""SQLite takes a limited number of values in one statement."""


def ledger_identity(ledger: Ledger) -> str:
    """Tells one ledger from another; empty for a home without one."""
    with ledger.reading() as connection:
        row = connection.execute("SELECT value FROM meta WHERE name = 'uuid'").fetchone()
        return str(row[0]) if row else ""


def extents(ledger: Ledger, embedder: str) -> dict[str, Extent]:
    """Rows and last row of each language that has vectors."""
    query = "SELECT language, count(*), max(seq) FROM vectors WHERE embedder = ? GROUP BY language"
    with ledger.reading() as connection:
        return {language: Extent(rows, last) for language, rows, last in connection.execute(query, (embedder,))}


def keys_after(ledger: Ledger, embedder: str, language: str, last: int) -> list[str]:
    """Keys of vectors that were written after a row."""
    query = "SELECT hash FROM vectors WHERE embedder = ? AND language = ? AND seq > ? ORDER BY seq"
    with ledger.reading() as connection:
        return [key for (key,) in connection.execute(query, (embedder, language, last))]


def vectors_of(ledger: Ledger, embedder: str, keys: Sequence[str]) -> list[bytes]:
    """The vectors of keys, in their order. Raises KeyError for one that was forgotten meanwhile."""
    found: dict[str, bytes] = {}
    with ledger.reading() as connection:
        for start in range(0, len(keys), _NAMED_AT_ONCE):
            asked = keys[start : start + _NAMED_AT_ONCE]
            marks = ", ".join("?" * len(asked))
            query = f"SELECT hash, vector FROM vectors WHERE embedder = ? AND hash IN ({marks})"  # noqa: S608 - question marks only
            found.update(connection.execute(query, (embedder, *asked)))
    return [found[key] for key in keys]
