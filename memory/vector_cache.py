"""The vectors of each language, held in the process as one matrix, so that a session reads them from the ledger once.

A look-up compares one row of the ledger's `meta` with what it was when the matrix was read. After a write only the new rows are read;
rows that were forgotten show in the count, since row numbers are never used twice, and then all are read again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memory.records import Vector
from memory.vector_rows import Neighbour, count_vectors, highest_row
from memory.vectors import VECTOR_BYTES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MOST_BYTES = 256_000_000
"""Held at most, in all languages together; the language that was asked for longest ago goes first."""
_READ_ROWS = 2_000
_BLOCKS = 32
"""More pieces than this are joined: each costs a product of its own."""
_FIRST = 64
"""Neighbours that are sorted at first; who asks for more gets the rest in order, too."""
_DIGITS = 6
"""Products in other shapes differ in the seventh digit: distances are the same up to here, and ties go by age."""

Mark = tuple[str, str, int]
"""Which file, its generation, and its highest row number of vectors."""


@dataclass(frozen=True)
class VectorMatrix:
    """Keys and their vectors in the order of the rows, as read at `mark`; `rows` counts those of another length too, which are left out."""

    hashes: Sequence[str]
    blocks: tuple[Floats, ...]
    last: int = 0
    rows: int = 0
    mark: Mark = ("", "", 0)

    @property
    def size(self) -> int:
        """Bytes of the vectors."""
        return sum(block.nbytes for block in self.blocks)

    def nearest(self, vectors: Sequence[bytes]) -> list[Iterator[Neighbour]]:
        """For each vector every stored text by its cosine distance: exact, nearest first, ties by age. All are asked in one product."""
        import numpy as np  # late: only the near tier needs it, and it takes a tenth of a second

        if not self.hashes or not vectors:
            return [iter(()) for _ in vectors]
        asked = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1).T
        distances = np.concatenate([1.0 - block @ asked for block in self.blocks]).round(_DIGITS)
        return [self._sorted(distances[:, column]) for column in range(len(vectors))]

    def _sorted(self, distances: Floats) -> Iterator[Neighbour]:
        import numpy as np

        count = min(_FIRST, len(distances)) - 1
        far = np.partition(distances, count)[count]
        for places in (np.flatnonzero(distances <= far), np.flatnonzero(distances > far)):
            for place in places[np.argsort(distances[places], kind="stable")]:
                yield Neighbour(self.hashes[place], float(distances[place]))

    def with_lent(self, lent: Iterable[Vector]) -> VectorMatrix:
        """The same with vectors that are not in the ledger behind the others."""
        import numpy as np

        more = list(lent)
        if not more:
            return self
        block = np.frombuffer(b"".join(each.vector for each in more), dtype="<f4").reshape(len(more), -1)
        return replace(self, hashes=[*self.hashes, *(each.hash for each in more)], blocks=(*self.blocks, block))


class VectorCache:
    """Matrices of one ledger by embedder and language, safe among threads. Making it reads nothing."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._held: dict[tuple[str, str], VectorMatrix] = {}
        self._lock = Lock()

    def matrix(self, connection: sqlite3.Connection, embedder: str, language: str, size: int = VECTOR_BYTES) -> VectorMatrix:
        """The vectors (of `size` bytes each) of a language as the connection sees them."""
        mark = _mark(connection)
        with self._lock:
            held = self._held.pop((embedder, language), None)
            if held is None or held.mark != mark:
                held = replace(_read(connection, embedder, language, size, held), mark=mark)
            self._held[embedder, language] = held
            while len(self._held) > 1 and sum(each.size for each in self._held.values()) > self._most_bytes:
                del self._held[next(iter(self._held))]
            return held


def _mark(connection: sqlite3.Connection) -> Mark:
    """A ledger that was recovered or put back from a copy is another file, if it has the same name."""
    stored = dict(connection.execute("SELECT name, value FROM meta WHERE name IN ('uuid', 'generation')").fetchall())
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    file = f"{stored.get('uuid', '')} {Path(path).stat().st_ino if path else 0}"
    return file, stored.get("generation", ""), highest_row(connection)


def _read(connection: sqlite3.Connection, embedder: str, language: str, size: int, held: VectorMatrix | None) -> VectorMatrix:
    """What is there now: what is held and the rows after it, or all anew when rows went or another file is open."""
    if held is not None and held.mark[0] == _mark(connection)[0]:
        new = count_vectors(connection, embedder, language, after=held.last)
        if held.rows + new == count_vectors(connection, embedder, language):
            return _with_rows_after(held, connection, embedder, language, size) if new else held
    return _with_rows_after(VectorMatrix((), ()), connection, embedder, language, size)


def _with_rows_after(held: VectorMatrix, connection: sqlite3.Connection, embedder: str, language: str, size: int) -> VectorMatrix:
    """Read straight into the matrix: a second copy of a large one would be what the process needs most memory for."""
    import numpy as np

    query = "SELECT seq, hash, vector FROM vectors WHERE embedder = ? AND language = ? AND seq > ? ORDER BY seq"
    found = connection.execute(query, (embedder, language, held.last))
    block = np.empty((count_vectors(connection, embedder, language, after=held.last), size // 4), dtype="<f4")
    hashes, last, rows, filled = list(held.hashes), held.last, held.rows, 0
    while batch := found.fetchmany(_READ_ROWS):
        last, rows = batch[-1][0], rows + len(batch)
        right = [(key, vector) for _, key, vector in batch if len(vector) == size]
        read = np.frombuffer(b"".join(vector for _, vector in right), dtype="<f4").reshape(-1, size // 4)
        block[filled : filled + len(right)] = read
        hashes += (key for key, _ in right)
        filled += len(right)
    blocks = (*held.blocks, block[:filled]) if filled else held.blocks
    if len(blocks) > _BLOCKS:
        blocks = (blocks[0], np.concatenate(blocks[1:]))
    return VectorMatrix(hashes, blocks, last, rows)
