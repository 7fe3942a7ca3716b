"""What the vector index holds, kept equal to the ledger: all of it anew, or what was written and forgotten since. The lock is held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from memory.index_folder import IndexFolder
from memory.index_rows import extents, keys_after, ledger_identity, vectors_of
from memory.index_state import Extent, IndexState, write_state
from memory.ledger import Ledger
from memory.vector_rows import Neighbour
from memory.vectors import fingerprint

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from langchain_chroma import Chroma

SMALL_ROWS = 5_000
"""Up to so many rows Chroma never flushes its graph (see `chroma_store.NEVER_FLUSH`): the price is a replay at each opening, which above
would take seconds."""
_NOTHING = Extent(0, 0)


@dataclass(frozen=True)
class IndexContent:
    """The index in `folder` over the vectors of `ledger`. Raises what Chroma and the ledger raise."""

    ledger: Ledger
    folder: IndexFolder

    def rows(self) -> int:
        """How many vectors there are to hold."""
        return sum(extent.rows for extent in self._wanted().values())

    def is_behind_by(self, language: str) -> int:
        """How many vectors of a language are not in the index yet."""
        state = self.folder.state()
        known = state.extents.get(language, _NOTHING) if state is not None and self._is_ours(state) else _NOTHING
        return len(keys_after(self.ledger, fingerprint(), language, known.last))

    def update(self) -> int:
        """Write what is new and drop what is gone; all is made anew when that is less work. The number of rows."""
        state, wanted = self.folder.state(), self._wanted()
        rows = sum(extent.rows for extent in wanted.values())
        if state is None or not self._is_ours(state):
            return self.build() if rows else 0
        if dict(state.extents) == wanted:
            return rows
        if (rows > SMALL_ROWS and not state.flushes) or not self._is_little(state.extents, wanted):
            return self.build()
        with self.folder.opened() as (client, opened):
            for language in sorted({*wanted, *state.extents}):
                self._catch_up(client, language, opened, wanted.get(language, _NOTHING))
        closed = self.folder.state()
        if closed is not None:
            write_state(self.folder.path, replace(closed, extents=wanted))
        return rows

    def build(self) -> int:
        """Make the index anew from the ledger, without embedding anything. The number of rows."""
        from memory import chroma_store  # late, here and below: takes a second and a half to import

        wanted = self._wanted()
        rows = sum(extent.rows for extent in wanted.values())
        flushes = rows > SMALL_ROWS
        with self.folder.replaced(rows) as client:
            for language, extent in wanted.items():
                keys = keys_after(self.ledger, fingerprint(), language, 0)
                chroma_store.upsert(self._collection(client, language, flushes=flushes), keys[: extent.rows])
        self.folder.note_closed(IndexState(fingerprint(), ledger_identity(self.ledger), flushes, wanted))
        return rows

    def query(self, language: str, vectors: Sequence[bytes], count: int) -> list[list[Neighbour]]:
        """For each vector its nearest keys."""
        from memory import chroma_store

        with self.folder.opened() as (client, state):
            store = self._collection(client, language, flushes=state.flushes)
            return [chroma_store.query(store, vector, count) for vector in vectors]

    def _catch_up(self, client: ClientAPI, language: str, state: IndexState, wanted: Extent) -> None:
        from memory import chroma_store

        known = state.extents.get(language, _NOTHING)
        if known == wanted:
            return
        store = self._collection(client, language, flushes=state.flushes)
        chroma_store.upsert(store, keys_after(self.ledger, fingerprint(), language, known.last))
        held, keys = chroma_store.stored_keys(store), set(keys_after(self.ledger, fingerprint(), language, 0))
        chroma_store.drop(store, held - keys)
        chroma_store.upsert(store, sorted(keys - held))

    def _collection(self, client: ClientAPI, language: str, *, flushes: bool) -> Chroma:
        from memory import chroma_store

        stored = partial(vectors_of, self.ledger, fingerprint())
        return chroma_store.collection(client, fingerprint(), language, stored, flushes=flushes)

    def _wanted(self) -> dict[str, Extent]:
        return extents(self.ledger, fingerprint())

    def _is_ours(self, state: IndexState) -> bool:
        """False for the index of another embedder or another ledger."""
        return state.embedder == fingerprint() and state.ledger == ledger_identity(self.ledger)

    def _is_little(self, known: Mapping[str, Extent], wanted: Mapping[str, Extent]) -> bool:
        """True when catching up writes less than half of what making the index anew would."""
        new = sum(len(keys_after(self.ledger, fingerprint(), name, known.get(name, _NOTHING).last)) for name in wanted)
        return 2 * new <= sum(extent.rows for extent in wanted.values())
