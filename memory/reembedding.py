"""`memory reembed`: all vectors anew, for the embedder in force.

The new ones are written under a name of their own and take the place of the old ones in one transaction once none is missing. So the old
ones serve until then, whatever happens, and a run that was stopped is taken up where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from memory.ledger import Ledger
from memory.records import Vector, to_lf
from memory.vector_rows import BuggyText, mark_complete, missing, write_vectors
from memory.vectors import embed, fingerprint

if TYPE_CHECKING:
    from sqlite3 import Connection

    from memory.endpoint_vectors import EndpointVectors

SLICE_ROWS = 256
"""Texts of one transaction, and of one batch for an endpoint: a kill loses no more."""
_ANEW = " anew"
"""Behind the fingerprint, while they are made."""

Progress = Callable[[int, int], None]
"""Called with how many vectors are made, and of how many."""
Embed = Callable[[Sequence[BuggyText]], list[bytes]]


@dataclass(frozen=True)
class Reembedded:
    """What was made: `vectors` in all, `resumed` of them by a run that was stopped; `embedder` is their fingerprint."""

    embedder: str
    vectors: int
    resumed: int


def reembed(ledger: Ledger, endpoint: EndpointVectors | None = None, progress: Progress = lambda done, total: None) -> Reembedded:
    """Make every vector anew. Raises ModelError when an endpoint fails, and what `Ledger.writing` raises: then the old ones stay."""
    embedder = fingerprint() if endpoint is None else endpoint.measured_embedder()
    side = embedder + _ANEW
    with ledger.reading() as connection:
        total = _count(connection, "SELECT count(DISTINCT hash) FROM keys WHERE kind = 'exact' AND side = 'buggy'")
        resumed = _count(connection, "SELECT count(*) FROM vectors WHERE embedder = ?", side)
    done = resumed
    progress(done, total)
    while True:
        with ledger.reading() as connection:
            texts = missing(connection, side, SLICE_ROWS)
        made = _embedded(texts, embedder, endpoint)
        with ledger.writing() as connection:
            for text, vector in made:
                write_vectors(connection, [vector], side, text.language)
            if not missing(connection, side, 1):
                _exchange(connection, embedder, side, is_structural=endpoint is None)
                return Reembedded(embedder, _count(connection, "SELECT count(*) FROM vectors WHERE embedder = ?", embedder), resumed)
        done += len(made)
        progress(done, max(done, total))


def _embedded(texts: Sequence[BuggyText], embedder: str, endpoint: EndpointVectors | None) -> list[tuple[BuggyText, Vector]]:
    if endpoint is None:
        return [(text, Vector(text.hash, embed(to_lf(text.code), text.language))) for text in texts]
    made = []
    for language, group in groupby(sorted(texts, key=lambda text: text.language), key=lambda text: text.language):
        own = list(group)
        vectors = endpoint.embed_all([to_lf(text.code) for text in own], language, embedder)
        made += [(text, Vector(text.hash, vector)) for text, vector in zip(own, vectors, strict=True)]
    return made


def _exchange(connection: Connection, embedder: str, side: str, *, is_structural: bool) -> None:
    """The new ones in the place of the old ones."""
    connection.execute("DELETE FROM vectors WHERE embedder = ?", (embedder,))
    connection.execute("UPDATE vectors SET embedder = ? WHERE embedder = ?", (embedder, side))
    if is_structural:
        mark_complete(connection, embedder)


def _count(connection: Connection, query: str, *values: str) -> int:
    return int(connection.execute(query, values).fetchone()[0])
