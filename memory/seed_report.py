"""What became of the lines of a seed file: counts, and the reasons behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from memory.records import Prepared
from memory.seed_rows import SeedLine
from schema.experience import Saved

SkippedWhy = Literal["no_change", "forgotten", "rejected", "tombstone"]
"""Both sides are the same up to layout and comments; the user has forgotten the code, or rejected the fix; the line says that whoever
wrote it has forgotten something, which binds nobody else."""
_KINDS = 20
"""A file may bring reasons of its own: so many are told apart."""
LISTED = 100
"""Bad lines that the report names; all are counted."""


@dataclass(frozen=True)
class BadLine:
    """A line that was not stored, and why."""

    line: int
    reason: str


@dataclass
class SeedReport:
    """What became of the lines read so far; grows slice by slice, and counts only what is safely stored.

    `quarantined` counts those among added and updated that are not offered until approved, `skipped` usable lines that were left
    out, `bad` lines that can't be used; both with their reasons.
    """

    lines: int = 0
    added: int = 0
    updated: int = 0
    duplicate: int = 0
    skipped: int = 0
    quarantined: int = 0
    bad: int = 0
    skipped_why: Counter[str] = field(default_factory=Counter)
    quarantined_why: Counter[str] = field(default_factory=Counter)
    bad_why: Counter[str] = field(default_factory=Counter)
    bad_lines: list[BadLine] = field(default_factory=list)
    read_bytes: int = 0
    """How far the lines were read; `total_bytes` is 0 where that is not known."""
    total_bytes: int = 0

    takes_tombstones: ClassVar[bool] = False
    """True where lines that say what was forgotten are stored, too."""

    @property
    def stored(self) -> int:
        """Lines whose fix is in the ledger now."""
        return self.added + self.updated + self.duplicate

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        counts = {name: getattr(self, name) for name in ("lines", "added", "updated", "duplicate", "skipped", "quarantined", "bad")}
        reasons = {name: dict(getattr(self, name).most_common()) for name in ("skipped_why", "quarantined_why", "bad_why")}
        return {**counts, **reasons, "bad_lines": [{"line": each.line, "reason": each.reason} for each in self.bad_lines]}

    def count_line(self, size: int) -> None:
        """One more line was read, of so many bytes."""
        self.lines += 1
        self.read_bytes += size

    def count_bad(self, reason: str) -> None:
        """The line that was read can't be used."""
        self.bad += 1
        self.bad_why[reason] += 1
        if len(self.bad_lines) < LISTED:
            self.bad_lines.append(BadLine(self.lines, reason))

    def count_skipped(self, why: SkippedWhy) -> None:
        """A usable line that is left out."""
        self.skipped += 1
        self.skipped_why[why] += 1

    def count_stored(self, line: SeedLine, saved: Saved) -> None:
        """One line that was handed to the ledger, with the answer."""
        if line.prepared is not None:
            self.count_saved(line.prepared, saved)

    def count_saved(self, prepared: Prepared, saved: Saved) -> None:
        """One line that was handed to the ledger."""
        if saved.status == "skipped":
            self.count_skipped("forgotten" if saved.id is None else "rejected")
            return
        setattr(self, saved.status, getattr(self, saved.status) + 1)
        if saved.status != "duplicate" and prepared.experience.trust == "quarantined":
            self.quarantined += 1
            kind = _kind_of(prepared.experience.trust_reason)
            known = kind in self.quarantined_why or len(self.quarantined_why) < _KINDS
            self.quarantined_why[kind if known else "something else"] += 1


Progress = Callable[[SeedReport], None]


def _kind_of(reason: str) -> str:
    """A reason without what it quotes from the line, so that like ones are counted together."""
    return reason.partition(" (")[0].partition(": ")[0] or "its file says so"
