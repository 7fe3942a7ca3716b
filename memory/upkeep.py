"""What the user decides about single fixes by hand: pinning them, and verdicts as in a session. Each in one transaction."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from typing import Any, Literal

from errors import InputInvalidError
from memory.admin import StoredExperience, load_experiences
from memory.events import BY_HAND, note_fix
from memory.ledger import Ledger
from memory.picking import SHORT, Picked, pick, picked
from memory.records import StoredAlternative
from memory.trust import reason_to_quarantine
from memory.verdicts import fix_subject, verdict_on, write_verdict
from memory.writes import count_outcome, stamp
from schema.experience import Experience

Verdict = Literal["accepted", "rejected"]


@dataclass(frozen=True)
class Decided:
    """What was decided about which fix. `was_changed` is False when it was so already; `is_first` is True when it is offered before all
    others; `also_pinned` are other pinned fixes of the same code, `takes_back` the verdict that this one replaces, and `undone_by` is the
    action that takes back this one: an import that was held back is approved."""

    id: str
    number: int
    count: int
    state: str
    was_changed: bool
    is_first: bool
    also_pinned: tuple[int, ...] = ()
    takes_back: str = ""
    undone_by: str = ""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "id": self.id,
            "fix": self.number,
            "of": self.count,
            "state": self.state,
            "changed": self.was_changed,
            "first": self.is_first,
            "also_pinned": list(self.also_pinned),
            "takes_back": self.takes_back,
            "undone_by": self.undone_by,
        }


def pin(ledger: Ledger, prefix: str, number: int | None = None) -> Decided:
    """Offer this fix before all others of its code, and never merge, expire or purge it.

    Raises InputInvalidError for an id or number that names none, and for a fix that is not offered at all.
    """
    with ledger.writing() as connection:
        chosen = pick(connection, prefix, number)
        _refuse_withheld(chosen)
        if not chosen.stored.pinned:
            connection.execute("UPDATE alternatives SET pinned = 1 WHERE seq = ?", (chosen.stored.id,))
            note_fix(connection, "pinned", chosen.stored.id, BY_HAND, at=ledger.clock())
        return _decided(connection, chosen, "pinned", was_changed=not chosen.stored.pinned)


def unpin(ledger: Ledger, prefix: str, number: int | None = None) -> Decided:
    """Take `pin` back; without a number from the one fix that is pinned. Raises InputInvalidError as `pin`, and when several are."""
    with ledger.writing() as connection:
        chosen = pick(connection, prefix, number)
        numbers = _pinned(chosen.experience)
        if number is None and len(numbers) > 1:
            named = " and ".join(map(str, numbers))
            raise InputInvalidError(f"Fixes {named} of {chosen.experience.id[:SHORT]} are pinned: say which with --fix N.")
        if number is None and numbers:
            chosen = picked(connection, chosen.experience, numbers[0])
        if chosen.stored.pinned:
            connection.execute("UPDATE alternatives SET pinned = 0 WHERE seq = ?", (chosen.stored.id,))
            note_fix(connection, "unpinned", chosen.stored.id, BY_HAND, at=ledger.clock())
        return _decided(connection, chosen, "unpinned", was_changed=chosen.stored.pinned)


def accept(ledger: Ledger, prefix: str, number: int | None = None) -> Decided:
    """The fix is right: what `/accept` does. Takes a rejection back.

    Raises InputInvalidError as `pin`, and for an import that was held back and that nobody has approved.
    """
    return _decide(ledger, prefix, number, "accepted")


def reject(ledger: Ledger, prefix: str, number: int | None = None) -> Decided:
    """The fix is wrong and never offered again: what `/reject` does. `accept` and `admin.approve` take it back.

    Raises InputInvalidError for an id or number that names none.
    """
    return _decide(ledger, prefix, number, "rejected")


def _decide(ledger: Ledger, prefix: str, number: int | None, verdict: Verdict) -> Decided:
    with ledger.writing() as connection:
        chosen = pick(connection, prefix, number)
        if verdict == "accepted":
            _refuse_unapproved(chosen)
        subject = fix_subject((chosen.experience.id, chosen.fix_key))
        before = verdict_on(connection, subject)
        is_so = chosen.stored.trust == ("proved" if verdict == "accepted" else "rejected") and before == verdict
        if not is_so:
            _write(connection, chosen, verdict, subject, before, ledger)
        takes_back = before if before != verdict and before in ("accepted", "rejected") else ""
        if not takes_back and verdict == "accepted" and chosen.stored.trust == "rejected":
            takes_back = "rejected"
        made = _decided(connection, chosen, verdict, was_changed=not is_so, takes_back=takes_back)
        return replace(made, undone_by="reject" if verdict == "accepted" else "approve" if _is_held_back(chosen.stored) else "accept")


def _write(connection: sqlite3.Connection, chosen: Picked, verdict: Verdict, subject: str, before: str, ledger: Ledger) -> None:
    """Count it as a session does; one verdict takes the place of the other, so that both together count for nothing twice."""
    now = ledger.clock()
    if before in ("accepted", "rejected") and before != verdict:
        statement = f"UPDATE alternatives SET {before} = max({before} - 1, 0) WHERE seq = ?"  # noqa: S608 - one of two names
        connection.execute(statement, (chosen.stored.id,))
    count_outcome(connection, chosen.stored.id, accepted=verdict == "accepted", now=now)
    write_verdict(connection, subject, verdict, stamp(now), chosen.experience.id)
    note_fix(connection, verdict, chosen.stored.id, BY_HAND, f"was {chosen.stored.trust}", at=now)


def _decided(connection: sqlite3.Connection, chosen: Picked, state: str, *, was_changed: bool, takes_back: str = "") -> Decided:
    (after,) = load_experiences(connection, [chosen.experience.id])
    others = tuple(at for at in _pinned(after) if at != chosen.number)
    is_first = after.best.id == chosen.stored.id and after.best.is_offered
    return Decided(after.id, chosen.number, chosen.count, state, was_changed, is_first, others, takes_back if was_changed else "")


def _pinned(experience: StoredExperience) -> list[int]:
    return sorted(experience.numbers[each.id] for each in experience.alternatives if each.pinned)


def _refuse_withheld(chosen: Picked) -> None:
    short = chosen.experience.id[:SHORT]
    if chosen.stored.trust == "quarantined":
        raise InputInvalidError(f"This fix waits for approval and is not offered: `codemind memory approve {short}` first.")
    if chosen.stored.trust == "rejected":
        raise InputInvalidError(f"This fix is rejected and not offered: `codemind memory accept {short}{chosen.option}` first.")


def _refuse_unapproved(chosen: Picked) -> None:
    """An import that was held back is approved first, which shows why; also when it was rejected meanwhile."""
    if not chosen.stored.is_offered and _is_held_back(chosen.stored):
        short = chosen.experience.id[:SHORT]
        raise InputInvalidError(
            f"This import was held back: `codemind memory show {short}` says why; when it is good, `codemind memory approve {short}` first."
        )


def _is_held_back(stored: StoredAlternative) -> bool:
    return stored.provenance.kind != "session" and (stored.trust == "quarantined" or bool(reason_to_quarantine(as_experience(stored))))


def as_experience(stored: StoredAlternative) -> Experience:
    """What the rules of trust judge of a stored fix."""
    return Experience(
        language=stored.language,
        code=stored.code,
        fixed_code=stored.fixed_code,
        explanation=stored.explanation,
        provenance=stored.provenance,
        findings=stored.findings,
    )
