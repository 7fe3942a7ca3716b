"""Look at the whole paste with the static engine, and look it up in long-term memory."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any, TypedDict

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from errors import CodeMindError
from nodes.session.failures import first_failure, untested
from nodes.session.ignoring import set_apart, unless_ignored
from nodes.session.unmended import unmended_note
from schema.assemble import cut_note, inspection_notes
from schema.finding_sets import keep_worst, merge_findings
from schema.match import Match
from schema.ports import Inspection, Recalled
from schema.task import Task
from state import Context, SessionState


class RecallUpdate(TypedDict):
    """What `retrieve_memory` writes."""

    messages: list[HumanMessage]
    match: dict[str, Any]
    match_status: str
    long_term_context: dict[str, Any]
    findings: list[dict[str, Any]]
    ignored: list[dict[str, Any]]
    silenced: list[dict[str, Any]]
    fix: dict[str, Any] | None
    current_code: str
    notes: list[str]
    error: dict[str, Any] | None


async def retrieve_memory(state: SessionState, runtime: Runtime[Context]) -> RecallUpdate:
    """Inspect the whole paste and recall it: a hit in memory never hides code.

    A failing engine or memory is written down as the task's error, and the task goes on without it. When the user has chosen what is to
    be mended, that is all there is.
    Reads: task. Writes: match, findings, ignored, silenced, fix (memory's own, once it is verified), long_term_context, notes, error.
    """
    task, context = Task.from_plain(state["task"]), runtime.context
    if task.chosen:
        return just_chosen(state, task)
    inspection, engine_error = await inspect(task, context)
    recalled, memory_error = await recall(task, context)
    found, ignored, verdict_error = await set_apart(task, merge_findings(inspection.findings, recalled.findings), context)
    recalled = unless_ignored(recalled, ignored)
    findings, cut = keep_worst(found, context.max_findings)
    fix = recalled.fix if settles(recalled) else None
    return {
        "messages": [HumanMessage(f"{task.language} code of {len(task.code.splitlines())} lines")],
        "match": recalled.match.as_plain(),
        "match_status": recalled.match.status,
        "long_term_context": as_context(recalled),
        "findings": [finding.as_plain() for finding in findings],
        "ignored": [finding.as_plain() for finding in ignored],
        "silenced": [finding.as_plain() for finding in keep_worst(inspection.silenced, context.max_findings)[0]],
        "fix": None if fix is None else fix.as_plain(),
        "current_code": task.code if fix is None else fix.code,
        "notes": [
            *inspection_notes(inspection, task, context.provider),
            *recalled.notes,
            *cut_note(cut, context.max_findings),
            *await unmended_note(task, findings, fix, recalled.match, context),
        ],
        "error": first_failure(state, memory_error or engine_error or verdict_error or untested(fix)),
    }


def just_chosen(state: SessionState, task: Task) -> RecallUpdate:
    """What the user chose, in place of anything found or remembered."""
    match = Match(reason="memory was not asked: you chose what is to be mended")
    return {
        "messages": [HumanMessage(f"{task.language} code, to be mended: {len(task.chosen)}")],
        "match": match.as_plain(),
        "match_status": match.status,
        "long_term_context": as_context(Recalled(match)),
        "findings": list(task.chosen),
        "ignored": [],
        "silenced": [],
        "fix": None,
        "current_code": task.code,
        "notes": [],
        "error": state.get("error"),
    }


async def inspect(task: Task, context: Context) -> tuple[Inspection, CodeMindError | None]:
    """Static findings; none, and the reason, when an engine is missing."""
    try:
        return await asyncio.to_thread(context.inspector.inspect, task.source), None
    except CodeMindError as error:
        return Inspection(()), error


async def recall(task: Task, context: Context) -> tuple[Recalled, CodeMindError | None]:
    """Memory's answer, and why there is none when memory failed."""
    if context.memory is None or not task.use_memory:
        return Recalled(Match(reason="memory was not asked")), None
    try:
        return await asyncio.to_thread(context.memory.recall, task.source, test_cmd=task.test_cmd, file=task.file), None
    except CodeMindError as error:
        return Recalled(Match(reason=f"memory could not be read: {error.message}")), error


def settles(recalled: Recalled) -> bool:
    """True when memory's fix of an identical paste may be offered as it is: verified, and no test command refuses it."""
    if recalled.match.status != "IDENTICAL" or recalled.fix is None:
        return False
    return recalled.fix.verification.accepted and not recalled.fix.verification.tests_failed


def as_context(recalled: Recalled) -> dict[str, Any]:
    """What the workers may need of memory's answer, in plain values."""
    return {
        "fix": None if recalled.fix is None else recalled.fix.as_plain(),
        "example": None if recalled.example is None else asdict(recalled.example),
        "mends": [finding.as_plain() for finding in recalled.findings],
    }
