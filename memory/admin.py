"""What a user asks of the memory: list, show, search, statistics, forget, review and approve. No key is computed here."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from errors import InputInvalidError, MemoryDamagedError, MemoryLockedError, StorageFailedError
from memory.damage import quarantined_file
from memory.ledger import Ledger
from memory.records import COLUMNS, StoredAlternative, alternative_of
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

    def as_plain(self) -> dict[str, Any]:
        """A JSON object with everything that is stored."""
        return {
            "id": self.id,
            "language": self.language,
            "created_at": self.created_at,
            "alternatives": [_alternative_plain(each) for each in self.alternatives],
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
    """The same, once for each use of such a fix from memory."""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class Forgotten:
    """What `forget` deleted, and files that may still hold the text (backups, a quarantined ledger, a log in use)."""

    id: str
    alternatives: int
    leftovers: tuple[Path, ...] = ()


def list_experiences(ledger: Ledger, limit: int | None = None) -> list[StoredExperience]:
    """The newest experiences first; an empty home gives none."""
    with ledger.reading() as connection:
        wanted = connection.execute("SELECT id FROM experiences ORDER BY seq DESC LIMIT ?", (-1 if limit is None else limit,)).fetchall()
        return _load(connection, [key for (key,) in wanted])


def count(ledger: Ledger) -> int:
    """How many experiences there are."""
    with ledger.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM experiences").fetchone()[0])


def show(ledger: Ledger, prefix: str) -> StoredExperience:
    """The whole experience whose id begins with `prefix`. Raises InputInvalidError when none or several do."""
    with ledger.reading() as connection:
        return _load(connection, [_resolve(connection, prefix)])[0]


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
        return _load(connection, [key for key, _ in rows])


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
            cost=_recorded(connection, "1"),
            spared=_recorded(connection, "uses"),
        )


def forget(ledger: Ledger, prefix: str) -> Forgotten:
    """Delete an experience for good and leave a tombstone, so that no import brings it back.

    Raises InputInvalidError when no experience, or more than one, begins with `prefix`.
    """
    with ledger.writing() as connection:
        key = _resolve(connection, prefix)
        count = forget_experience(connection, key, ledger.clock())
    with suppress(StorageFailedError, MemoryLockedError):
        ledger.compact()  # what is deleted is overwritten already; this clears the write-ahead log as well
    return Forgotten(key, count, tuple(leftovers(ledger.path)))


def quarantined(ledger: Ledger) -> list[StoredAlternative]:
    """What waits for the user's eye (`memory review`), oldest first; each says why in `trust_reason`."""
    with ledger.reading() as connection:
        rows = connection.execute(_SELECT + " WHERE a.trust = 'quarantined' ORDER BY a.seq").fetchall()
    return [alternative_of(row) for row in rows]


def approve(ledger: Ledger, prefix: str) -> int:
    """Let the quarantined alternatives of an experience be offered, as plausible; when there are none, its rejected ones. How many.

    Raises InputInvalidError when no experience, or more than one, begins with `prefix`.
    """
    with ledger.writing() as connection:
        key = _resolve(connection, prefix)
        withheld = [each for each in _load(connection, [key])[0].alternatives if not each.is_offered]
        waiting = [each for each in withheld if each.trust == "quarantined"] or withheld
        if waiting and waiting[0].trust == "rejected":
            connection.execute("DELETE FROM verdicts WHERE verdict = 'rejected' AND (code = ? OR origin = ?)", (key, key))
        for each in waiting:
            set_trust(connection, each.id, "plausible", f"approved by you on {ledger.clock():%Y-%m-%d}; was: {each.trust_reason}")
    return len(waiting)


def reject(ledger: Ledger, prefix: str) -> int:
    """Take the quarantined alternatives of an experience out for good, so that no import brings them back. How many.

    Raises as `approve`, which takes it back.
    """
    with ledger.writing() as connection:
        waiting = [each for each in _load(connection, [_resolve(connection, prefix)])[0].alternatives if each.trust == "quarantined"]
        for each in waiting:
            set_trust(connection, each.id, "rejected", f"rejected by you on {ledger.clock():%Y-%m-%d}; was: {each.trust_reason}")
    return len(waiting)


def leftovers(path: Path) -> list[Path]:
    """Files beside a ledger that may still hold what was deleted from it."""
    patterns = (f"{path.stem}.backup-*{path.suffix}", f"{path.stem}.damaged-*{path.suffix}")
    found = sorted(file for pattern in patterns for file in path.parent.glob(pattern))
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
    """Read the whole file once and say what is wrong. Never raises for damage: that is its answer."""
    place = quarantined_file(ledger.path)
    if place is not None:
        return Health(ledger.path, False, 0, f"damaged: moved to {place}", place)
    if not ledger.path.exists():
        return Health(ledger.path, False, 0, "", None)
    try:
        with ledger.reading() as connection:
            answer = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except MemoryDamagedError as error:
        return Health(ledger.path, False, 0, error.message, quarantined_file(ledger.path))
    return Health(ledger.path, True, ledger.path.stat().st_size, "" if answer == "ok" else answer, None)


def _load(connection: sqlite3.Connection, ids: list[str]) -> list[StoredExperience]:
    """Whole experiences in the order of `ids`."""
    loaded = []
    for key in ids:
        rows = connection.execute(_SELECT + " WHERE e.id = ?", (key,)).fetchall()
        alternatives = sorted(map(alternative_of, rows), key=lambda each: (each.is_offered, each.rank()), reverse=True)
        (language, created_at) = connection.execute("SELECT language, created_at FROM experiences WHERE id = ?", (key,)).fetchone()
        loaded.append(StoredExperience(key, language, created_at, tuple(alternatives)))
    return loaded


def _resolve(connection: sqlite3.Connection, prefix: str) -> str:
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


def _recorded(connection: sqlite3.Connection, times: str) -> Usage:
    """The recorded costs of fixes that a model made, `times` each; one unknown price makes the sum unknown."""
    query = (
        f"SELECT coalesce(sum({times} * calls), 0), coalesce(sum({times} * input_tokens), 0), coalesce(sum({times} * output_tokens), 0), "  # noqa: S608 - two words
        f"coalesce(sum({times} * cost_usd), 0.0), coalesce(sum({times} > 0 AND cost_usd IS NULL), 0) FROM alternatives WHERE calls > 0"
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
