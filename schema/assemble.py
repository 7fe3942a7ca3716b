"""From what is known about a task to its record; without a graph, so that `recall` needs none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from schema.experience import Saved
from schema.finding import Finding, severity_rank
from schema.finding_sets import keep_worst, merge_findings
from schema.match import Match
from schema.ports import Inspection, Recalled
from schema.record import TaskRecord
from schema.task import Task

NOTHING_REVIEWED_EXIT: Final = 3
STATIC_NOTE: Final = "static: logic was not checked by a model"
MEMORY_ALONE_NOTE: Final = "from memory alone: logic was not checked by a model this time"
ANY_LANGUAGE: Final = frozenset({"deceiving characters", "hard-coded secrets"})
"""What the analysers that look at any text call themselves; they say nothing about a language."""
GRAVE: Final = severity_rank("high")
MOST_NAMED: Final = 5
UNKNOWN: Final = "unknown"
"""What a language is called that could not be told."""
NOT_REVIEWED: Final = "not reviewed: the reviewer is disabled, and memory does not know this code"


def inspection_notes(inspection: Inspection, task: Task, provider: str) -> list[str]:
    """What was checked and what was not, for a user who may take silence for approval."""
    if provider == "disabled":
        return []
    looked = [f"checked by {', '.join(inspection.checked)}"] if inspection.checked else []
    if not set(inspection.checked) - ANY_LANGUAGE:
        known = "this language" if task.language == UNKNOWN else task.language
        looked.append(f"no rule or linter here knows {known}: its logic was not checked")
    said = [*looked, *inspection.notes, *silenced_note(inspection, task)]
    return [*said, STATIC_NOTE] if provider == "static" else said


def silenced_note(inspection: Inspection, task: Task) -> list[str]:
    """How many findings comments in the code silence, on lines of the paste; none when there are none.

    A grave one that no comment names is told: its author may not have meant it.
    """
    count = len(inspection.silenced)
    if not count:
        return []
    by = "a comment" if count == 1 else "comments"
    said = f"{count} finding{' is' if count == 1 else 's are'} silenced by {by} in the code (noqa)"
    grave = [one for one in inspection.wholesale if one.category == "security" and severity_rank(one.severity) >= GRAVE]
    named = "; ".join(f"line {_pasted(one, task)}: {one.severity}, {one.rule_id}, {one.message}" for one in grave[:MOST_NAMED])
    more = f"; and {len(grave) - MOST_NAMED} more" if len(grave) > MOST_NAMED else ""
    return [f"{said}; not by its name: {named}{more}" if named else said]


def _pasted(finding: Finding, task: Task) -> int:
    """Its line in what was pasted."""
    return task.line_map[finding.start_line - 1][0] if task.line_map else finding.start_line


def cut_note(cut: int, limit: int) -> list[str]:
    """The sentence about findings that were left out; none when all are there."""
    return [f"{cut} more findings were cut; the {limit} worst are listed"] if cut else []


def ignored_note(count: int) -> list[str]:
    """The sentence about findings that the user has dismissed; none when there are none."""
    return [f"{count} ignored finding{'' if count == 1 else 's'} not shown"] if count else []


def exit_code_of(failure: Mapping[str, Any] | None, *, reviewed: bool = True) -> int:
    """Exit status of a record: that of its failure, or 3 when nothing was reviewed at all."""
    if failure is not None:
        return int(failure["exit_code"])
    return 0 if reviewed else NOTHING_REVIEWED_EXIT


def error_of(failure: Mapping[str, Any] | None) -> dict[str, str] | None:
    """The `error` object of a record."""
    return None if failure is None else {"code": failure["code"], "message": failure["message"]}


def recall_record(  # noqa: PLR0913 - each is a fact of its own
    task: Task,
    recalled: Recalled | None,
    inspection: Inspection | None = None,
    *,
    provider: str = "static",
    max_findings: int = 50,
    elapsed_ms: int = 0,
    failure: Mapping[str, Any] | None = None,
) -> TaskRecord:
    """The record of a look into the memory. `recalled` is None when it failed (then `failure`
    says why: code, message, exit_code).

    Nothing is saved; a fix that was not verified is not offered.
    """
    answer = recalled or Recalled(Match())
    seen = inspection or Inspection(())
    findings, cut = keep_worst(merge_findings(seen.findings, answer.findings), max_findings)
    notes = inspection_notes(seen, task, provider) if inspection else []
    fix = answer.fix if answer.fix is not None and answer.fix.verification.accepted else None
    return TaskRecord(
        id=task.id,
        language=task.language,
        provider=provider,
        match=answer.match if provider == "openai" else replace(answer.match, spared=None),
        route=("retrieve_memory",),
        findings=findings,
        fix=fix,
        saved=Saved("skipped", why="no_save" if failure is None else "error"),
        elapsed_ms=elapsed_ms,
        error=error_of(failure),
        exit_code=exit_code_of(failure),
        notes=(*task.notes, *notes, *answer.notes, *cut_note(cut, max_findings)),
        suggestion=answer.example,
    )
