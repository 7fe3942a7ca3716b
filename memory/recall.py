"""Long-term memory as the session sees it: recall, remember, count uses, undo.

`recall` answers cheapest first. By keys: IDENTICAL (same tokens), SIMILAR (same up to names, or only some functions are known). What
no key knows is compared with its nearest neighbours: SIMILAR (near), else NONE with what is readable. Keys need no vector and no numpy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputInvalidError
from memory.damage import again_when_healed
from memory.events import IN_SESSION, note_fix
from memory.find import Answer, Piece, find, find_pieces
from memory.ledger import LEDGER_NAME, LOCK_TIMEOUT_S, Clock, Ledger, utc_now
from memory.lookup import has_keys, has_rejected_fixes, is_stale
from memory.offers import REJECTED_HERE, Request, offer_pieces, offer_whole, related_to
from memory.records import OFFERED, text_hash
from memory.writes import bump_use, is_tombstoned, remove_alternative
from schema.experience import Experience, Judged, Saved
from schema.fix import Verification
from schema.match import Match
from schema.ports import Recalled, Verifier
from schema.source import Source

if TYPE_CHECKING:
    from memory.endpoint_vectors import EndpointVectors
    from memory.index import VectorIndex
    from memory.vector_cache import VectorCache

LIKE_FIXED = "like the fixed side of an experience: it is probably fixed already"
EARNED = "passed your tests, which failed before it"
INDEX_FROM_ROWS = 250_000
"""Vectors of a language from which on the index is asked: so many are 256 MB, as much as a session holds, and a new process reads them
about as long as it waits for the index's first answer. Below, only the scan is exact, and it is faster: at 100,000 thirty times."""


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
        endpoint: EndpointVectors | None = None,
    ) -> None:
        self.ledger = ledger
        self._verifier = verifier
        self._scope = scope
        self._index = index
        self._index_from_rows = index_from_rows
        self._endpoint = endpoint

    @again_when_healed
    def recall(self, source: Source, *, test_cmd: str | None = None, file: str | None = None) -> Recalled:
        """Look the code up, cheapest first; learns nothing. Raises MemoryLockedError, MemoryDamagedError, StorageFailedError."""
        if not source.text.strip():
            return Recalled(Match(reason="there is no code"))
        recalled = _one_voice(self._recall(Request(source, self._verifier, test_cmd, file)))
        mended = self.ledger.take_note()
        notes = () if self._index is None else self._index.take_notes()
        more = (*([mended] if mended else ()), *notes)
        return replace(recalled, notes=(*recalled.notes, *more)) if more else recalled

    def _recall(self, request: Request) -> Recalled:
        text, language = request.source.text, request.source.language
        with self._fresh_keys() as connection:
            if is_tombstoned(connection, text_hash(text)):
                return Recalled(Match(reason="you told the memory to forget this code"))
            if not has_keys(connection):
                return Recalled(Match(reason="nothing is stored yet"))
            if has_rejected_fixes(connection):
                request = replace(request, is_rejected=partial(self._has_rejected, language))
            whole = find(connection, text, language, self._scope)
            pieces = [] if whole.hits else find_pieces(connection, text, language, self._scope)
        if whole.is_known_bug:
            return offer_whole(request, whole)
        if whole.is_fixed:
            return Recalled(Match(already_fixed=True, related=related_to([whole]), reason=_fixed_reason(whole)))
        known = offer_pieces(request, whole, pieces)
        is_rejected = any(hit.alternative.trust == "rejected" for hit in whole.withheld)
        if known.match.status != "NONE" or known.match.already_fixed or is_rejected:
            return known
        return self._recall_near(request, known, pieces)

    def _recall_near(self, request: Request, known: Recalled, pieces: Sequence[Piece]) -> Recalled:
        """What no key knows: near past fixes, else `known` with what is worth reading."""
        from memory.near_offers import is_fixed_near, offer_near, related_to_near, unless_rejected  # late, both: keys need none
        from memory.near_search import NearTier
        from memory.related import listed

        text, language = request.source.text, request.source.language
        tier = NearTier(self.ledger, self._scope, self._index, self._index_from_rows, self._endpoint, self._vectors)
        asked = tier.search(text, language, [piece for piece in pieces if piece.answer.is_fixed])
        found, rejected = unless_rejected(request, asked.found)
        offered = offer_near(request, found)
        if offered is not None:
            first = (*known.match.related, *offered.match.related)
            match = replace(offered.match, related=listed(first, asked.around, offered.match.regions))
            return replace(offered, match=match, notes=asked.notes)
        related = listed((*known.match.related, *rejected, *related_to_near(found, set())), asked.around)
        already_fixed = is_fixed_near(found, len(text.rstrip("\n").split("\n")))
        why = REJECTED_HERE if rejected else known.match.reason
        reason = LIKE_FIXED if already_fixed else "; ".join(filter(None, (why, asked.doubt, asked.why_off)))
        match = replace(known.match, related=related, already_fixed=already_fixed, reason=reason)
        return replace(known, match=match, notes=asked.notes)

    @cached_property
    def _vectors(self) -> VectorCache:
        """What the near tier holds from one look-up to the next."""
        from memory.vector_cache import VectorCache

        return VectorCache()

    @again_when_healed
    def remember(self, experience: Experience) -> Saved:
        """Write the experience under its content's id: remembering twice changes nothing.

        A fix that passed the user's tests here is `proved`, unless it must be looked at first: tests say nothing about a back door.
        Raises MemoryLockedError when another writer holds the ledger longer than its time limit, StorageFailedError,
        MemoryDamagedError.
        """
        from memory.prepare import prepare  # late: a look-up writes nothing

        refuse_undecodable(experience)
        prepared = prepare(_unless_odd(_with_earned_trust(experience)))
        if prepared is None:
            return Saved("skipped", why="no_fix")
        with self._fresh_keys():
            pass
        return self.ledger.store([prepared])[0]

    @again_when_healed
    def mark_used(self, match: Match) -> None:
        """Bump the counters of the fixes that were offered; nothing is learnt."""
        offered = [region.alternative_id for region in match.regions if region.fixed_code is not None]
        if offered:
            with self.ledger.writing() as connection:
                bump_use(connection, list(dict.fromkeys(offered)), self.ledger.clock())

    @again_when_healed
    def undo(self, saved: Saved) -> bool:
        """Take back exactly the write that `saved` reports; False when there is nothing to take back."""
        if saved.status not in ("added", "updated") or saved.alternative_id is None:
            return False
        with self.ledger.writing() as connection:
            note_fix(connection, "taken back", saved.alternative_id, IN_SESSION, saved.status, at=self.ledger.clock())
            return remove_alternative(connection, saved.alternative_id)

    @again_when_healed
    def judge(
        self,
        alternative_id: int | None,
        *,
        accepted: bool,
        source: Source | None = None,
        fixed_code: str = "",
        here_only: bool = False,
    ) -> Judged | None:
        """The user's verdict on a fix, for the stored alternative and for exactly that fix of that code; None: nothing to judge."""
        from memory.judging import judge  # late, here and below: a look-up judges nothing

        return judge(self.ledger, alternative_id, accepted=accepted, source=source, fixed_code=fixed_code, here_only=here_only)

    @again_when_healed
    def take_back(self, judged: Judged) -> bool:
        """Undo a verdict; False when what it was about is no longer there."""
        from memory.judging import take_back

        return take_back(self.ledger, judged)

    @again_when_healed
    def is_rejected(self, source: Source, fixed_code: str) -> bool:
        """True when the user has rejected this very fix (up to layout) of this code."""
        from memory.judging import is_rejected_fix

        return is_rejected_fix(self.ledger, source, fixed_code)

    @again_when_healed
    def confirm(self, source: Source, match: Match, verification: Verification) -> bool:
        """Make the exact stored fix of `source` proved: here it has mended what failed before. False when it changed no trust."""
        from memory.judging import confirm

        return confirm(self.ledger, source, match, verification)

    def _has_rejected(self, language: str, text: str, fixed_code: str) -> bool:
        """True when the user has rejected this fix of this text, whole paste or part of it."""
        return self.is_rejected(Source(text, language), fixed_code)

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


def _one_voice(recalled: Recalled) -> Recalled:
    """What is known by key, with one of each import at most: the near tier has seen to it itself."""
    match = recalled.match
    if len(match.related) + len(match.regions) <= 1:
        return recalled
    from memory.related import one_voice_each  # late: mostly there is nothing to choose

    return replace(recalled, match=replace(match, related=one_voice_each(match.related, match.regions)))


def refuse_undecodable(experience: Experience) -> None:
    """Raise InputInvalidError for text with lone surrogates: it can't be stored as it is."""
    try:
        for text in (experience.code, experience.fixed_code, experience.explanation):
            text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputInvalidError("The code holds characters that are no valid text (lone surrogates): it can't be remembered.") from None


def _with_earned_trust(experience: Experience) -> Experience:
    is_tested_here = experience.provenance.kind == "session" and experience.verification.level == "tested"
    if not is_tested_here or experience.trust != "plausible" or not experience.verification.mended_tests:
        return experience
    return replace(experience, trust="proved", trust_reason=EARNED)


def _unless_odd(experience: Experience) -> Experience:
    """A fix made here, quarantined when an import like it would be: whoever made it may have obeyed words in the code."""
    from memory.trust import reason_to_quarantine  # late: a look-up judges nothing

    if experience.provenance.kind != "session" or experience.trust not in OFFERED:
        return experience
    reason = reason_to_quarantine(experience)
    return replace(experience, trust="quarantined", trust_reason=reason) if reason else experience


def _fixed_reason(answer: Answer) -> str:
    same = "same code as" if answer.kind == "exact" else "same code, names aside, as"
    return f"{same} the fixed side of an experience: it is fixed already"
