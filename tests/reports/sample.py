"""Findings and records as these tests need them."""

from __future__ import annotations

from typing import Any

from schema.finding import Finding, Severity

CODE = "def mean(xs):\n    total = sum(xs)\n    return total / len(xs)\n"


def finding(
    line: int = 3,
    text: str = "    return total / len(xs)",
    columns: tuple[int, int] = (12, 27),
    severity: Severity = "medium",
    **others: Any,
) -> Finding:
    """A division finding; `others` replace fields."""
    values: dict[str, Any] = {
        "path": "paste",
        "start_line": line,
        "end_line": line,
        "start_column": columns[0],
        "end_column": columns[1],
        "severity": severity,
        "category": "bug",
        "rule_id": "bugs/division-by-length",
        "message": "len(xs) is 0 for an empty argument.",
        "suggestion": "Return early when it is empty.",
        "evidence": text,
        "confidence": 0.9,
        "source": "rule:bugs/division-by-length@1+0",
    }
    return Finding(**{**values, **others})
