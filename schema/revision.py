"""A fix that the user has edited: what was stored of it, and what that replaced."""

from __future__ import annotations

from dataclasses import dataclass

from schema.experience import Judged, Saved
from schema.match import Trust


@dataclass(frozen=True)
class Correction:
    """A stored fix that was corrected, with what it had before."""

    alternative_id: int
    trust: Trust
    trust_reason: str
    pinned: bool


@dataclass(frozen=True)
class Revision:
    """The edit as it was stored. `judged` is the acceptance that it counts as; None when the code was forgotten for good."""

    saved: Saved
    judged: Judged | None = None
    corrections: tuple[Correction, ...] = ()
    took_pin: bool = False
    """True when the corrected fix was pinned: the edit is in its place."""
