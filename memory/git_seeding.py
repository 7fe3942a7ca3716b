"""Filling the memory from a Git history: bug fixes, function by function, streamed into the same store as any other seed.

Reading again adds only what is missing, so a stopped run is repeated; the last commit that was seen is kept for each repository and each
choice of paths and messages, and written once everything before it is stored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from errors import GitFailedError
from memory.git_dry_run import DryLedger
from memory.git_message import explanation_of
from memory.git_outcomes import Outcomes, Settled
from memory.git_reading import LearntPair, Reading, read_commit
from memory.git_reverts import REVERTED, SHOWN, Reverts, read_reverts, settle
from memory.ledger import Ledger
from memory.seed_report import SeedReport
from memory.seed_rows import Origin
from memory.seeding import seed_jsonl
from schema.git_history import History, Window
from schema.match import Trust

TOLD_COMMITS = 50
"""Commits after which progress is told."""
_MAX_EXPLANATION = 2_000
_MAX_REF = 900
_SAVED = ("added", "updated", "duplicate", "skipped", "quarantined")


@dataclass(frozen=True)
class GitRequest:
    """What is asked for. Times in seconds since 1970; `is_incremental`: only what came since the last run with the same filters."""

    since: int | None = None
    until: int | None = None
    is_incremental: bool = False
    grep: str = ""
    paths: tuple[str, ...] = ()
    most: int | None = None
    dry_run: bool = False

    def meta_name(self, history: History) -> str:
        """Where the ledger keeps the last commit seen."""
        filters = json.dumps([self.grep, sorted(self.paths)]).encode("utf-8", "surrogatepass")
        return f"git.last.{history.key}.{hashlib.sha256(filters).hexdigest()[:8]}"


@dataclass
class GitReport:
    """What became of the commits so far. `commits` of `total` are read; `taken` of them hold `functions` that were learnt.

    `not_taken` and `left_out` count the others, and functions and files that could not be learnt, by reason; `reverted` counts taken
    commits that were taken back: their fixes are stored as rejected. `newly_rejected` and `restored` are stored fixes that a commit takes
    back, or has again; `kept` are those from elsewhere (a session, a colleague, a file) that a commit was seen to make.
    """

    repository: str
    head: str
    dry_run: bool
    total: int = 0
    commits: int = 0
    taken: int = 0
    functions: int = 0
    reverted: int = 0
    newly_rejected: int = 0
    restored: int = 0
    kept: int = 0
    not_taken: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    stored: SeedReport = field(default_factory=SeedReport)

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        names = ("repository", "head", "dry_run", "commits", "taken", "functions", "reverted", "newly_rejected", "restored", "kept")
        reasons = {name: dict(getattr(self, name).most_common()) for name in ("not_taken", "left_out")}
        saved = {name: getattr(self.stored, name) for name in _SAVED}
        why = {name: dict(getattr(self.stored, name).most_common()) for name in ("skipped_why", "quarantined_why")}
        return {**{name: getattr(self, name) for name in names}, **reasons, **saved, **why, "notes": list(self.notes)}


@dataclass(frozen=True)
class TakenFix:
    """A commit that is taken, for people: `points` against the threshold, `reasons` the strongest first."""

    commit: str
    day: str
    author: str
    subject: str
    points: float
    reasons: tuple[str, ...]
    functions: tuple[str, ...]
    """`path: name`"""
    reverted_by: str = ""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return {**self.__dict__, "reasons": list(self.reasons), "functions": list(self.functions)}


Progress = Callable[[GitReport], None]
Told = Callable[[TakenFix], None]


def seed_git(
    ledger: Ledger, history: History, request: GitRequest, *, scope: str = "", progress: Progress | None = None, told: Told | None = None
) -> GitReport:
    """Learn the fixes of a history. A dry run reads and counts the same and changes nothing; `told` hears of each fix as it is found.

    Raises GitFailedError and what `Ledger.store` raises; then what was stored before stays, and running it again adds the rest.
    """
    report = GitReport(history.name, history.head, request.dry_run)
    if not history.head:
        report.notes.append("the repository has no commit yet: nothing to learn")
        return report
    if history.is_shallow:
        report.notes.append("a shallow clone: older commits are not here; `git fetch --unshallow` brings them")
    window = _window(ledger, history, request, report)
    report.total = history.count(window)
    reverts = read_reverts(history)
    outcomes = Outcomes(ledger, history)
    reading = _Rows(history, request, report, reverts, outcomes, progress=progress, told=told)
    store = DryLedger(ledger) if request.dry_run else ledger
    report.stored = seed_jsonl(store, reading.lines(window), origin=Origin(scope, may_reject=True), progress=reading.note_stored)
    if reading.failure is not None:
        if progress is not None:
            progress(report)
        raise reading.failure
    report.left_out.update({why: count for why, count in report.stored.bad_why.items()})
    by_name = settle(ledger, history, reverts, dry_run=request.dry_run)
    _count_outcomes(report, by_name, outcomes.settle(dry_run=request.dry_run, store=store, settled=by_name))
    if not request.dry_run and request.until is None:
        _keep_last(ledger, request.meta_name(history), history.head)
    return report


class _Rows:
    """Reads commits and gives the lines that are stored of them, counting on its way."""

    def __init__(  # noqa: PLR0913 - what one run works with
        self,
        history: History,
        request: GitRequest,
        report: GitReport,
        reverts: Reverts,
        outcomes: Outcomes,
        *,
        progress: Progress | None,
        told: Told | None,
    ) -> None:
        self._history, self._request, self._report, self._reverts = history, request, report, reverts
        self._outcomes = outcomes
        self._progress, self._told = progress, told
        self._grep = re.compile(request.grep, re.IGNORECASE) if request.grep else None
        self.failure: GitFailedError | None = None

    def note_stored(self, stored: SeedReport) -> None:
        """One more slice is safe."""
        self._report.stored = stored

    def lines(self, window: Window) -> Iterator[bytes]:
        """One line a changed function, oldest first. Where Git fails they end, so that those before are stored: see `failure`."""
        try:
            yield from self._read(window)
        except GitFailedError as error:
            self.failure = error

    def _read(self, window: Window) -> Iterator[bytes]:
        for commit in self._history.commits(window):
            self._report.commits += 1
            if self._grep is not None and not self._grep.search(commit.message):
                self._report.not_taken["message without --grep"] += 1
            else:
                reading = read_commit(commit, self._history.blob, self._request.paths)
                self._report.left_out.update(reading.left_out)
                yield from self._taken(reading)
            self._outcomes.look(commit, self._history.blob)
            if self._progress is not None and self._report.commits % TOLD_COMMITS == 0:
                self._progress(self._report)

    def _taken(self, reading: Reading) -> Iterator[bytes]:
        if reading.why:
            self._report.not_taken[reading.why] += 1
            return
        commit = reading.commit
        revert = self._reverts.reverting(commit.id, commit.subject, commit.time)
        self._report.taken += 1
        self._report.reverted += bool(revert)
        self._report.functions += len(reading.pairs)
        self._outcomes.learn(reading.pairs)
        if self._told is not None:
            self._told(_fix(reading, revert))
        for each in reading.pairs:
            yield _line(reading, each, self._history, revert)


def _fix(reading: Reading, revert: str) -> TakenFix:
    commit, judgement = reading.commit, reading.judgement
    return TakenFix(
        commit=commit.id,
        day=_moment(commit.time)[:10],
        author=commit.author,
        subject=commit.subject,
        points=judgement.points if judgement else 0.0,
        reasons=judgement.reasons if judgement else (),
        functions=tuple(f"{each.path}: {each.pair.name}" for each in reading.pairs),
        reverted_by=revert,
    )


def _line(reading: Reading, learnt: LearntPair, history: History, revert: str) -> bytes:
    """A line as any seed file has it (see `memory.seed_lines`), so that trust and secrets are judged in one place."""
    commit = reading.commit
    row: dict[str, Any] = {
        "code": learnt.pair.before,
        "fixed_code": learnt.pair.after,
        "language": learnt.pair.language,
        "explanation": _explained(commit.message, learnt, history.issues),
        "source": f"{history.name}@{commit.id}:{learnt.path}"[:_MAX_REF],
        "provenance": {"kind": "git", "author": commit.author[:_MAX_REF]},
        "created_at": _moment(commit.time),
    }
    if revert:
        row |= {"trust": "rejected", "trust_reason": f"{REVERTED}{revert[:SHOWN]}"}
    return json.dumps(row).encode("ascii")


def _explained(message: str, learnt: LearntPair, issues: str) -> str:
    """The message with its issue, and the imports that the fix needs and that stand elsewhere in its file."""
    needed = f"\n\n(The file also needs: {'; '.join(learnt.imports)})" if learnt.imports else ""
    return explanation_of(message, issues)[:_MAX_EXPLANATION] + needed[:_MAX_EXPLANATION]


def _moment(seconds: int) -> str:
    """UTC; the beginning of time for a date that can't be."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC).isoformat(timespec="seconds")


def _count_outcomes(report: GitReport, by_name: Mapping[int, Trust], by_content: Settled) -> None:
    """What became of stored fixes, told by the names of commits and by what commits did."""
    rejected = sum(trust == "rejected" for trust in by_name.values())
    report.newly_rejected = rejected + by_content.rejected
    report.restored = len(by_name) - rejected + by_content.restored
    report.kept = by_content.kept
    report.notes += by_content.told


def _window(ledger: Ledger, history: History, request: GitRequest, report: GitReport) -> Window:
    """The commits to read. A last commit that is no longer here (a rewritten history) counts for nothing."""
    after = ""
    if request.is_incremental:
        with ledger.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE name = ?", (request.meta_name(history),)).fetchone()
        after = str(row[0]) if row else ""
        if after and not history.has(after):
            report.notes.append("the last commit seen is no longer here: everything is read again")
            after = ""
        elif not after:
            report.notes.append("never read before with these filters: everything is read")
    return Window(after, request.since, request.until, request.paths, request.most)


def _keep_last(ledger: Ledger, name: str, head: str) -> None:
    with ledger.writing() as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, head))
