"""A task record as one line of JSON."""

from __future__ import annotations

import json
from typing import Any

from schema.finding import Finding
from schema.record import TaskRecord
from utils.terminal import ELLIPSIS

LONG_LINE = 400
"""Characters; a longer line of evidence is cut around the finding's column (minified code, embedded tables)."""


def json_line(value: Any) -> str:
    """One line of ASCII JSON with its newline: no terminal, code page or line splitter can misread it."""
    return json.dumps(value, ensure_ascii=True) + "\n"


def record_line(record: TaskRecord) -> str:
    """The record, every key of the contract present."""
    plain = record.as_plain()
    plain["findings"] = [finding_plain(finding) for finding in record.findings]
    return json_line(plain)


def finding_plain(finding: Finding) -> dict[str, Any]:
    """The finding with its evidence, whose overlong lines are cut around the column."""
    return {**finding.as_plain(), "evidence": _shortened(finding.evidence, finding.start_column)}


def _shortened(evidence: str, column: int) -> str:
    first, *rest = evidence.split("\n")
    return "\n".join([_around(first, column), *(_around(line, 1) for line in rest)])


def _around(line: str, column: int) -> str:
    if len(line) <= LONG_LINE:
        return line
    begin = max(0, min(column - 1 - LONG_LINE // 4, len(line) - LONG_LINE))
    end = begin + LONG_LINE
    return f"{ELLIPSIS if begin else ''}{line[begin:end]}{ELLIPSIS if end < len(line) else ''}"
