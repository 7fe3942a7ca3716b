"""The seams of long-term memory: what is recalled, what is remembered, and what the user said of it. `schema.ports` has them too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from schema.experience import Experience, Judged, Saved
from schema.finding import Finding
from schema.fix import Fix, Verification
from schema.match import Match, PastFix
from schema.source import Source


@dataclass(frozen=True)
class Recalled:
    """The answer of long-term memory.

    `fix`: the verified fix of an IDENTICAL paste; for SIMILAR, or when regions cover a part only, the whole paste with
    every region's fix put in, not yet verified (level `none`, nothing refused). `findings`: the stored findings, anchored
    anew on the paste. `example`: the past pair when its fix did not carry over. `notes`: sentences for the user about the
    memory itself (an index that was skipped or made anew); they never change the answer.
    """

    match: Match
    fix: Fix | None = None
    findings: tuple[Finding, ...] = ()
    example: PastFix | None = None
    notes: tuple[str, ...] = ()


class ExperienceMemory(Protocol):
    """Long-term memory of proved fixes. Raises MemoryLockedError, MemoryDamagedError, StorageFailedError."""

    def recall(self, source: Source, *, test_cmd: str | None = None, file: str | None = None) -> Recalled:
        """Look the code up: exact, renamed, near, else NONE. Writes nothing but vectors and indexes: derived from what is stored."""

    def remember(self, experience: Experience) -> Saved:
        """Write the experience under its content's id: remembering twice changes nothing."""

    def mark_used(self, match: Match) -> None:
        """Bump the counters of what was offered; nothing is learnt."""

    def undo(self, saved: Saved) -> bool:
        """Take back exactly the write that `saved` reports; False when there is nothing to take back."""

    def judge(
        self,
        alternative_id: int | None,
        *,
        accepted: bool,
        source: Source | None = None,
        fixed_code: str = "",
        here_only: bool = False,
    ) -> Judged | None:
        """The user's verdict on a fix: accepted makes it proved, rejected takes it out of every later answer.

        With `source` and `fixed_code` (the code that was reviewed and the fix that was shown, placeholders in both) the verdict also
        holds for exactly that fix of that code, whoever makes it again; then `alternative_id` may be None. `here_only`: only for that; the
        stored fix keeps its trust, and the verdict counts for its rank. None: nothing to judge.
        """

    def take_back(self, judged: Judged) -> bool:
        """Undo a verdict; False when what it was about is no longer there."""

    def is_rejected(self, source: Source, fixed_code: str) -> bool:
        """True when the user has rejected this very fix (up to layout) of this code."""

    def confirm(self, source: Source, match: Match, verification: Verification) -> bool:
        """Make the exact stored fix of `source` proved: here it has mended what failed before. False when it changed no trust."""


class Verdicts(Protocol):
    """What the user no longer wants to be told. A verdict holds for a finding in that code: the function around it, or the whole text.

    `findings` are in positions of `source.text`. Raises MemoryLockedError, MemoryDamagedError, StorageFailedError.
    """

    def dismiss(self, source: Source, findings: Sequence[Finding]) -> None:
        """Never report these again for that code."""

    def restore(self, source: Source, findings: Sequence[Finding]) -> None:
        """Take `dismiss` back."""

    def dismissed(self, source: Source, findings: Sequence[Finding]) -> frozenset[str]:
        """The fingerprints of those that were dismissed."""
