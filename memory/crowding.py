"""Candidates that a crowd keeps out: when one import holds most of what is nearest to a text, what others know is looked for behind it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from memory.near import CANDIDATES, Candidate
from memory.sources import source_named, source_of
from memory.vector_rows import Neighbour
from schema.experience import Provenance

CROWD = 4
"""Candidates of one text that come from the same import: from so many on it may be keeping others out."""
LOOKED_AT = 5_000
"""Neighbours that are looked at behind the candidates: a flood of a thousand texts, each with some functions, is seen through."""
REACH = 0.6
"""Cosine distance up to which they are looked at: what is further away is hardly ever worth listing."""
_AT_ONCE = 500
_ORIGINS = (
    "SELECT k.hash, a.kind, a.ref, a.author, a.file_hash, "
    "a.kind = 'session' OR a.trust = 'proved' OR a.pinned OR a.accepted > a.rejected "
    "FROM keys k JOIN alternatives a ON a.seq = k.alternative "
    "WHERE k.kind = 'exact' AND k.side = 'buggy' AND a.trust IN ('proved', 'plausible') AND k.hash IN ({})"
)


def crowds_in(found: Sequence[Candidate]) -> frozenset[str]:
    """The imports that hold many of the candidates."""
    counted = Counter(source_of(hit.alternative) for hit, _ in found)
    return frozenset(source for source, number in counted.items() if source and number >= CROWD)


def behind_crowds(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Of more candidates than are compared precisely, those that the crowds among the first keep from it."""
    crowds = crowds_in(candidates[:CANDIDATES])
    behind = candidates[CANDIDATES:] if crowds else ()
    return [each for each in behind if source_of(each[0].alternative) not in crowds][:CANDIDATES]


def beyond(connection: sqlite3.Connection, neighbours: Iterable[Neighbour], crowds: Collection[str]) -> Iterator[Neighbour]:
    """Those within reach that some other source has; nearest first, as many as there are candidates for a text."""
    return islice(_others(connection, neighbours, crowds), CANDIDATES)


def _others(connection: sqlite3.Connection, neighbours: Iterable[Neighbour], crowds: Collection[str]) -> Iterator[Neighbour]:
    waiting = islice(neighbours, LOOKED_AT)
    while asked := list(islice(waiting, _AT_ONCE)):
        near = [each for each in asked if each.distance <= REACH]
        query = _ORIGINS.format(", ".join("?" * len(near)))
        own = {
            key
            for key, kind, ref, author, file_hash, is_vouched in connection.execute(query, [each.hash for each in near])
            if is_vouched or source_named(Provenance(kind, ref, author, file_hash)) not in crowds
        }
        yield from (each for each in near if each.hash in own)
        if len(near) < len(asked):
            return
