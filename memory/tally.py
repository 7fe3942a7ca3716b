"""How far the ledger had come, in a few bytes beside it: what a ledger that is gone or can't be read held is known from here.

Written after each commit, in place and without waiting for the disk: a note that is torn or missing only makes a sentence less exact.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tally:
    """`generation` counts the writes; `last` is the highest number that an alternative ever had, 0 for none."""

    generation: int = 0
    last: int = 0


def tally_path(path: Path) -> Path:
    """The note of the ledger at `path`."""
    return path.with_name(f"{path.stem}.tally.json")


def tally_of(connection: sqlite3.Connection) -> Tally:
    """As it stands in a ledger. Raises sqlite3.Error."""
    generation = connection.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'alternatives'").fetchone()
    return Tally(int(generation[0]) if generation else 0, int(last[0]) if last else 0)


def read_tally(path: Path) -> Tally:
    """What was noted last; zeros when nothing can be read."""
    try:
        plain = json.loads(tally_path(path).read_text(encoding="ascii"))
        return Tally(int(plain["generation"]), int(plain["last"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Tally()


def write_tally(path: Path, tally: Tally) -> None:
    """Best effort: what was committed is safe without it."""
    with suppress(OSError):
        descriptor = os.open(tally_path(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(asdict(tally), file)
