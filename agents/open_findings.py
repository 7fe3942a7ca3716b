"""Which findings are worth a fix, and which of them a fix has not settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from agents.fixer import MAX_RULE_FIXES, WORTH_FIXING, may_apply
from schema.finding import Finding, severity_rank
from schema.finding_sets import keep_worst
from schema.fix import Fix
from schema.ports import FixRequest, Inspector

MAX_ASKED = 20
"""Findings that one call is to mend; the worst."""


def worth_fixing(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Medium and above."""
    return tuple(found for found in findings if severity_rank(found.severity) >= WORTH_FIXING)


def asked_for(request: FixRequest) -> tuple[Finding, ...]:
    """What is to be mended: the findings that the user chose, else those worth it."""
    return request.findings if request.task.chosen else worth_fixing(request.findings)


def open_findings(request: FixRequest, fix: Fix | None, inspector: Inspector) -> tuple[Finding, ...]:
    """Findings to be mended that `fix` leaves; at most MAX_ASKED, unless the user chose them. Blocks: the fixed text is inspected."""
    worth, is_chosen = asked_for(request), bool(request.task.chosen)
    fixable = [found for found in worth if may_apply(found)]
    if len(fixable) > MAX_RULE_FIXES and not is_chosen:
        # Not changed unasked, so a model is not asked to change them either.
        worth = tuple(found for found in worth if found not in fixable)
    if fix is not None and not fix.verification.tests_failed:
        after = inspector.inspect(replace(request.task.source, text=fix.code)).findings
        worth = tuple(found for found in worth if not _settled(found, request, fix, after))
    return keep_worst(worth, len(worth) if is_chosen else MAX_ASKED)[0]


def _settled(found: Finding, request: FixRequest, fix: Fix, after: Iterable[Finding]) -> bool:
    """True when nothing reports it any more. Only a model can say so of what only a model has found."""
    if found.source.startswith("model:"):
        return False
    if found.source.startswith("memory:"):
        return fix.origin in {"memory", "transfer"} and any(
            region.fixed_code is not None and region.start_line <= found.start_line and found.end_line <= region.end_line
            for region in request.match.regions
        )
    texts = Counter(_text(one) for one in after if one.rule_id == found.rule_id)
    if request.task.chosen:
        return _text(found) not in texts  # what was not chosen stays, so that nothing can be said from the number
    had = sum(one.rule_id == found.rule_id for one in (*request.findings, *request.ignored))
    return not (_text(found) in texts or texts.total() >= had)


def _text(found: Finding) -> str:
    return " ".join(found.evidence.split())
