"""The thresholds of the near tier: what is in force for an embedder, and where it is kept.

A threshold belongs to one embedder, by its fingerprint, and is never used with another. One set ships, for the structural vectors;
`memory calibrate` measures others on what is stored (`memory.calibrating`) and keeps them in the ledger's `meta`.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from memory.vectors import fingerprint as structural_fingerprint

Origin = Literal["shipped", "calibrated"]

TARGET_PRECISION = 0.99
OUTGROWN = 2
"""A memory so many times as large as when it was measured is measured anew: more texts, more that are alike by chance."""
_NAME = "thresholds "
"""In `meta`, before the fingerprint."""


@dataclass(frozen=True)
class Thresholds:
    """The lowest scores (0-1) that count as near for one embedder.

    `near_short` is for texts of fewer than `short` tokens on either side, which are soon alike by chance. `precision` and `recall`
    (0-1) are those that were measured, on a memory of `stored` experiences; `at` is when (ISO 8601).
    """

    near: float
    near_short: float
    short: int
    fingerprint: str
    origin: Origin
    target_precision: float
    precision: float
    recall: float
    stored: int
    at: str
    held_until: int = 0
    """Not 0: lower ones were measured, on too few memories to be believed; from so many on they are taken."""

    def lowest(self, first: int, second: int) -> float:
        """The score that two texts of so many tokens must reach."""
        return self.near_short if self.is_short(first, second) else self.near

    def is_short(self, first: int, second: int) -> bool:
        """True when one of the two says too little to be sure at the usual score."""
        return min(first, second) < self.short

    @property
    def least(self) -> float:
        """The lower of the two."""
        return min(self.near, self.near_short)

    def is_outgrown(self, stored: int) -> bool:
        """True when the memory has grown so much since that its size no longer stands for it."""
        return self.origin == "calibrated" and stored >= OUTGROWN * max(1, self.stored)

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


_SHIPPED = Thresholds(
    near=0.80,
    near_short=0.82,
    short=30,
    fingerprint="",
    origin="shipped",
    target_precision=TARGET_PRECISION,
    precision=0.997,
    recall=0.990,
    stored=876,
    at="2026-11-30",
)
"""Chosen on the labelled pairs of `docs/benchmarks.md` (Recall), for the structural vectors."""


def shipped(fingerprint: str) -> Thresholds | None:
    """What ships for an embedder: something for the structural one, nothing for any other."""
    return replace(_SHIPPED, fingerprint=fingerprint) if fingerprint == structural_fingerprint() else None


def thresholds_in_force(connection: sqlite3.Connection, fingerprint: str) -> Thresholds | None:
    """Those measured for this embedder, else what ships for it; None: not calibrated, and the near tier is off."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_NAME + fingerprint,)).fetchone()
    measured = None if row is None else _read(str(row[0]), fingerprint)
    return measured or shipped(fingerprint)


def measured_for(connection: sqlite3.Connection, stem: str) -> Thresholds | None:
    """The newest that were measured for any fingerprint that begins so; None when there are none."""
    rows = connection.execute("SELECT name, value FROM meta WHERE substr(name, 1, ?) = ?", (len(_NAME + stem), _NAME + stem)).fetchall()
    read = (_read(str(value), str(name).removeprefix(_NAME)) for name, value in rows)
    return max(filter(None, read), key=lambda each: each.at, default=None)


def count_offered(connection: sqlite3.Connection) -> int:
    """How many experiences have a fix that may be offered."""
    query = "SELECT count(DISTINCT experience) FROM alternatives WHERE trust IN ('proved', 'plausible')"
    return int(connection.execute(query).fetchone()[0])


def keep_thresholds(connection: sqlite3.Connection, thresholds: Thresholds) -> None:
    """Put them in force for their embedder; those of other embedders stay."""
    said = json.dumps(thresholds.as_plain(), sort_keys=True)
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_NAME + thresholds.fingerprint, said))


def _read(text: str, fingerprint: str) -> Thresholds | None:
    """What `keep_thresholds` wrote; None for anything else: then the shipped ones hold."""
    try:
        read = Thresholds(**json.loads(text))
        is_sound = all(0 < score <= 1 for score in (read.near, read.near_short)) and read.short >= 0
    except (ValueError, TypeError):
        return None
    return read if is_sound and read.fingerprint == fingerprint else None
