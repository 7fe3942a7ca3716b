"""Candidates for the near tier: the stored texts whose vectors are nearest, from the ledger or from the index over it.

The index only ever saves time. It is asked when there are so many vectors that a scan would be slower, and whatever it can't answer at
once and for certain is scanned.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Protocol

from memory.lookup import find_key
from memory.near import CANDIDATES, Candidate
from memory.records import Vector
from memory.vector_rows import Neighbour, VectorScan, count_vectors
from memory.vectors import embed, fingerprint

ASKED = 50
"""Neighbours asked of the index for each text: some may be withheld, forgotten, or of another project."""


class NeighbourIndex(Protocol):
    """A derived index over the ledger's vectors."""

    def search(self, language: str, vectors: Sequence[bytes], count: int) -> list[list[Neighbour]] | None:
        """For each vector its nearest stored texts, or None when the index can't tell at once. Never raises."""


@dataclass
class Neighbours:
    """What one recall asks about one language. `lent` are vectors that could not be written; `scope` "" looks in all."""

    connection: sqlite3.Connection
    language: str
    scope: str = ""
    index: NeighbourIndex | None = None
    index_from_rows: int = 0
    lent: Sequence[Vector] = field(default=())

    def fetch(self, texts: Sequence[str]) -> list[list[Candidate]]:
        """The candidates of each text, nearest first."""
        vectors = [embed(text, self.language) for text in texts]
        answers = self._indexed(vectors) if texts else []
        if answers is None:
            return [self._offered(self._scan.nearest(vector)) for vector in vectors]
        found = []
        for vector, answer in zip(vectors, answers, strict=True):
            candidates = self._offered(answer)
            is_short = len(candidates) < CANDIDATES and len(answer) >= ASKED
            found.append(self._offered(self._scan.nearest(vector)) if is_short else candidates)
        return found

    def _indexed(self, vectors: Sequence[bytes]) -> list[list[Neighbour]] | None:
        if self.index is None or self.lent or count_vectors(self.connection, fingerprint(), self.language) < self.index_from_rows:
            return None
        return self.index.search(self.language, vectors, ASKED)

    def _offered(self, neighbours: Iterable[Neighbour]) -> list[Candidate]:
        return list(islice(self._hits(neighbours), CANDIDATES))

    def _hits(self, neighbours: Iterable[Neighbour]) -> Iterator[Candidate]:
        """Those that may be offered, and of each the best alternative."""
        for neighbour in neighbours:
            for hit in find_key(self.connection, neighbour.hash, "exact", "buggy", self.scope):
                if hit.alternative.is_offered:
                    yield hit, neighbour.distance
                    break

    @cached_property
    def _scan(self) -> VectorScan:
        return VectorScan(self.connection, fingerprint(), self.language, self.lent)
