"""Verdicts on fixes, and trust that a fix has earned: each in one transaction, and each can be taken back."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from memory.events import IN_SESSION, Action, note_event, note_fix
from memory.keys import exact_key
from memory.ledger import Ledger
from memory.parts import changed_parts
from memory.recall import EARNED
from memory.records import OFFERED, to_lf
from memory.verdicts import fix_keys, fix_subject, rejected_as_stored, verdict_on, write_verdict
from memory.writes import count_outcome, stamp, uncount_outcome
from schema.experience import Judged
from schema.fix import LEVELS, Verification
from schema.match import Match
from schema.source import Source

_STORED = "SELECT a.trust, a.trust_reason, e.id FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE a.seq = ?"


def judge(
    ledger: Ledger,
    alternative_id: int | None,
    *,
    accepted: bool,
    source: Source | None = None,
    fixed_code: str = "",
    here_only: bool = False,
) -> Judged | None:
    """See `schema.ports.ExperienceMemory.judge`."""
    subject = fix_subject(fix_keys(source, fixed_code)) if source is not None else ""
    with ledger.writing() as connection:
        row = connection.execute(_STORED, (alternative_id,)).fetchone()
        if row is None and not subject:
            return None
        trust, reason, origin = row or (None, "", "")
        judged = Judged(alternative_id if row else None, accepted, trust, reason, subject, verdict_on(connection, subject))
        if judged.alternative_id is not None:
            count_outcome(connection, judged.alternative_id, accepted=accepted, now=ledger.clock())
            if here_only:
                connection.execute("UPDATE alternatives SET trust = ?, trust_reason = ? WHERE seq = ?", (trust, reason, alternative_id))
        _note(connection, judged, "accepted" if accepted else "rejected", at=stamp(ledger.clock()))
        if subject:
            write_verdict(connection, subject, "accepted" if accepted else "rejected", stamp(ledger.clock()), origin)
        return judged


def take_back(ledger: Ledger, judged: Judged) -> bool:
    """See `schema.ports.ExperienceMemory.take_back`."""
    with ledger.writing() as connection:
        if judged.key:
            write_verdict(connection, judged.key, judged.before, stamp(ledger.clock()))
        _note(connection, judged, "taken back", "accepted" if judged.accepted else "rejected", at=stamp(ledger.clock()))
        if judged.alternative_id is None or judged.trust is None:
            return bool(judged.key)
        return uncount_outcome(connection, judged)


def _note(connection: sqlite3.Connection, judged: Judged, action: Action, detail: str = "", *, at: str) -> None:
    """In the history of the stored fix; of one that is not stored, in that of its code."""
    if judged.alternative_id is not None:
        note_fix(connection, action, judged.alternative_id, IN_SESSION, detail, at=at)
    elif judged.key:
        code, _, fix_key = judged.key.partition("/")
        note_event(connection, action, code, fix_key, IN_SESSION, detail, at=at)


def is_rejected_fix(ledger: Ledger, source: Source, fixed_code: str) -> bool:
    """See `schema.ports.ExperienceMemory.is_rejected`."""
    with ledger.reading() as connection:
        if not _has_rejections(connection):
            return False
        said = rejected_as_stored(connection, source, fixed_code)
        if said is not None:
            return said
        parts = changed_parts(to_lf(source.text), to_lf(fixed_code), source.language)
        told = [rejected_as_stored(connection, replace(source, text=part.code), part.fixed_code) for part in parts]
        return bool(told) and all(told)


def confirm(ledger: Ledger, source: Source, match: Match, verification: Verification) -> bool:
    """See `schema.ports.ExperienceMemory.confirm`."""
    own = exact_key(to_lf(source.text), source.language)
    exact = [region for region in match.regions if region.tier == "exact" and region.experience_id == own and region.fixed_code is not None]
    if not exact:
        return False
    with ledger.writing() as connection:
        return any([_raise(connection, region.alternative_id, verification, stamp(ledger.clock())) for region in exact])


def _has_rejections(connection: sqlite3.Connection) -> bool:
    """Cheaper than the keys of two texts, and mostly the answer."""
    queries = ("SELECT 1 FROM verdicts WHERE verdict = 'rejected' LIMIT 1", "SELECT 1 FROM alternatives WHERE trust = 'rejected' LIMIT 1")
    return any(connection.execute(query).fetchone() is not None for query in queries)


def _raise(connection: sqlite3.Connection, alternative: int, verification: Verification, when: str) -> bool:
    """Make an offered alternative proved, with the better of both levels."""
    row = connection.execute("SELECT trust, verification FROM alternatives WHERE seq = ?", (alternative,)).fetchone()
    if row is None or row[0] not in OFFERED:
        return False
    stored = Verification.from_plain(json.loads(row[1]))
    best = verification if LEVELS.index(verification.level) > LEVELS.index(stored.level) else stored
    connection.execute(
        "UPDATE alternatives SET verification = ?, trust_reason = CASE WHEN trust = 'proved' THEN trust_reason ELSE ? END, "
        "trust = 'proved' WHERE seq = ?",
        (json.dumps(best.as_plain()), EARNED, alternative),
    )
    if row[0] != "proved":
        note_fix(connection, "updated", alternative, IN_SESSION, f"proved, level {best.level}", at=when)
    return bool(row[0] != "proved")
