"""`memory audit`: what in the memory deserves a look, and the command that would mend it. It changes nothing.

Entries are read one experience after the other, so that the texts of no more than that are in memory. What is said of pairs of entries
comes from their keys (`memory.audit_pairs`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from memory.arrivals import arrived_at
from memory.audit_concern import SHORT, Concern, Kind, at_fix
from memory.audit_pairs import of_chains, of_duplicates, of_same_fixes
from memory.audit_sources import of_sources
from memory.ledger import Ledger
from memory.records import COLUMNS, StoredAlternative, alternative_of
from memory.trust import reason_to_quarantine
from memory.upkeep import as_experience
from memory.writes import stamp
from utils.redact import redact

UNUSED_DAYS = 180
"""So long an entry may lie unused before it is told of."""
APPROVED = "approved by you"
"""How the reason begins of an import that the user has let through."""
_TOLD = 100
_ENTRIES = f"SELECT {COLUMNS} FROM alternatives a JOIN experiences e ON e.seq = a.experience ORDER BY a.experience, a.seq"  # noqa: S608

Progress = Callable[[int, int], None]
"""Called with how many fixes are read, and of how many."""


@dataclass(frozen=True)
class Question:
    """What entries are measured by: `basis` is what evidence rests on today, `before` the moment since which the unused is left alone."""

    basis: str
    days: int
    before: str


def audit(ledger: Ledger, basis: str, days: int = UNUSED_DAYS, progress: Progress = lambda done, total: None) -> Iterator[Concern]:
    """All that deserves a look, as it is found: first what is said of one entry, then of several, then of the whole.

    `basis` is that of today's verifier (see `schema.fix.Verification`). Raises what reading the ledger raises.
    """
    with ledger.reading() as connection:
        question = Question(basis, days, stamp(ledger.clock() - timedelta(days=days)))
        (total,) = connection.execute("SELECT count(*) FROM alternatives").fetchone()
        done = 0
        for _, rows in groupby(connection.execute(_ENTRIES), key=lambda row: row[1]):
            stored = sorted(map(alternative_of, rows), key=lambda each: (each.is_offered, each.rank()), reverse=True)
            yield from _of_experience(connection, stored, question)
            if (done + len(stored)) // _TOLD > done // _TOLD:
                progress(done + len(stored), total)
            done += len(stored)
        yield from of_duplicates(connection)
        yield from of_same_fixes(connection)
        yield from of_chains(connection)
        yield from of_sources(connection)


def _of_experience(connection: sqlite3.Connection, stored: Sequence[StoredAlternative], question: Question) -> Iterator[Concern]:
    rows = sorted(each.id for each in stored)
    for each in stored:
        yield from _of_fix(connection, each, _Named(each.experience_id, rows.index(each.id) + 1, len(stored)), question)
    offered = [each for each in stored if each.is_offered]
    if len(offered) > 1 and not offered[0].pinned:
        key = stored[0].experience_id
        first, second = (rows.index(each.id) + 1 for each in offered[:2])
        why = f"{len(offered)} different fixes of the same code are offered, fix {first} first"
        command = f"codemind memory pin {key[:SHORT]} --fix {first}, or codemind memory reject {key[:SHORT]} --fix {second}"
        yield Concern("contradicting", key, None, f"{len(offered)} fixes", why, command)


@dataclass(frozen=True)
class _Named:
    """A fix as the command line names it."""

    key: str
    number: int
    count: int

    @property
    def fix(self) -> int | None:
        """Its number, where there are several."""
        return self.number if self.count > 1 else None

    def concern(self, kind: Kind, what: str, why: str, command: str) -> Concern:
        """One about this fix; `command` is followed by its name."""
        return Concern(kind, self.key, self.fix, what, why, f"codemind memory {command} {at_fix(self.key, self.number, self.count)}")

    def of_all(self, kind: Kind, what: str, why: str, command: str) -> Concern:
        """One whose command is about the whole experience."""
        return Concern(kind, self.key, self.fix, what, why, f"codemind memory {command} {self.key[:SHORT]}")


def _of_fix(connection: sqlite3.Connection, each: StoredAlternative, named: _Named, question: Question) -> Iterator[Concern]:
    if secret := _secret(each):
        yield named.of_all("secret", secret, "it looks like a secret, and what is stored may be exported and shared", "forget")
    if each.trust == "quarantined":
        yield named.of_all("waiting", "waits for approval", each.trust_reason, "review --approve")
        return
    if each.trust == "rejected":
        why = f"{each.trust_reason or 'rejected'}; it stays so that it is not offered again"
        yield named.concern("rejected", "rejected", why, "accept")
        return
    if not secret and not _is_vouched_for(each) and (reason := reason_to_quarantine(as_experience(each))):
        yield named.concern("suspicious", "would be quarantined today", reason, "reject")
    evidence = each.verification
    if evidence.accepted and evidence.basis and evidence.basis != question.basis:
        why = f"its level {evidence.level} rests on other rules or linters than today's; it is checked anew whenever it is offered"
        yield named.of_all("stale", "older evidence", why, "show")
    if _is_unused(each) and arrived_at(connection, each.id, each.experience_id, each.created_at) < question.before:
        yield _unused(each, named, question.days)


def _unused(each: StoredAlternative, named: _Named, days: int) -> Concern:
    """Imports expire, which seeding undoes; what was made here is only ever forgotten by name."""
    why = f"it has lain here for more than {days} days and was never the answer"
    if each.provenance.kind == "session" or _is_vouched_for(each) or each.trust == "proved":
        return named.of_all("never used", "never used", why, "forget")
    return Concern("never used", named.key, named.fix, "never used", why, f"codemind memory compact --older-than {days}")


def _is_unused(each: StoredAlternative) -> bool:
    return not (each.uses or each.accepted or each.rejected or each.pinned)


def _is_vouched_for(each: StoredAlternative) -> bool:
    """The user has looked at it and kept it."""
    return bool(each.pinned or each.accepted) or each.trust_reason.startswith(APPROVED)


def _secret(each: StoredAlternative) -> str:
    """What kind of secret it holds, and where; empty for none."""
    origin = each.provenance
    texts = {"code": each.code, "fix": each.fixed_code, "explanation": each.explanation, "source": origin.ref, "author": origin.author}
    for place, text in texts.items():
        if found := redact(text).secrets:
            return f"{found[0].kind} in its {place}"
    return ""
