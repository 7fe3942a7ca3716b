"""What a user asks of the memory: list, show, search, statistics, forget, review and approve. No key is computed here."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from errors import InputInvalidError, MemoryDamagedError, MemoryLockedError, StorageFailedError
from memory.backup import drop_backup, renew_backup
from memory.damage import is_hopeless, quarantined_file
from memory.events import BY_HAND, note_fix
from memory.forgetting import Traces, clean_copies, erase_quotes, traces_of
from memory.ledger import Ledger
from memory.records import COLUMNS, StoredAlternative, alternative_of
from memory.savings import read_days, total
from memory.soundness import problem_of
from memory.writes import forget_experience, set_trust
from schema.usage import Usage

MIN_PREFIX = 4
"""Shortest id prefix that is taken: shorter ones are typing errors."""
_SHOWN = 8

_FROM = "FROM alternatives a JOIN experiences e ON e.seq = a.experience"
_SELECT = f"SELECT {COLUMNS} {_FROM}"


@dataclass(frozen=True)
class StoredExperience:
    """An experience with its alternatives, the best first."""

    id: str
    language: str
    created_at: str
    alternatives: tuple[StoredAlternative, ...]

    @property
    def best(self) -> StoredAlternative:
        """The alternative that recall would offer, or the best of those that it would not."""
        return self.alternatives[0]

    @property
    def numbers(self) -> dict[int, int]:
        """The number of each alternative by its row: 1 for the oldest, whatever its rank is, so that it stays the same."""
        return {row: number for number, row in enumerate(sorted(each.id for each in self.alternatives), 1)}

    def as_plain(self) -> dict[str, Any]:
        """A JSON object with everything that is stored."""
        numbers = self.numbers
        return {
            "id": self.id,
            "language": self.language,
            "created_at": self.created_at,
            "alternatives": [{"number": numbers[each.id], **_alternative_plain(each)} for each in self.alternatives],
        }


@dataclass(frozen=True)
class Stats:
    """Counts of one ledger; `size_bytes` is that of its file."""

    experiences: int
    alternatives: int
    by_trust: dict[str, int]
    by_language: dict[str, int]
    by_kind: dict[str, int]
    uses: int
    tombstones: int
    size_bytes: int
    path: str
    cost: Usage
    """What the model calls cost that made the stored fixes, as far as it was recorded."""
    spared: Usage
    """What answers from memory have spared, as it was counted when they were given; see `memory.savings`."""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class Forgotten:
    """What `forget` deleted, and files that may still hold the text (a damaged ledger, a copy that can't be written, a log in use).

    `traces` is what else it may be known by, for whoever looks in files that are not the memory's.
    """

    id: str
    alternatives: int
    leftovers: tuple[Path, ...]
    traces: Traces


def list_experiences(ledger: Ledger, limit: int | None = None) -> list[StoredExperience]:
    """The newest experiences first; an empty home gives none."""
    with ledger.reading() as connection:
        wanted = connection.execute("SELECT id FROM experiences ORDER BY seq DESC LIMIT ?", (-1 if limit is None else limit,)).fetchall()
        return load_experiences(connection, [key for (key,) in wanted])


def count(ledger: Ledger) -> int:
    """How many experiences there are."""
    with ledger.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM experiences").fetchone()[0])


def show(ledger: Ledger, prefix: str) -> StoredExperience:
    """The whole experience whose id begins with `prefix`. Raises InputInvalidError when none or several do."""
    with ledger.reading() as connection:
        return load_experiences(connection, [resolve(connection, prefix)])[0]


def search(ledger: Ledger, text: str, limit: int | None = None) -> list[StoredExperience]:
    """Experiences in which every word of `text` stands in code, fix, explanation or findings (letter case aside), newest first.

    Raises InputInvalidError for a text without a word.
    """
    words = text.split()
    if not words:
        raise InputInvalidError("Nothing to search for: give at least one word.")
    haystack = "a.code || char(10) || a.fixed_code || char(10) || a.explanation || char(10) || a.findings"
    condition = " AND ".join(f"{haystack} LIKE ? ESCAPE '\\'" for _ in words)
    query = f"SELECT DISTINCT e.id, e.seq {_FROM} WHERE {condition} ORDER BY e.seq DESC LIMIT ?"
    with ledger.reading() as connection:
        rows = connection.execute(query, (*map(_pattern, words), -1 if limit is None else limit)).fetchall()
        return load_experiences(connection, [key for key, _ in rows])


def stats(ledger: Ledger) -> Stats:
    """Counts of everything."""
    with ledger.reading() as connection:
        one = _counter(connection)
        return Stats(
            experiences=one("SELECT count(*) FROM experiences"),
            alternatives=one("SELECT count(*) FROM alternatives"),
            by_trust=_counts(connection, "SELECT trust, count(*) FROM alternatives GROUP BY trust ORDER BY trust"),
            by_language=_counts(connection, "SELECT language, count(*) FROM experiences GROUP BY language ORDER BY language"),
            by_kind=_counts(connection, "SELECT kind, count(*) FROM alternatives GROUP BY kind ORDER BY kind"),
            uses=one("SELECT coalesce(sum(uses), 0) FROM alternatives"),
            tombstones=one("SELECT count(*) FROM tombstones"),
            size_bytes=ledger.path.stat().st_size if ledger.path.exists() else 0,
            path=str(ledger.path),
            cost=_recorded(connection),
            spared=total(read_days(connection)).spared,
        )


def forget(ledger: Ledger, prefix: str) -> Forgotten:
    """Delete an experience for good and leave a tombstone, so that no import brings it back.

    Raises InputInvalidError when no experience, or more than one, begins with `prefix`.
    """
    with ledger.writing() as connection:
        key = resolve(connection, prefix)
        traces = traces_of(connection, key)
        erase_quotes(connection, key)
        count = forget_experience(connection, key, ledger.clock())
        drop_backup(ledger.path)  # before the commit: a backup must never hold what the ledger has forgotten
    with suppress(StorageFailedError, MemoryLockedError):
        ledger.compact()  # what is deleted is overwritten already; this clears the write-ahead log as well
    renew_backup(ledger)
    kept = clean_copies(ledger, traces)
    log = Path(f"{ledger.path}-wal")
    return Forgotten(key, count, (*kept, log) if log.exists() and log.stat().st_size else tuple(kept), traces)


def quarantined(ledger: Ledger) -> list[StoredAlternative]:
    """What waits for the user's eye (`memory review`), oldest first; each says why in `trust_reason`."""
    with ledger.reading() as connection:
        rows = connection.execute(_SELECT + " WHERE a.trust = 'quarantined' ORDER BY a.seq").fetchall()
    return [alternative_of(row) for row in rows]


def approve(ledger: Ledger, prefix: str) -> int:
    """Let the quarantined alternatives of an experience be offered, as plausible; when there are none, its rejected ones. How many.

    Where none is withheld, what was rejected for some code only is lifted, and counted.
    Raises InputInvalidError when no experience, or more than one, begins with `prefix`.
    """
    with ledger.writing() as connection:
        key = resolve(connection, prefix)
        withheld = [each for each in load_experiences(connection, [key])[0].alternatives if not each.is_offered]
        waiting = [each for each in withheld if each.trust == "quarantined"] or withheld
        lifted = 0
        if not waiting or waiting[0].trust == "rejected":
            lifted = connection.execute("DELETE FROM verdicts WHERE verdict = 'rejected' AND (code = ? OR origin = ?)", (key, key)).rowcount
        for each in waiting:
            set_trust(connection, each.id, "plausible", f"approved by you on {ledger.clock():%Y-%m-%d}; was: {each.trust_reason}")
            note_fix(connection, "approved", each.id, BY_HAND, f"was {each.trust}", at=ledger.clock())
    return len(waiting) or lifted


def reject(ledger: Ledger, prefix: str) -> int:
    """Take the quarantined alternatives of an experience out for good, so that no import brings them back. How many.

    Raises as `approve`, which takes it back.
    """
    with ledger.writing() as connection:
        waiting = [
            each for each in load_experiences(connection, [resolve(connection, prefix)])[0].alternatives if each.trust == "quarantined"
        ]
        for each in waiting:
            set_trust(connection, each.id, "rejected", f"rejected by you on {ledger.clock():%Y-%m-%d}; was: {each.trust_reason}")
            note_fix(connection, "rejected", each.id, BY_HAND, f"was {each.trust}", at=ledger.clock())
    return len(waiting)


def leftovers(path: Path) -> list[Path]:
    """Files beside a ledger that may still hold what was deleted from it."""
    patterns = (f"{path.stem}.backup-*{path.suffix}", f"{path.stem}.damaged-*{path.suffix}")
    renewed = path.with_name(f"{path.stem}.backup-auto{path.suffix}")  # dropped with what was deleted, and made anew without it
    found = sorted(file for pattern in patterns for file in path.parent.glob(pattern) if file != renewed)
    log = Path(f"{path}-wal")
    return [*found, log] if log.exists() and log.stat().st_size else found


@dataclass(frozen=True)
class Health:
    """For `doctor`: `problem` is empty when the ledger is sound, or not yet made."""

    path: Path
    exists: bool
    size_bytes: int
    problem: str
    quarantined: Path | None


def health(ledger: Ledger) -> Health:
    """Read the whole file once and say what is wrong. Never raises for damage: that is its answer. What can't be opened is mended first."""
    place = quarantined_file(ledger.path)
    if place is not None and is_hopeless(ledger.path):
        return Health(ledger.path, False, 0, f"damaged: moved to {place}", place)
    if place is None and not ledger.path.exists() and not ledger.is_lost():
        return Health(ledger.path, False, 0, "", None)
    try:
        with ledger.reading() as connection:
            problem = problem_of(connection)
    except MemoryDamagedError as error:
        return Health(ledger.path, False, 0, error.message, quarantined_file(ledger.path))
    return Health(ledger.path, True, ledger.path.stat().st_size, problem, None)


def load_experiences(connection: sqlite3.Connection, ids: list[str]) -> list[StoredExperience]:
    """Whole experiences in the order of `ids`."""
    loaded = []
    for key in ids:
        rows = connection.execute(_SELECT + " WHERE e.id = ?", (key,)).fetchall()
        alternatives = sorted(map(alternative_of, rows), key=lambda each: (each.is_offered, each.rank()), reverse=True)
        (language, created_at) = connection.execute("SELECT language, created_at FROM experiences WHERE id = ?", (key,)).fetchone()
        loaded.append(StoredExperience(key, language, created_at, tuple(alternatives)))
    return loaded


def resolve(connection: sqlite3.Connection, prefix: str) -> str:
    """The one id that begins with `prefix`."""
    wanted = prefix.strip().lower()
    if len(wanted) < MIN_PREFIX:
        raise InputInvalidError(f"An id needs at least {MIN_PREFIX} characters: see `codemind memory list`.")
    rows = connection.execute("SELECT id FROM experiences WHERE id LIKE ? ESCAPE '\\' LIMIT 2", (_escaped(wanted) + "%",)).fetchall()
    if not rows:
        raise InputInvalidError(f"No remembered fix has an id that begins with {wanted[:64]!r}: see `codemind memory list`.")
    if len(rows) > 1:
        raise InputInvalidError(f"More than one experience begins with {wanted[:64]!r}: give more characters of the id.")
    return str(rows[0][0])


def _pattern(word: str) -> str:
    return f"%{_escaped(word)}%"


def _escaped(text: str) -> str:
    """LIKE's own signs taken literally."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _counter(connection: sqlite3.Connection) -> Any:
    return lambda query: int(connection.execute(query).fetchone()[0])


def _recorded(connection: sqlite3.Connection) -> Usage:
    """The recorded costs of fixes that a model made; one unknown price makes the sum unknown."""
    query = (
        "SELECT coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), "
        "coalesce(sum(cost_usd), 0.0), coalesce(sum(cost_usd IS NULL), 0) FROM alternatives WHERE calls > 0"
    )
    calls, sent, received, cost_usd, unknown = connection.execute(query).fetchone()
    return Usage(calls, sent, received, None if unknown else cost_usd)


def _counts(connection: sqlite3.Connection, query: str) -> dict[str, int]:
    return {str(name): int(count) for name, count in connection.execute(query)}


def _alternative_plain(alternative: StoredAlternative) -> dict[str, Any]:
    plain = asdict(alternative)
    plain["findings"] = [finding.as_plain() for finding in alternative.findings]
    plain["verification"] = alternative.verification.as_plain()
    return plain
