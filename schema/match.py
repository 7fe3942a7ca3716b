"""What memory says about a paste: IDENTICAL, SIMILAR or NONE, how it knows, and which lines it speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from schema.usage import Usage

Status = Literal["IDENTICAL", "SIMILAR", "NONE"]
Tier = Literal["exact", "renamed", "near"]
Trust = Literal["proved", "plausible", "quarantined", "rejected"]


@dataclass(frozen=True)
class Region:
    """Lines of the paste (1-based, inclusive) that one stored experience explains.

    `fixed_code` is what those lines become, in the paste's own names and layout; None when the fix did not transfer
    (`why_not` says why).
    """

    start_line: int
    end_line: int
    status: Status
    tier: Tier
    experience_id: str
    alternative_id: int
    trust: Trust
    fixed_code: str | None
    explanation: str = ""
    why_not: str = ""
    source: str = field(default="", repr=False, compare=False)
    """The import it came with (see `memory.sources`); for counting here, no part of the object."""


@dataclass(frozen=True)
class Related:
    """A past fix that is reading matter only: never applied, never routed on."""

    experience_id: str
    trust: Trust
    reason: str
    explanation: str = ""
    score: float | None = None
    """How much its bug looks like the paste (0-1), where it was found by likeness; it is listed best first."""
    source: str = field(default="", repr=False, compare=False)
    """As of a region."""


@dataclass(frozen=True)
class Match:
    """The `match` object of a task record. `coverage` is the share (0-1) of the paste's tokens that the regions explain."""

    status: Status = "NONE"
    tier: Tier | None = None
    experience_id: str | None = None
    score: float | None = None
    distance: float | None = None
    threshold: float | None = None
    coverage: float = 0.0
    regions: tuple[Region, ...] = ()
    already_fixed: bool = False
    related: tuple[Related, ...] = ()
    trust: Trust | None = None
    reason: str = ""
    spared: Usage | None = None
    """What making the offered fix had cost, for a hit that explains the whole paste; None when no model had made it."""

    def as_plain(self) -> dict[str, Any]:
        """A JSON object; every key is present."""
        plain = asdict(self)
        plain["regions"] = [_without_source(asdict(region)) for region in self.regions]
        plain["related"] = [_without_source(asdict(related)) for related in self.related]
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Match:
        """Read what `as_plain` wrote."""
        values = {name: plain[name] for name in cls.__dataclass_fields__ if name in plain}
        values["regions"] = tuple(Region(**region) for region in plain.get("regions", ()))
        values["related"] = tuple(Related(**related) for related in plain.get("related", ()))
        values["spared"] = Usage.from_plain(plain["spared"]) if plain.get("spared") else None
        return cls(**values)


def _without_source(plain: dict[str, Any]) -> dict[str, Any]:
    del plain["source"]
    return plain


@dataclass(frozen=True)
class PastFix:
    """A stored pair, shown as a suggestion (or to a model as an example) when its fix did not carry over."""

    experience_id: str
    buggy: str
    fixed: str
    explanation: str
    why_not: str
