"""One finding: where, how bad, which rule, and, when there is one, the edit that mends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast

from utils.fingerprint import fingerprint

Severity = Literal["critical", "high", "medium", "low", "info"]
Category = Literal["bug", "security", "reliability", "performance", "maintainability"]
Applicability = Literal["safe", "unsafe", "display"]

SEVERITIES: tuple[Severity, ...] = ("info", "low", "medium", "high", "critical")


def severity_rank(severity: str) -> int:
    """0 (info) to 4 (critical); ValueError for anything else."""
    return SEVERITIES.index(cast("Severity", severity))


@dataclass(frozen=True)
class TextEdit:
    """Replace a span by `text`. Lines and columns are 1-based code points; the end column is exclusive.

    An insertion has start == end. All edits of one fix refer to the same unchanged text.
    """

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class SuggestedFix:
    """Edits that belong together. `display` is for reading only and never applied."""

    edits: tuple[TextEdit, ...]
    applicability: Applicability


@dataclass(frozen=True)
class Finding:
    """A defect at a place. Lines are 1-based and inclusive, columns 1-based code points, `end_column` exclusive."""

    path: str
    start_line: int
    end_line: int
    start_column: int
    end_column: int
    severity: Severity
    category: Category
    rule_id: str
    """`namespace/name`, for example `ruff/B006` or `bugs/mutable-default`."""
    message: str
    suggestion: str
    evidence: str
    """The exact source lines start_line..end_line, without a trailing newline."""
    confidence: float
    source: str
    """`rule:ID@VERSION+DIGEST`, `ruff:F821`, `model:NAME` or `memory:ID`."""
    fix: SuggestedFix | None = None
    fingerprint: str = field(default="")

    def __post_init__(self) -> None:
        """A finding made without a fingerprint gets that of its rule, path and evidence."""
        if not self.fingerprint:
            object.__setattr__(self, "fingerprint", fingerprint(self.rule_id, self.path, self.evidence))

    def as_plain(self) -> dict[str, Any]:
        """A JSON object with every key of DESIGN section 6."""
        plain = asdict(self)
        if self.fix is not None:
            plain["fix"]["edits"] = list(plain["fix"]["edits"])
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Finding:
        """Read what `as_plain` wrote; KeyError when a field is missing."""
        values = {name: plain[name] for name in cls.__dataclass_fields__ if name != "fix"}
        fix = plain.get("fix")
        edits = () if fix is None else tuple(TextEdit(**edit) for edit in fix["edits"])
        values["fix"] = None if fix is None else SuggestedFix(edits, fix["applicability"])
        return cls(**values)
