"""Setting apart what the user has dismissed: it is neither reported nor mended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from errors import CodeMindError
from schema.finding import Finding
from schema.match import Match
from schema.ports import Recalled
from schema.task import Task
from state import Context

IGNORED_REASON = "you ignored what the past fix of this code mends"


async def set_apart(
    task: Task, findings: Sequence[Finding], context: Context
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], CodeMindError | None]:
    """Findings to report, findings that were dismissed, and why that is not known when the verdicts can't be read."""
    if context.verdicts is None:
        return tuple(findings), (), None
    try:
        dismissed = await asyncio.to_thread(context.verdicts.dismissed, task.source, findings)
    except CodeMindError as error:
        return tuple(findings), (), error
    ignored = tuple(found for found in findings if found.fingerprint in dismissed)
    return tuple(found for found in findings if found.fingerprint not in dismissed), ignored, None


def unless_ignored(recalled: Recalled, ignored: Sequence[Finding]) -> Recalled:
    """Memory's answer; NONE when the user has dismissed everything that its fix mends."""
    places = {(found.rule_id, found.start_line) for found in ignored}
    if not recalled.findings or any((found.rule_id, found.start_line) not in places for found in recalled.findings):
        return recalled
    return replace(recalled, match=Match(reason=IGNORED_REASON), fix=None, findings=(), example=None)
