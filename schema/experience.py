"""What is stored: a key (language and buggy code) and what to remember about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from schema.finding import Finding
from schema.fix import Verification
from schema.match import Trust

Kind = Literal["session", "git", "jsonl", "pair", "peer"]
SavedStatus = Literal["added", "updated", "duplicate", "skipped"]
Why = Literal["nothing_found", "no_fix", "from_memory", "no_save", "error", "rejected"]


@dataclass(frozen=True)
class Provenance:
    """Where a fix came from. `ref` is the seed's source, a commit, or the session id."""

    kind: Kind
    ref: str = ""
    author: str = ""
    file_hash: str = ""
    license: str = ""


@dataclass(frozen=True)
class Experience:
    """One buggy text with one fix of it, as it is handed to the ledger. `code` and `fixed_code` are byte-exact."""

    language: str
    code: str
    fixed_code: str
    explanation: str
    provenance: Provenance
    findings: tuple[Finding, ...] = ()
    verification: Verification = field(default_factory=lambda: Verification("none"))
    trust: Trust = "plausible"
    trust_reason: str = ""
    scope: str = ""


@dataclass(frozen=True)
class Saved:
    """The `saved` object of a task record; `alternative_id` lets `/undo` take back exactly this write."""

    status: SavedStatus
    id: str | None = None
    why: Why | None = None
    alternative_id: int | None = None

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Saved:
        """Read what `as_plain` wrote."""
        return cls(plain["status"], plain.get("id"), plain.get("why"), plain.get("alternative_id"))
