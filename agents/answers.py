"""Words of a model on their way to a user or a record: one line, bounded, nothing in them that a terminal obeys."""

from __future__ import annotations

from typing import Final

from schema.record import Usage
from utils.redact import redact
from utils.terminal import visible

ELLIPSIS: Final = "..."


def tidy(text: str, limit: int) -> str:
    """At most `limit` characters in one line, control and bidi characters spelled out, secrets replaced."""
    line = " ".join(visible(text).split())
    shown = redact(line).text
    return shown if len(shown) <= limit else shown[: limit - len(ELLIPSIS)].rstrip() + ELLIPSIS


def spent_since(before: Usage, after: Usage) -> Usage:
    """What a call has cost, as the difference of a task's usage; unknown when either cost is."""
    known = before.cost_usd is not None and after.cost_usd is not None
    return Usage(
        after.calls - before.calls,
        after.input_tokens - before.input_tokens,
        after.output_tokens - before.output_tokens,
        (after.cost_usd or 0.0) - (before.cost_usd or 0.0) if known else None,
    )
