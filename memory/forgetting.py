"""What is left of a text that was forgotten, outside of the ledger: it is taken out of older copies, and looked for elsewhere."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from errors import CodeMindError
from memory import connections
from memory.ledger import Ledger
from memory.records import text_hash, to_lf
from memory.storage_errors import NotALedgerError
from memory.writes import stamp

_TELLING_BYTES = 16
"""A shorter line stands in many texts."""
_TOLD = 4
"""Lines of a text that are looked for, the longest of it: they are its own more than any others."""
_CHUNK = 1 << 20
_MOST_BYTES = 2_000


@dataclass(frozen=True)
class Traces:
    """What to look for: the id, the two sides of each fix as they were stored, and lines by which the texts are known."""

    key: str
    codes: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    lines: tuple[bytes, ...] = ()

    @property
    def tombstones(self) -> tuple[str, ...]:
        """The hashes that stand for the forgotten code."""
        return tuple(sorted({text_hash(code) for code in self.codes}))


def traces_of(connection: sqlite3.Connection, key: str) -> Traces:
    """Those of an experience that is still stored. Raises NotALedgerError, which is damage, when a text of it is none."""
    query = (
        "SELECT a.code, a.fixed_code, a.explanation FROM alternatives a JOIN experiences e ON e.seq = a.experience "
        "WHERE e.id = ? ORDER BY a.seq"
    )
    rows = connection.execute(query, (key,)).fetchall()
    texts = dict.fromkeys(text for row in rows for text in row)
    if not all(isinstance(text, str) for text in texts):
        raise NotALedgerError
    lines = dict.fromkeys(line for text in texts for line in _telling_lines(text))
    return Traces(key, _different(row[0] for row in rows), _different(row[1] for row in rows), tuple(lines))


def erase_quotes(connection: sqlite3.Connection, key: str) -> None:
    """Take out of other experiences the findings that came from this one: they say what it said. Inside the caller's transaction."""
    source = f"memory:{key}"
    rows = connection.execute("SELECT seq, findings FROM alternatives WHERE instr(findings, ?)", (source,)).fetchall()
    for seq, findings in rows:
        with suppress(ValueError, TypeError, AttributeError):
            kept = [found for found in json.loads(findings) if found.get("source") != source]
            connection.execute("UPDATE alternatives SET findings = ? WHERE seq = ?", (json.dumps(kept), seq))


def clean_copies(ledger: Ledger, traces: Traces) -> list[Path]:
    """Take the experience out of the backups that were made before migrations. Those that can't be cleaned, and damaged ledgers."""
    kept = [copy for copy in _copies(ledger.path, "backup") if not _is_cleaned(copy, ledger, traces)]
    return kept + [copy for copy in _copies(ledger.path, "damaged") if holds_any(copy, traces.lines)]


def holding(folder: Path, traces: Traces, skipped_names: tuple[str, ...]) -> list[Path]:
    """Files below a folder that hold a line of the texts; what begins with one of the names at its top is left out."""
    paths = (path for path in sorted(folder.rglob("*")) if not path.relative_to(folder).parts[0].startswith(skipped_names))
    return [path for path in paths if path.is_file() and not path.is_symlink() and holds_any(path, traces.lines)]


def holds_any(path: Path, lines: Iterable[bytes]) -> bool:
    """True when one of the lines stands in the file; a file that can't be read may hold them."""
    wanted = tuple(lines)
    if not wanted:
        return False
    try:
        with path.open("rb") as file:
            end = b""
            while chunk := file.read(_CHUNK):
                text = end + chunk
                if any(line in text for line in wanted):
                    return True
                end = text[-_MOST_BYTES:]
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _copies(path: Path, kind: str) -> list[Path]:
    """The files of that kind beside a ledger, without their companions."""
    return sorted(path.parent.glob(f"{path.stem}.{kind}-*{path.suffix}"))


def _is_cleaned(copy: Path, ledger: Ledger, traces: Traces) -> bool:
    """Delete the experience from a copy, whatever its schema, and leave its tombstones there: it may be put in the ledger's place."""
    try:
        with ledger.exclusive(), connections.writer(copy, ledger.lock_timeout_s) as connection:
            if not connections.is_ours(connection):
                return False
            _forget(connection, traces, ledger.clock())
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy
    except (sqlite3.Error, OSError, CodeMindError):
        return False


def _forget(connection: sqlite3.Connection, traces: Traces, now: datetime) -> None:
    """By its id, and by its text: a copy may be older than the way in which ids are made today."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM experiences WHERE id = ?", (traces.key,))
    for code in traces.codes:
        connection.execute("DELETE FROM experiences WHERE seq IN (SELECT experience FROM alternatives WHERE code = ?)", (code,))
    erase_quotes(connection, traces.key)
    connection.executemany("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", [(each, stamp(now)) for each in traces.tombstones])
    connection.execute("COMMIT")


def _telling_lines(text: str) -> Iterator[bytes]:
    """The longest lines of a text; the whole of it where all are short."""
    stripped = [line.strip().encode("utf-8", "surrogatepass")[:_MOST_BYTES] for line in to_lf(text).split("\n")]
    telling = [line for line in stripped if len(line) >= _TELLING_BYTES]
    yield from sorted(telling, key=len, reverse=True)[:_TOLD]


def _different(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
