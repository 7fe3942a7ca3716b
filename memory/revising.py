"""A fix that the user has edited: the edit is proved, as whoever writes it accepts it, and what it corrects comes behind it.

What is corrected stays an alternative: it was not wrong enough to be rejected. Each edit is one transaction and can be taken back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory.events import IN_SESSION, note_fix
from memory.ledger import Ledger
from memory.prepare import prepare
from memory.records import Prepared
from memory.verdicts import fix_subject, verdict_on, write_verdict
from memory.writes import count_outcome, remove_alternative, set_trust, stamp, store, uncount_outcome
from schema.experience import Experience, Judged, Saved
from schema.match import Trust
from schema.revision import Correction, Revision
from schema.usage import Usage

_STORED = "SELECT seq, trust, trust_reason, pinned FROM alternatives WHERE seq = ?"
_COST = "SELECT calls, input_tokens, output_tokens, cost_usd FROM alternatives WHERE seq = ? AND calls > 0"


def revise(ledger: Ledger, experience: Experience, corrected: Sequence[int]) -> Revision:
    """Remember an edited fix as accepted, ahead of the stored fixes that it corrects (by their numbers; those that are gone don't count).

    A pin goes over to the edit. Raises what `Ledger.writing` raises, then nothing has changed.
    """
    prepared = prepare(experience)
    if prepared is None:
        return Revision(Saved("skipped", why="no_fix"))
    with ledger.writing() as connection:
        now = ledger.clock()
        prepared = _with_cost(connection, prepared, corrected)
        judged, saved = _accept(connection, prepared, now)
        if judged is None or judged.alternative_id is None:
            return Revision(saved)
        rows = [row for seq in corrected if seq != judged.alternative_id for row in connection.execute(_STORED, (seq,))]
        corrections = tuple(Correction(seq, trust, reason, bool(pinned)) for seq, trust, reason, pinned in rows)
        for each in corrections:
            _correct(connection, each, now)
        took_pin = any(each.pinned for each in corrections)
        if took_pin:
            connection.execute("UPDATE alternatives SET pinned = 1 WHERE seq = ?", (judged.alternative_id,))
        return Revision(saved, judged, corrections, took_pin)


def _with_cost(connection: sqlite3.Connection, prepared: Prepared, corrected: Sequence[int]) -> Prepared:
    """An edit of what a model made has cost what that had cost."""
    if prepared.experience.cost.calls:
        return prepared
    rows = [row for seq in corrected for row in connection.execute(_COST, (seq,))]
    return replace(prepared, experience=replace(prepared.experience, cost=Usage(*rows[0]))) if rows else prepared


def _accept(connection: sqlite3.Connection, prepared: Prepared, now: datetime) -> tuple[Judged | None, Saved]:
    """Store the fix, or find it where it is stored, and count it as accepted; None for code that was forgotten."""
    subject = fix_subject((prepared.id, prepared.fix_key))
    before = verdict_on(connection, subject)
    known = connection.execute(
        "SELECT a.trust, a.trust_reason FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ? AND a.fix_key = ?",
        (prepared.id, prepared.fix_key),
    ).fetchone()
    write_verdict(connection, subject, "accepted", stamp(now), prepared.id)
    saved = store(connection, prepared, now)
    if saved.alternative_id is None:
        write_verdict(connection, subject, before, stamp(now), prepared.id)
        return None, saved
    count_outcome(connection, saved.alternative_id, accepted=True, now=now)
    note_fix(connection, "edited", saved.alternative_id, IN_SESSION, saved.status, at=now)
    set_trust(connection, saved.alternative_id, "proved", f"edited by you on {now:%Y-%m-%d}")
    trust: Trust = known[0] if known else "plausible"
    return Judged(
        saved.alternative_id, accepted=True, trust=trust, trust_reason=known[1] if known else "", key=subject, before=before
    ), saved


def _correct(connection: sqlite3.Connection, each: Correction, now: datetime) -> None:
    """One correction more; what was proved is plausible again, and a pin is taken off."""
    connection.execute("UPDATE alternatives SET corrected = corrected + 1, pinned = 0 WHERE seq = ?", (each.alternative_id,))
    note_fix(connection, "edited", each.alternative_id, IN_SESSION, "corrected", at=now)
    if each.trust in {"proved", "plausible"}:
        set_trust(connection, each.alternative_id, "plausible", f"corrected by you on {now:%Y-%m-%d}")


def take_back_revision(ledger: Ledger, revision: Revision) -> bool:
    """Undo an edit: trust, pins and counters are as they were; False when what was stored is no longer there."""
    judged = revision.judged
    if judged is None or judged.alternative_id is None:
        return False
    with ledger.writing() as connection:
        write_verdict(connection, judged.key, judged.before, stamp(ledger.clock()))
        for each in revision.corrections:
            connection.execute(
                "UPDATE alternatives SET corrected = max(corrected - 1, 0), pinned = ?, trust = ?, trust_reason = ? WHERE seq = ?",
                (int(each.pinned), each.trust, each.trust_reason, each.alternative_id),
            )
        note_fix(connection, "taken back", judged.alternative_id, IN_SESSION, "edited", at=ledger.clock())
        if revision.saved.status in {"added", "updated"}:
            return remove_alternative(connection, judged.alternative_id)
        if revision.took_pin:
            connection.execute("UPDATE alternatives SET pinned = 0 WHERE seq = ?", (judged.alternative_id,))
        return uncount_outcome(connection, judged)
