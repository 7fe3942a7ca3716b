"""Secrets in what a model answered: it may make one up, or repeat one it was trained on. They go before anybody reads the answer."""

from __future__ import annotations

import json
from typing import Any

from utils.redact import redact


def without_secrets(text: str, asked: str) -> str:
    """The JSON text with a placeholder for each secret in its strings; `asked` is the question, whose placeholders stay its own.

    Text that is no JSON comes back as it is: whoever parses it says so.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        return text
    strings = list(_strings(plain))
    if all(redact(string).count == 0 for string in strings):
        return text
    return json.dumps(_replaced(plain, asked + "\n".join(strings)), ensure_ascii=False)


def _strings(plain: Any) -> list[str]:
    """All strings in it, keys included."""
    if isinstance(plain, str):
        return [plain]
    if isinstance(plain, dict):
        return [string for pair in plain.items() for part in pair for string in _strings(part)]
    return [string for item in plain for string in _strings(item)] if isinstance(plain, list) else []


def _replaced(plain: Any, reserved: str) -> Any:
    """The same with redacted strings; keys are names of a schema and stay."""
    if isinstance(plain, str):
        return redact(plain, reserved).text
    if isinstance(plain, dict):
        return {key: _replaced(value, reserved) for key, value in plain.items()}
    return [_replaced(item, reserved) for item in plain] if isinstance(plain, list) else plain
