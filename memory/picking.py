"""Which stored fix the user means: by the beginning of an id, and by its number where there are several."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from errors import InputInvalidError
from memory.admin import StoredExperience, load_experiences, resolve
from memory.records import StoredAlternative

SHORT = 12
"""Digits of an id in a sentence."""


@dataclass(frozen=True)
class Picked:
    """One fix of an experience. `number` is what `memory show` calls it (1-based)."""

    experience: StoredExperience
    stored: StoredAlternative
    number: int
    fix_key: str

    @property
    def count(self) -> int:
        """How many fixes of this code there are."""
        return len(self.experience.alternatives)

    @property
    def option(self) -> str:
        """What names this fix behind an id on the command line; empty where it is the only one."""
        return f" --fix {self.number}" if self.count > 1 else ""


def pick(connection: sqlite3.Connection, prefix: str, number: int | None = None) -> Picked:
    """The fix with that number, else the best one. Raises InputInvalidError for an unknown or ambiguous id, or number."""
    (experience,) = load_experiences(connection, [resolve(connection, prefix)])
    return picked(connection, experience, experience.numbers[experience.best.id] if number is None else number)


def picked(connection: sqlite3.Connection, experience: StoredExperience, number: int) -> Picked:
    """The fix with that number. Raises InputInvalidError when there is none."""
    row = next((row for row, own in experience.numbers.items() if own == number), None)
    if row is None:
        short, count = experience.id[:SHORT], len(experience.alternatives)
        has = "one fix only" if count == 1 else f"{count} fixes"
        raise InputInvalidError(f"There is no fix {number}: {short} has {has}. `codemind memory show {short}` numbers them.")
    (fix_key,) = connection.execute("SELECT fix_key FROM alternatives WHERE seq = ?", (row,)).fetchone()
    stored = next(each for each in experience.alternatives if each.id == row)
    return Picked(experience, stored, number, str(fix_key))
