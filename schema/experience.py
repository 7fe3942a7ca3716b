"""What is stored: a key (language and buggy code) and what to remember about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from schema.finding import Finding
from schema.fix import Verification
from schema.match import Trust
from schema.usage import Usage

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
    cost: Usage = field(default_factory=Usage)
    """What the model calls of the task that made the fix cost; nothing when no model was asked."""


@dataclass(frozen=True)
class Saved:
    """The `saved` object of a task record; `alternative_id` lets `/undo` take back exactly this write."""

    status: SavedStatus
    id: str | None = None
    why: Why | None = None
    alternative_id: int | None = None
    aside: str = ""
    """Why it is stored without being offered; for a note, no part of the object."""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        plain = asdict(self)
        del plain["aside"]
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Saved:
        """Read what `as_plain` wrote."""
        return cls(plain["status"], plain.get("id"), plain.get("why"), plain.get("alternative_id"))


@dataclass(frozen=True)
class Judged:
    """A verdict of the user on a fix, with what it replaced: `ExperienceMemory.take_back` undoes it.

    `alternative_id` is None for a fix that is not stored. `key` names the fix of exactly that code, "" when it was not given.
    """

    alternative_id: int | None
    accepted: bool
    trust: Trust | None
    trust_reason: str
    key: str = ""
    before: str = ""
    """The verdict on `key` that stood before; empty for none."""
