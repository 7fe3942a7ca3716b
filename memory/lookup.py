"""Key look-ups: which stored alternatives have this hash, on which side."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from memory.keys import NORMALISER
from memory.records import COLUMNS, KeyHit, KeyKind, Part, Side, alternative_of

_JOINED = "FROM keys k JOIN alternatives a ON a.seq = k.alternative JOIN experiences e ON e.seq = a.experience"
_PART = "LEFT JOIN parts p ON p.alternative = k.alternative AND p.number = k.part"
_QUERY = f"SELECT {COLUMNS}, k.part, p.name, p.start_line, p.code, p.fixed_code {_JOINED} {_PART}"
_PART_COLUMNS = 5


def find_key(connection: sqlite3.Connection, key: str, kind: KeyKind, side: Side, scope: str = "") -> list[KeyHit]:
    """All alternatives with that key, the best first; whole texts before parts. `scope` "" looks in all of them."""
    conditions = " WHERE k.hash = ? AND k.kind = ? AND k.side = ?"
    values = [key, kind, side]
    if scope:
        conditions += " AND EXISTS (SELECT 1 FROM scopes s WHERE s.alternative = a.seq AND s.scope = ?)"
        values.append(scope)
    hits = [_hit(row) for row in connection.execute(_QUERY + conditions, values)]
    return sorted(_one_each(hits), key=lambda hit: (hit.part is None, hit.alternative.rank()), reverse=True)


def kinds_of_length(connection: sqlite3.Connection, length: int) -> frozenset[str]:
    """The kinds of key that any stored text of so many tokens has: most texts have none, and need no key computed."""
    return frozenset(kind for (kind,) in connection.execute("SELECT DISTINCT kind FROM keys WHERE length = ?", (length,)))


def has_keys(connection: sqlite3.Connection) -> bool:
    """False for a memory in which nothing can be found."""
    return connection.execute("SELECT 1 FROM keys LIMIT 1").fetchone() is not None


def is_stale(connection: sqlite3.Connection) -> bool:
    """True when the ledger's keys were made by another normaliser."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'normaliser'").fetchone()
    return row is not None and row[0] != NORMALISER


def _hit(row: tuple[Any, ...]) -> KeyHit:
    number, name, start_line, code, fixed = row[-_PART_COLUMNS:]
    part = Part(number, name, start_line, code, fixed) if number and name is not None else None
    return KeyHit(alternative_of(row[:-_PART_COLUMNS]), part)


def _one_each(hits: Iterable[KeyHit]) -> list[KeyHit]:
    """One hit for each alternative: its whole text when that matches, else its first part."""
    first: dict[int, KeyHit] = {}
    for hit in sorted(hits, key=lambda each: 0 if each.part is None else each.part.number):
        first.setdefault(hit.alternative.id, hit)
    return list(first.values())
