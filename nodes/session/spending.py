"""Model use of a task, added up in the state."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from schema.record import Usage
from state import SessionState


def spent(state: SessionState) -> Usage:
    """What the task has cost so far."""
    return Usage(**state.get("usage", {}))


def add_usage(state: SessionState, usage: Usage) -> dict[str, Any]:
    """What the task has cost with `usage`; an unknown cost makes the sum unknown."""
    before = spent(state)
    known = before.cost_usd is not None and usage.cost_usd is not None
    return asdict(
        Usage(
            before.calls + usage.calls,
            before.input_tokens + usage.input_tokens,
            before.output_tokens + usage.output_tokens,
            (before.cost_usd or 0.0) + (usage.cost_usd or 0.0) if known else None,
        )
    )
