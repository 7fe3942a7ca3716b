"""The task record: the one JSON object that a task ends in (DESIGN section 9)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from schema.experience import Saved
from schema.finding import Finding, severity_rank
from schema.fix import Fix
from schema.match import Match, PastFix
from schema.usage import Usage as Usage


@dataclass(frozen=True)
class TaskRecord:
    """Everything a task ended in. Positions are those of the paste; `fix.code` has the paste's own line ends."""

    id: str
    language: str
    provider: str
    match: Match = field(default_factory=Match)
    route: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    fix: Fix | None = None
    saved: Saved = field(default_factory=lambda: Saved("skipped", why="error"))
    llm: Usage = field(default_factory=Usage)
    elapsed_ms: int = 0
    error: dict[str, str] | None = None
    exit_code: int = 0
    """Of `error`: 0 when there is none."""
    notes: tuple[str, ...] = ()
    suggestion: PastFix | None = None

    def as_plain(self) -> dict[str, Any]:
        """The JSON object: every key of DESIGN section 9, and `notes` (sentences: what was not checked, what was cut)."""
        saved = self.saved.as_plain()
        saved.pop("alternative_id")
        return {
            "id": self.id,
            "language": self.language,
            "provider": self.provider,
            "match": self.match.as_plain(),
            "route": list(self.route),
            "findings": [finding.as_plain() for finding in self.findings],
            "fix": None if self.fix is None else self.fix.as_plain(),
            "saved": saved,
            "llm": self.llm.as_plain(),
            "elapsed_ms": self.elapsed_ms,
            "error": self.error,
            "notes": list(self.notes),
        }

    def worst_severity(self) -> int:
        """Rank of the worst finding, -1 when there is none."""
        return max((severity_rank(finding.severity) for finding in self.findings), default=-1)

    def with_note(self, note: str) -> TaskRecord:
        """The same record with one more sentence."""
        return replace(self, notes=(*self.notes, note))
