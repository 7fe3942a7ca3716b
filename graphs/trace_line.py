"""One node's line of the trace: sizes, hashes and outcomes, never code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

HASH_CHARS = 16
HASHED = ("user_input_code", "current_code")


def trace_line(session_id: str, task_id: str, node: str, duration_ms: int, update: Mapping[str, Any]) -> dict[str, Any]:
    """What is written down about one node. `sizes` are characters of each value as JSON."""
    return {
        "session": session_id,
        "task": task_id,
        "node": node,
        "duration_ms": duration_ms,
        "sizes": {key: len(json.dumps(value)) for key, value in update.items() if value and key != "messages"},
        "hashes": {key: digest(update[key]) for key in HASHED if update.get(key)},
        "outcome": outcome(update),
        "usage": dict(update.get("usage") or {}),
    }


def digest(text: str) -> str:
    """The first 16 hex digits of the SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_CHARS]


def outcome(update: Mapping[str, Any]) -> dict[str, Any]:
    """What the node came to, in our own words and numbers."""
    facts: dict[str, Any] = {}
    for name in ("match_status", "next_worker"):
        if update.get(name):
            facts[name] = update[name]
    if "findings" in update:
        facts["findings"] = len(update["findings"])
    if update.get("fix"):
        facts["level"] = update["fix"]["verification"]["level"]
    if update.get("saved"):
        facts["saved"] = update["saved"]["status"]
    if update.get("error"):
        facts["error"] = update["error"]["code"]
    return facts
