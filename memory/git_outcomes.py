"""What became in a Git history of fixes that are stored, told by content: a commit made exactly that change, or took it back.

A fix counts as kept when a commit turned its buggy function into its fixed one, and as reverted when a later commit turned it back; keys
tell, so layout and comments say nothing. What happened last holds. A change that only looks like taking back, since the fix was never in
this history, is none: that is how the bug came in.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.events import note_fix
from memory.git_changes import split_change
from memory.git_dry_run import DryLedger
from memory.git_paths import kind_of
from memory.git_reading import Blobs, LearntPair
from memory.git_reverts import REVERTED, SHOWN
from memory.keys import exact_key
from memory.ledger import Ledger
from memory.records import COLUMNS, StoredAlternative, alternative_of, to_lf
from memory.trust import reason_to_quarantine
from memory.writes import set_trust
from schema.experience import Experience
from schema.git_history import Commit, FileChange, History
from schema.match import Trust
from utils.language_names import language_of_file
from utils.syntax import OUTLINED, blocks

MOST_WATCHED = 20_000
"""Stored fixes that are looked for, the newest."""
MOST_FILES = 100
"""A commit that changes more is a sweep, and takes nothing back by itself."""
_MOST_BYTES = 1_000_000
_WATCHED = "SELECT code, fixed_code FROM alternatives WHERE trust <> 'quarantined' ORDER BY seq DESC LIMIT ?"
_OF_PAIR = (
    f"SELECT DISTINCT {COLUMNS} FROM keys b JOIN keys f ON f.alternative = b.alternative AND f.part = b.part "  # noqa: S608 - a fixed list
    "AND f.kind = 'exact' AND f.side = 'fixed' AND f.hash = ? JOIN alternatives a ON a.seq = b.alternative "
    "JOIN experiences e ON e.seq = a.experience WHERE b.hash = ? AND b.kind = 'exact' AND b.side = 'buggy'"
)

Pair = tuple[str, str]
"""The exact keys of a function before and after."""


@dataclass(frozen=True)
class Outcome:
    """What last became of a fix. `again`: this history had taken it back before and has it again."""

    what: Literal["kept", "reverted"]
    commit: str
    again: bool = False


@dataclass(frozen=True)
class Change:
    """What a stored fix is to become: `trust` None leaves that as it is."""

    stored: StoredAlternative
    trust: Trust | None
    reason: str
    kept_in: str
    commit: str


@dataclass
class Settled:
    """What was done, or would be: `kept` are fixes that a commit holds; `told` those that were taken back and stay, as the user's own."""

    rejected: int = 0
    restored: int = 0
    kept: int = 0
    told: list[str] = field(default_factory=list)


class _Watch:
    """The changes that stored fixes make, by lines without their blanks: tells cheaply whether a file's change can hold one of them."""

    def __init__(self) -> None:
        self._by_line: dict[int, list[tuple[frozenset[int], frozenset[int]]]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_line)

    def add(self, buggy: str, fixed: str) -> None:
        """One more fix, found by its longest line."""
        gone, new = _changed_lines(buggy, fixed)
        if gone or new:
            self._by_line.setdefault(hash(max(gone | new, key=len)), []).append((_hashes(gone), _hashes(new)))

    def may_hold(self, before: str, after: str) -> bool:
        """True when all that some fix changes was changed, this way or back."""
        gone, new = map(_hashes, _changed_lines(before, after))
        return any(
            (lost <= gone and made <= new) or (lost <= new and made <= gone)
            for line in gone | new
            for lost, made in self._by_line.get(line, ())
        )


class Outcomes:
    """Follows the commits of a history, oldest first, with an eye on the fixes that are stored or learnt on the way.

    Contents are only split where the changed lines, blanks aside, may be those of a fix that is watched.
    """

    def __init__(self, ledger: Ledger, history: History) -> None:
        self._ledger, self._history = ledger, history
        self._commits: set[str] = set()
        self._moves: list[tuple[Pair, str]] = []
        self._learnt: set[Pair] = set()
        self._watched = _Watch()
        with ledger.reading() as connection:
            for code, fixed in connection.execute(_WATCHED, (MOST_WATCHED,)):
                self._watched.add(code, fixed)

    def learn(self, pairs: Sequence[LearntPair]) -> None:
        """Functions of the commit that comes next are learnt: from then on they are watched."""
        for each in pairs:
            self._watched.add(each.pair.before, each.pair.after)
            self._learnt.add(_keys(each.pair.before, each.pair.after, each.pair.language))

    def look(self, commit: Commit, blobs: Blobs) -> None:
        """The next commit."""
        self._commits.add(commit.id[:SHOWN])
        edited = [change for change in commit.changes if _may_be_read(change)] if len(commit.parents) == 1 and self._watched else []
        if len(edited) > MOST_FILES or commit.changed_files > len(commit.changes):
            return
        for change in edited:
            for before, after, language in self._texts(change, blobs):
                keys = _keys(before, after, language)
                if keys[0] != keys[1]:
                    self._moves.append((keys, commit.id))

    def settle(self, *, dry_run: bool, store: Ledger, settled: Container[int]) -> Settled:
        """Change trust and rank of the stored fixes, but for those that are `settled` by name. A dry run counts the same; `store` is what
        the history was learnt into."""
        done = Settled()
        ends = self._ends()
        with self._ledger.reading() as connection:
            found = [change for pair, outcome in ends.items() for change in self._changes(connection, pair, outcome, done)]
        changes = list({change.stored.id: change for change in found if change.stored.id not in settled}.values())
        if dry_run and isinstance(store, DryLedger):
            done.rejected += sum(
                outcome.what == "reverted" and pair in self._learnt and store.would_add(pair) for pair, outcome in ends.items()
            )
        done.told = list(dict.fromkeys(done.told))
        done.rejected += sum(each.trust == "rejected" for each in changes)
        done.restored += sum(each.trust not in {None, "rejected"} for each in changes)
        done.kept += sum(bool(each.kept_in) and each.kept_in != each.stored.kept_in for each in changes)
        if changes and not dry_run:
            with self._ledger.writing() as connection:
                for each in changes:
                    _write(connection, each, self._ledger)
        return done

    def _texts(self, change: FileChange, blobs: Blobs) -> Iterator[tuple[str, str, str]]:
        """Before and after of what may be stored of an edited file: the file, and each of its classes and functions that differs."""
        before, after = (_text(blobs(blob)) for blob in (change.old_blob, change.new_blob))
        if before is None or after is None or not self._watched.may_hold(before, after):
            return
        language = language_of_file(change.path) or ""
        yield before, after, language
        yield from ((*pair, language) for pair in _changed_classes(before, after, language))
        for pair in split_change(before, after, language, change.path).pairs:
            yield pair.before, pair.after, language

    def _ends(self) -> dict[Pair, Outcome]:
        """What last became of each change that was made. Taking back counts where the change was in this history, or was known to be."""
        ends: dict[Pair, Outcome] = {}
        with self._ledger.reading() as connection:
            for pair, commit in self._moves:
                back = pair[::-1]
                was_in = ends[back].what == "kept" if back in ends else any(map(self._is_in, _stored(connection, back)))
                if was_in:
                    ends[back] = Outcome("reverted", commit)
                before = ends.get(pair)
                ends[pair] = Outcome("kept", commit, again=before is not None and (before.again or before.what == "reverted"))
        return ends

    def _is_in(self, stored: StoredAlternative) -> bool:
        """True for a fix of which an earlier run knew that it is in this history."""
        own = self._own_commit(stored)
        is_own = bool(own) and own[:SHOWN] not in self._commits
        return is_own or stored.kept_in.startswith(f"{self._history.name}@")

    def _own_commit(self, stored: StoredAlternative) -> str:
        """The commit of this history that a fix was learnt from; empty for others."""
        prefix = f"{self._history.name}@"
        ref = stored.provenance.ref
        return ref[len(prefix) :].partition(":")[0] if stored.provenance.kind == "git" and ref.startswith(prefix) else ""

    def _changes(self, connection: sqlite3.Connection, pair: Pair, outcome: Outcome, done: Settled) -> Iterator[Change]:
        for stored in _stored(connection, pair):
            change = self._kept(stored, outcome) if outcome.what == "kept" else self._reverted(stored, outcome, done)
            if change is not None:
                yield change

    def _kept(self, stored: StoredAlternative, outcome: Outcome) -> Change | None:
        """In force again when only Git had taken it back; else evidence for a fix that did not come from this history."""
        own = self._own_commit(stored)
        if stored.trust == "rejected":
            by = stored.trust_reason.removeprefix(REVERTED)
            if by == stored.trust_reason or not (outcome.again or by not in self._commits) or outcome.commit == own:
                return None
            reason = reason_to_quarantine(_experience(stored))
            return Change(stored, "quarantined" if reason else "plausible", reason or "", "", outcome.commit)
        place = f"{self._history.name}@{outcome.commit[:SHOWN]}"
        return None if own or stored.kept_in == place else Change(stored, None, stored.trust_reason, place, outcome.commit)

    def _reverted(self, stored: StoredAlternative, outcome: Outcome, done: Settled) -> Change | None:
        """Not offered any more; what the user has pinned or accepted stays, and is told."""
        if stored.trust == "rejected":
            return None
        if stored.pinned or stored.accepted:
            done.told.append(f"{stored.experience_id[:SHOWN]} was taken back by {outcome.commit[:SHOWN]}; it stays, as you vouched for it")
            return None
        return Change(stored, "rejected", f"{REVERTED}{outcome.commit[:SHOWN]}", "", outcome.commit)


def _keys(before: str, after: str, language: str) -> Pair:
    return exact_key(to_lf(before), language), exact_key(to_lf(after), language)


def _changed_classes(before: str, after: str, language: str) -> Iterator[tuple[str, str]]:
    """Classes with one name of their own in both texts that differ."""
    old, new = _classes(before, language), _classes(after, language)
    return ((old[name], new[name]) for name in old.keys() & new.keys() if old[name] != new[name])


def _classes(text: str, language: str) -> dict[str, str]:
    lines = text.split("\n")
    found = [block for block in blocks(text, language) if block.kind == "class"]
    return {block.qualname: "\n".join(lines[block.start_line - 1 : block.end_line]) + "\n" for block in found}


def _stored(connection: sqlite3.Connection, pair: Pair) -> list[StoredAlternative]:
    """The stored fixes that make exactly this change, of a whole text or of one of its functions."""
    return [alternative_of(row) for row in connection.execute(_OF_PAIR, (pair[1], pair[0]))]


def _write(connection: sqlite3.Connection, change: Change, ledger: Ledger) -> None:
    stored, origin = change.stored, f"git {change.commit[:SHOWN]}"
    connection.execute("UPDATE alternatives SET kept_in = ? WHERE seq = ?", (change.kept_in, stored.id))
    if change.trust is None:
        note_fix(connection, "updated", stored.id, origin, "kept in Git", at=ledger.clock())
        return
    set_trust(connection, stored.id, change.trust, change.reason)
    is_rejected = change.trust == "rejected"
    note_fix(
        connection, "reverted" if is_rejected else "taken back", stored.id, origin, "" if is_rejected else "reverted", at=ledger.clock()
    )


def _may_be_read(change: FileChange) -> bool:
    """An edited file of a language whose functions are known."""
    is_edit = change.is_file and change.status in {"modified", "renamed"} and change.old_blob != change.new_blob
    return is_edit and kind_of(change.path) == "product" and language_of_file(change.path) in OUTLINED


def _text(content: bytes | None) -> str | None:
    if content is None or len(content) > _MOST_BYTES or b"\x00" in content:
        return None
    try:
        return to_lf(content.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def _changed_lines(before: str, after: str) -> tuple[set[str], set[str]]:
    """Lines that are less often in the second text, and those that are more often; blanks don't count."""
    old, new = Counter(_lines(before)), Counter(_lines(after))
    return set(old - new), set(new - old)


def _lines(text: str) -> Iterator[str]:
    return filter(None, ("".join(line.split()) for line in text.splitlines()))


def _hashes(lines: Iterable[str]) -> frozenset[int]:
    return frozenset(map(hash, lines))


def _experience(stored: StoredAlternative) -> Experience:
    return Experience(stored.language, stored.code, stored.fixed_code, stored.explanation, stored.provenance, findings=stored.findings)
