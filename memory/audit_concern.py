"""One row of an audit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

SHORT = 12
"""Digits of an id in a sentence and in a command."""

Kind = Literal[
    "secret",
    "suspicious",
    "circle",
    "contradicting",
    "chain",
    "duplicate",
    "same fix",
    "stale",
    "waiting",
    "rejected",
    "never used",
    "one source",
]
KINDS: tuple[Kind, ...] = (
    "secret",
    "suspicious",
    "circle",
    "contradicting",
    "chain",
    "duplicate",
    "same fix",
    "stale",
    "waiting",
    "rejected",
    "never used",
    "one source",
)
"""The gravest first."""


@dataclass(frozen=True)
class Concern:
    """Something that deserves a look. `id` is the experience, empty for what is about many; `fix` the number of one of several fixes, as
    `memory show` prints them; `why` one sentence; `command` what would mend it; `others` the ids that it is about besides."""

    kind: Kind
    id: str
    fix: int | None
    what: str
    why: str
    command: str
    others: tuple[str, ...] = ()

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return {**asdict(self), "others": list(self.others)}


def at_fix(key: str, number: int, count: int) -> str:
    """How the command line names one fix of an experience that has `count`."""
    return f"{key[:SHORT]} --fix {number}" if count > 1 else key[:SHORT]
