"""Findings as JSON lines: one Finding a line, nothing else."""

from __future__ import annotations

from reports.json import finding_plain, json_line
from schema.record import TaskRecord


def finding_lines(record: TaskRecord) -> str:
    """One line a finding; empty when there is none."""
    return "".join(json_line(finding_plain(finding)) for finding in record.findings)
