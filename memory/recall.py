"""Long-term memory as the session sees it: recall, remember, count uses, undo.

`recall` answers cheapest first. By keys: IDENTICAL (same tokens), SIMILAR (same up to names, or only some functions are known). What
no key knows is compared with its nearest neighbours: SIMILAR (near), else NONE with what is readable. Keys need no vector and no numpy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputInvalidError
from memory.find import Answer, Piece, find, find_pieces
from memory.ledger import LEDGER_NAME, LOCK_TIMEOUT_S, Clock, Ledger, utc_now
from memory.lookup import has_keys, is_stale
from memory.offers import Request, offer_pieces, offer_whole, related_to
from memory.records import text_hash
from memory.writes import bump_use, is_tombstoned, remove_alternative
from schema.experience import Experience, Saved
from schema.match import Match
from schema.ports import Recalled, Verifier
from schema.source import Source

if TYPE_CHECKING:
    from memory.index import VectorIndex

INDEX_FROM_ROWS = 50_000
"""Vectors of a language from which on the index is asked. At 60,000 a scan takes a quarter of a second, opening the index and asking it
half a second (two busy cores), and only the scan is exact."""


def open_memory(
    home: Path, verifier: Verifier | None = None, lock_timeout_s: float = LOCK_TIMEOUT_S, scope: str = "", clock: Clock = utc_now
) -> LongTermMemory:
    """The long-term memory of a CODEMIND_HOME. Opens nothing: the first recall or write does."""
    return LongTermMemory(Ledger(home / LEDGER_NAME, lock_timeout_s, clock), verifier, scope)


class LongTermMemory:
    """Implements `schema.ports.ExperienceMemory` on a ledger.

    `scope` restricts recall to what was stored with that scope (MEMORY_SCOPE=project); "" looks in all. Without a verifier
    nothing is checked: fixes come back with level none.
    """

    def __init__(
        self,
        ledger: Ledger,
        verifier: Verifier | None = None,
        scope: str = "",
        index: VectorIndex | None = None,
        index_from_rows: int = INDEX_FROM_ROWS,
    ) -> None:
        self.ledger = ledger
        self._verifier = verifier
        self._scope = scope
        self._index = index
        self._index_from_rows = index_from_rows

    def recall(self, source: Source, *, test_cmd: str | None = None, file: str | None = None) -> Recalled:
        """Look the code up, cheapest first; learns nothing. Raises MemoryLockedError, MemoryDamagedError, StorageFailedError."""
        if not source.text.strip():
            return Recalled(Match(reason="there is no code"))
        recalled = self._recall(Request(source, self._verifier, test_cmd, file))
        notes = () if self._index is None else self._index.take_notes()
        return replace(recalled, notes=notes) if notes else recalled

    def _recall(self, request: Request) -> Recalled:
        text, language = request.source.text, request.source.language
        with self._fresh_keys() as connection:
            if is_tombstoned(connection, text_hash(text)):
                return Recalled(Match(reason="you told the memory to forget this code"))
            if not has_keys(connection):
                return Recalled(Match(reason="nothing is stored yet"))
            whole = find(connection, text, language, self._scope)
            pieces = [] if whole.hits else find_pieces(connection, text, language, self._scope)
        if whole.is_known_bug:
            return offer_whole(request, whole)
        if whole.is_fixed:
            return Recalled(Match(already_fixed=True, related=related_to([whole]), reason=_fixed_reason(whole)))
        known = offer_pieces(request, whole, pieces)
        if known.match.status != "NONE" or known.match.already_fixed or whole.withheld:
            return known
        return self._recall_near(request, known, pieces)

    def _recall_near(self, request: Request, known: Recalled, pieces: Sequence[Piece]) -> Recalled:
        """What no key knows: near past fixes, else `known` with what is worth reading."""
        from memory.near import find_near  # late, all of them: keys need none
        from memory.near_offers import is_fixed_near, offer_near, related_to_near
        from memory.neighbours import Neighbours
        from memory.revector import complete_or_lend

        text, language = request.source.text, request.source.language
        lent = complete_or_lend(self.ledger, language)
        with self.ledger.reading() as connection:
            neighbours = Neighbours(connection, language, self._scope, self._index, self._index_from_rows, lent)
            found = find_near(text, language, neighbours.fetch, [piece for piece in pieces if piece.answer.is_fixed])
        offered = offer_near(request, found)
        if offered is not None:
            return replace(offered, match=replace(offered.match, related=(*known.match.related, *offered.match.related)))
        related = (*known.match.related, *related_to_near(found, set()))
        already_fixed = is_fixed_near(found, len(text.rstrip("\n").split("\n")))
        reason = "like the fixed side of an experience: it is probably fixed already" if already_fixed else known.match.reason
        return replace(known, match=replace(known.match, related=related, already_fixed=already_fixed, reason=reason))

    def remember(self, experience: Experience) -> Saved:
        """Write the experience under its content's id: remembering twice changes nothing.

        A fix that passed the user's tests here is `proved`. Raises MemoryLockedError when another writer holds the ledger
        longer than its time limit, StorageFailedError, MemoryDamagedError.
        """
        from memory.prepare import prepare  # late: a look-up writes nothing

        refuse_undecodable(experience)
        prepared = prepare(_with_earned_trust(experience))
        if prepared is None:
            return Saved("skipped", why="no_fix")
        with self._fresh_keys():
            pass
        return self.ledger.store([prepared])[0]

    def mark_used(self, match: Match) -> None:
        """Bump the counters of the fixes that were offered; nothing is learnt."""
        offered = [region.alternative_id for region in match.regions if region.fixed_code is not None]
        if offered:
            with self.ledger.writing() as connection:
                bump_use(connection, list(dict.fromkeys(offered)), self.ledger.clock())

    def undo(self, saved: Saved) -> bool:
        """Take back exactly the write that `saved` reports; False when there is nothing to take back."""
        if saved.status not in ("added", "updated") or saved.alternative_id is None:
            return False
        with self.ledger.writing() as connection:
            return remove_alternative(connection, saved.alternative_id)

    @contextmanager
    def _fresh_keys(self) -> Iterator[sqlite3.Connection]:
        """A reading connection to a ledger whose keys are those of today's normaliser."""
        with self.ledger.reading() as connection:
            if not is_stale(connection):
                yield connection
                return
        from memory.rekey import rekey  # late: needed once after an update

        rekey(self.ledger)
        with self.ledger.reading() as connection:
            yield connection


def refuse_undecodable(experience: Experience) -> None:
    """Raise InputInvalidError for text with lone surrogates: it can't be stored as it is."""
    try:
        for text in (experience.code, experience.fixed_code, experience.explanation):
            text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputInvalidError("The code holds characters that are no valid text (lone surrogates): it can't be remembered.") from None


def _with_earned_trust(experience: Experience) -> Experience:
    is_tested_here = experience.provenance.kind == "session" and experience.verification.level == "tested"
    if not is_tested_here or experience.trust != "plausible":
        return experience
    return replace(experience, trust="proved", trust_reason="passed your tests")


def _fixed_reason(answer: Answer) -> str:
    same = "same code as" if answer.kind == "exact" else "same code, names aside, as"
    return f"{same} the fixed side of an experience: it is fixed already"
