"""Candidates for the near tier: the stored texts whose vectors are nearest, from the ledger or from the index over it.

The index only ever saves time. It is asked when there are so many vectors that a scan would be slower, and whatever it can't answer at
once and for certain is scanned.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, tee
from typing import TYPE_CHECKING, Protocol

from memory.crowding import beyond, crowds_in
from memory.lookup import find_offered
from memory.near import CANDIDATES, Candidate
from memory.records import KeyHit, Vector
from memory.vector_cache import VectorCache, VectorMatrix
from memory.vector_rows import Neighbour, count_vectors, highest_row
from memory.vectors import VECTOR_BYTES, embed, fingerprint

if TYPE_CHECKING:
    from memory.endpoint_vectors import EndpointVectors

ASKED = 50
"""Neighbours asked of the index for each text: some may be withheld, forgotten, or of another project."""


_AT_ONCE = 500
"""Keys looked up in one statement, at most."""


class NeighbourIndex(Protocol):
    """A derived index over the ledger's vectors."""

    def search(self, language: str, vectors: Sequence[bytes], count: int) -> list[list[Neighbour]] | None:
        """For each vector its nearest stored texts, or None when the index can't tell at once. Never raises."""


@dataclass
class Neighbours:
    """What one recall asks about one language. `lent` are vectors that could not be written; `scope` "" looks in all.

    With an `endpoint` its vectors, stored under the fingerprint `embedder`, are used instead of the structural ones.
    """

    connection: sqlite3.Connection
    language: str
    scope: str = ""
    index: NeighbourIndex | None = None
    index_from_rows: int = 0
    lent: Sequence[Vector] = field(default=())
    endpoint: EndpointVectors | None = None
    embedder: str = ""
    vectors: VectorCache = field(default_factory=VectorCache)
    """What is held from one look-up to the next."""
    _known: dict[str, KeyHit | None] = field(default_factory=dict)

    def fetch(self, texts: Sequence[str], of_first: int = CANDIDATES) -> list[list[Candidate]]:
        """The candidates of each text, nearest first; `of_first`: so many of the first. Raises ModelError when an endpoint can't tell."""
        vectors = self.vectors_of(texts)
        counts = [of_first, *[CANDIDATES] * (len(texts) - 1)]
        answers = self._indexed(vectors) if texts else []
        if answers is None:
            return self._offered_of_all(self._matrix.nearest(vectors), counts)
        found = []
        for vector, answer, count in zip(vectors, answers, counts, strict=False):
            candidates = self._offered(answer, count)
            is_short = len(answer) >= ASKED and (len(candidates) < CANDIDATES or bool(crowds_in(candidates)))
            found.append(self._offered(self._matrix.nearest([vector])[0], count) if is_short else candidates)
        return found

    def vectors_of(self, texts: Sequence[str]) -> list[bytes]:
        """The vector of each text. Raises ModelError when an endpoint can't tell."""
        if self.endpoint is None:
            return [embed(text, self.language) for text in texts]
        return self.endpoint.embed_all(texts, self.language, self.embedder)

    def _indexed(self, vectors: Sequence[bytes]) -> list[list[Neighbour]] | None:
        if self.index is None or self.lent or not self._is_large():
            return None
        return self.index.search(self.language, vectors, ASKED)

    def _is_large(self) -> bool:
        """The first question mostly answers the second, and is the cheaper one."""
        least = self.index_from_rows
        return highest_row(self.connection) >= least and count_vectors(self.connection, fingerprint(), self.language) >= least

    def scanned(self, vector: bytes, left_out: Container[str]) -> list[Candidate]:
        """The candidates of one vector by the scan, without some experiences (by id): as if those were not stored."""
        hits = self._hits(self._matrix.nearest([vector])[0])
        return list(islice((each for each in hits if each[0].alternative.experience_id not in left_out), CANDIDATES))

    def _offered_of_all(self, found: Sequence[Iterator[Neighbour]], counts: Sequence[int]) -> list[list[Candidate]]:
        """The first ones of all texts are looked up together: mostly no more are needed."""
        first = [list(islice(each, count)) for each, count in zip(found, counts, strict=False)]
        self._look_up([neighbour.hash for each in first for neighbour in each])
        return [self._offered(chain(own, rest), count) for own, rest, count in zip(first, found, counts, strict=False)]

    def _offered(self, neighbours: Iterable[Neighbour], count: int) -> list[Candidate]:
        """The nearest, and where one import has most of them, the nearest of the others too."""
        first, again = tee(neighbours)
        found = list(islice(self._hits(first, count), count))
        crowds = crowds_in(found)
        if not crowds:
            return found
        known = {hit.alternative.id for hit, _ in found}
        more = self._hits(beyond(self.connection, again, crowds))
        return [*found, *(each for each in more if each[0].alternative.id not in known)]

    def _hits(self, neighbours: Iterable[Neighbour], count: int = CANDIDATES) -> Iterator[Candidate]:
        """Those that may be offered, and of each the best alternative; `count` are looked up at first, then more at a time."""
        waiting = iter(neighbours)
        while asked := list(islice(waiting, count)):
            self._look_up([neighbour.hash for neighbour in asked])
            for neighbour in asked:
                hit = self._known[neighbour.hash]
                if hit is not None:
                    yield hit, neighbour.distance
            count = min(4 * count, _AT_ONCE)

    def _look_up(self, keys: Iterable[str]) -> None:
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        for start in range(0, len(new), _AT_ONCE):
            asked = new[start : start + _AT_ONCE]
            found = find_offered(self.connection, asked, self.scope)
            self._known.update((key, found.get(key)) for key in asked)

    @cached_property
    def _matrix(self) -> VectorMatrix:
        size = VECTOR_BYTES if self.endpoint is None else self.endpoint.vector_bytes(self.embedder)
        held = self.vectors.matrix(self.connection, self.embedder or fingerprint(), self.language, size)
        return held.with_lent(self.lent)
