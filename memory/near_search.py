"""One question to the near tier: whose vectors it uses, which thresholds are in force, and what was found; or why it is off.

The structural vectors are here always. An embedding endpoint, where one is configured, is asked only once `memory calibrate` has measured
its thresholds; when it then fails, the structural vectors answer and a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from errors import CodeMindError
from memory.calibration import Thresholds, thresholds_in_force
from memory.find import Piece
from memory.ledger import Ledger
from memory.near import Near, find_near
from memory.neighbours import NeighbourIndex, Neighbours
from memory.related import Readable, Surroundings
from memory.revector import complete_or_lend
from memory.vector_cache import VectorCache
from memory.vectors import fingerprint

if TYPE_CHECKING:
    from memory.endpoint_vectors import EndpointVectors

NOT_CALIBRATED = "near past fixes were not looked for: the embedder is not calibrated; `codemind memory calibrate` does it"
TOO_SHORT = "too short to be sure"


@dataclass(frozen=True)
class NearSearch:
    """The best past fix for each text of the paste, best first. `why_off` is empty unless nothing was looked for."""

    found: tuple[Near, ...] = ()
    why_off: str = ""
    notes: tuple[str, ...] = ()
    around: tuple[Readable, ...] = ()
    """What else is worth reading, most alike first."""

    @property
    def doubt(self) -> str:
        """Said when only the shortness of a text stands between it and a past fix; else empty."""
        return TOO_SHORT if any(near.is_unsure for near in self.found) else ""


@dataclass(frozen=True)
class NearTier:
    """Where the near tier looks. `scope` "" looks in all; the index is over the structural vectors only."""

    ledger: Ledger
    scope: str = ""
    index: NeighbourIndex | None = None
    index_from_rows: int = 0
    endpoint: EndpointVectors | None = None
    vectors: VectorCache = field(default_factory=VectorCache)

    def search(self, text: str, language: str, known: Sequence[Piece]) -> NearSearch:
        """Look for what is near the text and its functions, but for what overlaps `known`. Raises what `Ledger.reading` raises."""
        if self.endpoint is None or self.endpoint.is_off:
            return self._structural(text, language, known)
        with self.ledger.reading() as connection:
            thresholds = self.endpoint.thresholds(connection)
        if thresholds is None:
            return NearSearch(why_off=NOT_CALIBRATED)
        try:
            self.endpoint.complete(self.ledger, thresholds.fingerprint, language)
            with self.ledger.reading() as connection:
                neighbours = Neighbours(
                    connection, language, self.scope, endpoint=self.endpoint, embedder=thresholds.fingerprint, vectors=self.vectors
                )
                return _search(text, language, neighbours, thresholds, known)
        except CodeMindError as error:
            found = self._structural(text, language, known)
            return replace(found, notes=(self.endpoint.failed(error),))

    def _structural(self, text: str, language: str, known: Sequence[Piece]) -> NearSearch:
        lent = complete_or_lend(self.ledger, language)
        with self.ledger.reading() as connection:
            thresholds = thresholds_in_force(connection, fingerprint())
            if thresholds is None:
                return NearSearch(why_off=NOT_CALIBRATED)
            neighbours = Neighbours(connection, language, self.scope, self.index, self.index_from_rows, lent, vectors=self.vectors)
            return _search(text, language, neighbours, thresholds, known)


def _search(text: str, language: str, neighbours: Neighbours, thresholds: Thresholds, known: Sequence[Piece]) -> NearSearch:
    around = Surroundings(language, neighbours.fetch)
    found = find_near(text, language, around.fetch, thresholds, known)
    return NearSearch(tuple(found), around=around.ranked())
