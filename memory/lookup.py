"""Key look-ups: which stored alternatives have this hash, on which side."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from memory.keys import NORMALISER
from memory.records import COLUMNS, KeyHit, KeyKind, PairStreams, Part, Side, alternative_of
from memory.sources import best_first, outranks

_JOINED = "FROM keys k JOIN alternatives a ON a.seq = k.alternative JOIN experiences e ON e.seq = a.experience"
_PART = "LEFT JOIN parts p ON p.alternative = k.alternative AND p.number = k.part"
_PARTS = "CASE k.part WHEN 0 THEN 0 ELSE (SELECT count(*) FROM parts q WHERE q.alternative = k.alternative) END"
_SELECTED = f"SELECT {COLUMNS}, k.part, p.name, p.start_line, p.code, p.fixed_code, {_PARTS}"
_QUERY = f"{_SELECTED} {_JOINED} {_PART}"
_STREAMS = "LEFT JOIN streams t ON t.alternative = k.alternative AND t.part = k.part"
_WITH_STREAMS = f"{_SELECTED}, k.hash, t.reader, t.buggy, t.fixed {_JOINED} {_PART} {_STREAMS}"
_IN_SCOPE = " AND EXISTS (SELECT 1 FROM scopes s WHERE s.alternative = a.seq AND s.scope = ?)"
_PART_COLUMNS = 6
_CIRCLE = 4
"""Steps that a circle of fixes is followed."""


def find_key(connection: sqlite3.Connection, key: str, kind: KeyKind, side: Side, scope: str = "") -> list[KeyHit]:
    """All alternatives with that key, the best first; whole texts before parts. `scope` "" looks in all of them."""
    conditions = " WHERE k.hash = ? AND k.kind = ? AND k.side = ?"
    values = [key, kind, side]
    if scope:
        conditions += _IN_SCOPE
        values.append(scope)
    return _best_first([_hit(row) for row in connection.execute(_QUERY + conditions, values)])


def find_offered(connection: sqlite3.Connection, keys: Sequence[str], scope: str = "") -> dict[str, KeyHit]:
    """For each exact key of a buggy text the best alternative that may be offered, with its streams; one look-up for all keys."""
    marks = ", ".join("?" * len(keys))
    conditions = f"WHERE k.hash IN ({marks}) AND k.kind = 'exact' AND k.side = 'buggy'"
    values = list(keys)
    if scope:
        conditions += _IN_SCOPE
        values.append(scope)
    hits: dict[str, list[KeyHit]] = {}
    for *row, key, reader, buggy, fixed in connection.execute(f"{_WITH_STREAMS} {conditions}", values):
        streams = PairStreams(reader, buggy, fixed, row[-_PART_COLUMNS]) if reader is not None else None
        hits.setdefault(key, []).append(_hit(tuple(row), streams))
    best = {key: next((hit for hit in _best_first(own) if hit.alternative.is_offered), None) for key, own in hits.items()}
    return {key: hit for key, hit in best.items() if hit is not None}


def without_cycles(
    connection: sqlite3.Connection, key: str, kind: KeyKind, hits: tuple[KeyHit, ...], scope: str = ""
) -> tuple[KeyHit, ...]:
    """The hits for a buggy text less those that contradict better ones: their fix is mended, step by step, into this same text.

    A chain of fixes is none; in a circle the step with the least evidence is the wrong one.
    """
    makers = [hit for hit in find_key(connection, key, kind, "fixed", scope) if hit.alternative.is_offered]
    if not makers:
        return hits
    return tuple(hit for hit in hits if not _is_weakest_of_circle(connection, (key, kind, scope), hit))


def _is_weakest_of_circle(connection: sqlite3.Connection, start: tuple[str, KeyKind, str], hit: KeyHit) -> bool:
    key, kind, scope = start
    waiting = [(_fixed_key(connection, hit, kind), _CIRCLE)]
    while waiting:
        at, steps = waiting.pop()
        if at == key:
            return True
        onward = find_key(connection, at, kind, "buggy", scope) if steps else []
        better = [each for each in onward if each.alternative.is_offered and outranks(each.alternative, hit.alternative)]
        waiting += [(_fixed_key(connection, each, kind), steps - 1) for each in better[:_CIRCLE]]
    return False


def _fixed_key(connection: sqlite3.Connection, hit: KeyHit, kind: KeyKind) -> str:
    """The key of what a hit makes of the text."""
    query = "SELECT hash FROM keys WHERE alternative = ? AND part = ? AND kind = ? AND side = 'fixed'"
    row = connection.execute(query, (hit.alternative.id, hit.part.number if hit.part else 0, kind)).fetchone()
    return str(row[0]) if row else ""


def kinds_of_length(connection: sqlite3.Connection, length: int) -> frozenset[str]:
    """The kinds of key that any stored text of so many tokens has: most texts have none, and need no key computed."""
    return frozenset(kind for (kind,) in connection.execute("SELECT DISTINCT kind FROM keys WHERE length = ?", (length,)))


def has_keys(connection: sqlite3.Connection) -> bool:
    """False for a memory in which nothing can be found."""
    return connection.execute("SELECT 1 FROM keys LIMIT 1").fetchone() is not None


def has_rejected_fixes(connection: sqlite3.Connection) -> bool:
    """True when the user has rejected a fix for some code: only then must what is offered be looked up among the verdicts."""
    query = "SELECT 1 FROM verdicts WHERE subject_kind = 'alternative' AND verdict = 'rejected' LIMIT 1"
    return connection.execute(query).fetchone() is not None


def is_stale(connection: sqlite3.Connection) -> bool:
    """True when the ledger's keys were made by another normaliser."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'normaliser'").fetchone()
    return row is not None and row[0] != NORMALISER


def _best_first(hits: Iterable[KeyHit]) -> list[KeyHit]:
    """Whole texts first; what the user has corrected, and not accepted since, stands behind the correction, which may be one of a part."""
    ordered = best_first(_one_each(hits), lambda hit: hit.alternative)
    return sorted(ordered, key=lambda hit: (not hit.alternative.is_corrected, hit.part is None), reverse=True)


def _hit(row: tuple[Any, ...], streams: PairStreams | None = None) -> KeyHit:
    number, name, start_line, code, fixed, parts = row[-_PART_COLUMNS:]
    part = Part(number, name, start_line, code, fixed) if number and name is not None else None
    return KeyHit(alternative_of(row[:-_PART_COLUMNS]), part, parts, streams)


def _one_each(hits: Iterable[KeyHit]) -> list[KeyHit]:
    """One hit for each alternative: its whole text when that matches, else its first part."""
    first: dict[int, KeyHit] = {}
    for hit in sorted(hits, key=lambda each: 0 if each.part is None else each.part.number):
        first.setdefault(hit.alternative.id, hit)
    return list(first.values())
