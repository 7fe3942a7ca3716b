"""Which of the reported findings a fix leaves as they are, in one sentence."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from errors import CodeMindError
from schema.finding import Finding
from schema.fix import Fix
from schema.match import Match
from schema.task import Task
from state import Context

MIXED = 2
"""Findings from which on a fix can mend some and leave others."""
MOST_LINES = 10
"""Lines that the sentence names."""


async def unmended_note(task: Task, findings: Sequence[Finding], fix: Fix | None, match: Match, context: Context) -> list[str]:
    """The sentence about findings that have no fix beside those that this one mends; none when it mends all."""
    if fix is None or len(findings) < MIXED:
        return []
    try:
        inspection = await asyncio.to_thread(context.inspector.inspect, replace(task.source, text=fix.code))
    except CodeMindError:
        return []
    left = left_over(findings, fix, match, inspection.findings, task.source.text)
    return [] if not left or len(left) == len(findings) else [spoken(left, task)]


def left_over(findings: Sequence[Finding], fix: Fix, match: Match, after: Sequence[Finding], before: str = "") -> list[Finding]:
    """Findings that are still there. Of what only a model has found nobody can tell; a fix of its own is taken at its word.

    `before` is the text they are about: on a line that was changed for another finding's sake, the same message tells that one is left.
    """
    texts = Counter((found.rule_id, _plain(found.evidence)) for found in after)
    old = _plain(before)
    messages = Counter((found.rule_id, found.message) for found in after if old and _plain(found.evidence) not in old)
    left = []
    for found in findings:
        if found.source.startswith("memory:"):
            is_left = not in_mended_region(found, fix, match)
        elif found.source.startswith("model:"):
            is_left = fix.origin != "model"
        else:
            key, said = (found.rule_id, _plain(found.evidence)), (found.rule_id, found.message)
            counter, which = (texts, key) if texts[key] > 0 else (messages, said)
            is_left, counter[which] = counter[which] > 0, counter[which] - 1
        if is_left:
            left.append(found)
    return left


def _plain(text: str) -> str:
    return " ".join(text.split())


def in_mended_region(found: Finding, fix: Fix, match: Match) -> bool:
    """True for a stored finding on lines whose stored fix is in this one."""
    if fix.origin == "model":
        return True
    return fix.origin in {"memory", "transfer"} and any(
        region.fixed_code is not None and region.start_line <= found.start_line and found.end_line <= region.end_line
        for region in match.regions
    )


def spoken(left: Sequence[Finding], task: Task) -> str:
    """The sentence, with lines of the paste."""
    lines = sorted({task.line_map[found.start_line - 1][0] if task.line_map else found.start_line for found in left})
    named = ", ".join(map(str, lines[:MOST_LINES])) + (", ..." if len(lines) > MOST_LINES else "")
    where = f"line{'' if len(lines) == 1 else 's'} {named}"
    return f"Not mended: {len(left)} finding{' has' if len(left) == 1 else 's have'} no fix yet ({where})."
