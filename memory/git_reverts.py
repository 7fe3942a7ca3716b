"""Which commits were taken back by name, and what that does to fixes that are stored already."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from sqlite3 import Connection

from memory.events import note_fix
from memory.git_message import reverted_by
from memory.ledger import Ledger
from memory.records import COLUMNS, StoredAlternative, alternative_of
from memory.trust import reason_to_quarantine
from memory.writes import set_trust
from schema.experience import Experience
from schema.git_history import Commit, History
from schema.match import Trust

REVERTED = "reverted in Git by "
"""Begins the reason of a fix that is rejected because its commit was taken back."""
SHOWN = 12
"""Digits of a commit's id in that reason."""
_SHORT = 7
_QUOTES = re.compile("[\"'`\u201c\u201d\u2018\u2019]|\\s*\\(#\\d+\\)")
_QUERY = (
    f"SELECT {COLUMNS} FROM alternatives a JOIN experiences e ON e.seq = a.experience "  # noqa: S608 - a fixed list
    "WHERE a.kind = 'git' AND substr(a.ref, 1, ?) = ?"
)


@dataclass
class Reverts:
    """Commits that are taken back and not put in again: by id, or by subject where the message names no commit that is here."""

    _by_id: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _by_subject: dict[str, tuple[int, str]] = field(default_factory=dict)
    undone: set[str] = field(default_factory=set)
    """Beginnings of the ids of reverts that were themselves taken back."""

    def reverting(self, commit: str, subject: str, time: int) -> str:
        """The id of the commit that takes this one back; empty for none."""
        for beginning, revert in self._by_id.get(commit[:_SHORT], ()):
            if commit.startswith(beginning):
                return revert
        when, revert = self._by_subject.get(_plain(subject), (0, ""))
        return revert if time <= when else ""

    def add(self, revert: Commit, commit: str, subject: str) -> None:
        """One more that is in force."""
        if commit:
            self._by_id.setdefault(commit[:_SHORT], []).append((commit, revert.id))
        elif subject:
            self._by_subject.setdefault(_plain(subject), (revert.time, revert.id))


def read_reverts(history: History) -> Reverts:
    """Newest first, so that a revert which was itself reverted counts for nothing."""
    found = Reverts()
    for revert in _newest_first(history.reverts()):
        named = reverted_by(revert.message)
        if named is None:
            continue
        if found.reverting(revert.id, revert.subject, revert.time):
            found.undone.add(revert.id[:SHOWN])
            continue
        commit, subject = named
        if re.match(r"(?i)re(apply|land)\b", revert.subject) and subject:
            subject = f"Revert {subject}"
        found.add(revert, commit if commit and history.has(commit) else "", subject)
    return found


def _newest_first(reverts: Iterable[Commit]) -> list[Commit]:
    """Messages of reverts are all that is kept of a history."""
    return [replace(each, message=each.message[:2000]) for each in reverts][::-1]


def settle(ledger: Ledger, history: History, reverts: Reverts, *, dry_run: bool) -> dict[int, Trust]:
    """Reject stored fixes of this history whose commit is taken back now, and restore those whose revert is undone: which, and to what.

    What the user has pinned or accepted stays as it is, and what another repository of the same name gave.
    """
    prefix = f"{history.name}@"
    with ledger.reading() as connection:
        stored = [alternative_of(row) for row in connection.execute(_QUERY, (len(prefix), prefix))]
    changes = [(each, *change) for each in stored if (change := _change(each, history, reverts)) is not None]
    if changes and not dry_run:
        with ledger.writing() as connection:
            for each, trust, reason in changes:
                set_trust(connection, each.id, trust, reason)
                _note(connection, each, trust, reason, ledger.clock())
    return {each.id: trust for each, trust, _ in changes}


def _note(connection: Connection, stored: StoredAlternative, trust: Trust, reason: str, when: datetime) -> None:
    """The commit that took the fix back, or that its taking back was taken back."""
    if trust == "rejected":
        note_fix(connection, "reverted", stored.id, f"git {reason.removeprefix(REVERTED)}", at=when)
    else:
        note_fix(connection, "taken back", stored.id, f"git {stored.trust_reason.removeprefix(REVERTED)}", "reverted", at=when)


def _change(stored: StoredAlternative, history: History, reverts: Reverts) -> tuple[Trust, str] | None:
    """The trust that it should have, and why; None when it has it."""
    commit = stored.provenance.ref[len(history.name) + 1 :].partition(":")[0]
    if stored.trust == "rejected":
        if stored.trust_reason.removeprefix(REVERTED) not in reverts.undone:
            return None
        reason = reason_to_quarantine(_experience(stored))
        return ("quarantined", reason) if reason else ("plausible", "")
    by = reverts.reverting(commit, stored.explanation.partition("\n")[0], 0)
    if not by or stored.pinned or stored.accepted or not history.has(commit):
        return None
    return "rejected", f"{REVERTED}{by[:SHOWN]}"


def _experience(stored: StoredAlternative) -> Experience:
    return Experience(
        language=stored.language,
        code=stored.code,
        fixed_code=stored.fixed_code,
        explanation=stored.explanation,
        provenance=stored.provenance,
        findings=stored.findings,
    )


def _plain(subject: str) -> str:
    """Without quotes and numbers of merged requests, as reverts of reverts quote in many ways."""
    return _QUOTES.sub("", subject).strip().casefold()
