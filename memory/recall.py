"""Long-term memory as the session sees it: recall, remember, count uses, undo.

`recall` answers by keys alone: IDENTICAL (same tokens), SIMILAR (same up to names, or only some functions are known), NONE.
It reads the ledger once, closes it, and only then carries fixes over and has them verified.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from errors import InputInvalidError
from memory.find import Answer, find, find_pieces
from memory.ledger import LEDGER_NAME, LOCK_TIMEOUT_S, Clock, Ledger, utc_now
from memory.lookup import has_keys, is_stale
from memory.offers import Request, offer_pieces, offer_whole, related_to
from memory.records import text_hash
from memory.writes import bump_use, is_tombstoned, remove_alternative
from schema.experience import Experience, Saved
from schema.match import Match
from schema.ports import Recalled, Verifier
from schema.source import Source


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

    def __init__(self, ledger: Ledger, verifier: Verifier | None = None, scope: str = "") -> None:
        self.ledger = ledger
        self._verifier = verifier
        self._scope = scope

    def recall(self, source: Source, *, test_cmd: str | None = None, file: str | None = None) -> Recalled:
        """Look the code up, cheapest first. Writes nothing. Raises MemoryLockedError, MemoryDamagedError, StorageFailedError."""
        text, language = source.text, source.language
        if not text.strip():
            return Recalled(Match(reason="there is no code"))
        with self._fresh_keys() as connection:
            if is_tombstoned(connection, text_hash(text)):
                return Recalled(Match(reason="you told the memory to forget this code"))
            if not has_keys(connection):
                return Recalled(Match(reason="nothing is stored yet"))
            whole = find(connection, text, language, self._scope)
            pieces = [] if whole.hits else find_pieces(connection, text, language, self._scope)
        request = Request(source, self._verifier, test_cmd, file)
        if whole.is_known_bug:
            return offer_whole(request, whole)
        if whole.is_fixed:
            return Recalled(Match(already_fixed=True, related=related_to([whole]), reason=_fixed_reason(whole)))
        return offer_pieces(request, whole, pieces)

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
