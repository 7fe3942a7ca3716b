"""Model use of a task, added up in the state."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from schema.usage import Usage
from state import SessionState


def spent(state: SessionState) -> Usage:
    """What the task has cost so far."""
    return Usage(**state.get("usage", {}))


def add_usage(state: SessionState, usage: Usage) -> dict[str, Any]:
    """What the task has cost with `usage`; an unknown cost makes the sum unknown."""
    return asdict(spent(state).plus(usage))
