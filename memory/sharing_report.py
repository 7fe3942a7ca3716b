"""What one synchronisation did, as far as it came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class SyncReport:
    """Counts of fixes. What is counted is done: it stays done when the server goes away in the midst of it."""

    host: str = ""
    pushed: int = 0
    """Written to the server, changed ones included."""
    withdrawn: int = 0
    """Taken from the server, where they stood: forgotten, rejected or taken back here."""
    held: Counter[str] = field(default_factory=Counter)
    """Not sent, by reason."""
    pulled: int = 0
    """New here."""
    known: int = 0
    """Came, and were here already."""
    quarantined: int = 0
    """Of the new ones, those that wait for approval."""
    removed: int = 0
    """Dropped here, since whoever offered them has withdrawn them."""
    kept: int = 0
    """Withdrawn by whoever offered them, and kept: pinned, accepted, proved or made here."""
    declined: int = 0
    """Came, and are not wanted here: forgotten or rejected by the user."""
    refused: Counter[str] = field(default_factory=Counter)
    """Documents that can't be used, by reason."""
    waiting: int = 0
    """What could not be sent yet."""
    notes: list[str] = field(default_factory=list)

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "host": self.host,
            "pushed": self.pushed,
            "withdrawn": self.withdrawn,
            "held_back": self.held.total(),
            "held_reasons": dict(self.held),
            "pulled": self.pulled,
            "known": self.known,
            "quarantined": self.quarantined,
            "removed": self.removed,
            "kept": self.kept,
            "declined": self.declined,
            "refused": self.refused.total(),
            "refused_reasons": dict(self.refused),
            "waiting": self.waiting,
            "notes": list(self.notes),
        }


Progress = Callable[[SyncReport], None]
"""Called after each batch."""
