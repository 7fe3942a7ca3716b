"""Findings taken together: merged, limited, put in order."""

from __future__ import annotations

from collections.abc import Iterable

from schema.finding import Finding, severity_rank


def by_place(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """In the order of the text; at one place the worst first."""
    return tuple(sorted(findings, key=lambda found: (found.start_line, found.start_column, -severity_rank(found.severity), found.rule_id)))


def merge_findings(seen: Iterable[Finding], stored: Iterable[Finding]) -> tuple[Finding, ...]:
    """`seen` and what `stored` adds to it. The same rule on the same first line is one finding: the one just seen."""
    merged = {(found.rule_id, found.start_line): found for found in stored}
    fresh = tuple(seen)
    known = {(found.rule_id, found.start_line) for found in fresh}
    return by_place((*fresh, *(found for key, found in merged.items() if key not in known)))


def keep_worst(findings: Iterable[Finding], limit: int) -> tuple[tuple[Finding, ...], int]:
    """The `limit` worst findings in the order of the text, and how many were cut."""
    ranked = sorted(by_place(findings), key=lambda found: -severity_rank(found.severity))
    return by_place(ranked[:limit]), max(len(ranked) - limit, 0)
