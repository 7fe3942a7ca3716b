"""What the log says about a task that has ended: numbers and words of ours, no code. With the level debug also each step's time."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from schema.record import TaskRecord
from schema.task import Task

LONGEST_ID = 64
_log = logging.getLogger("codemind.tasks")


def log_task(task: Task, record: TaskRecord, lines: Sequence[Mapping[str, Any]]) -> None:
    """One line; a task that ended in an error is a warning. `lines` are those of its trace."""
    for line in lines:
        _log.debug("step: id=%s node=%s ms=%d", _shown_id(task), line["node"], line["duration_ms"])
    match, error = record.match, record.error
    _log.log(
        logging.INFO if error is None else logging.WARNING,
        "task: id=%s language=%s lines=%d match=%s tier=%s route=%s findings=%d level=%s saved=%s calls=%d ms=%d error=%s",
        _shown_id(task),
        record.language,
        task.code.count("\n") + (not task.code.endswith("\n")),
        match.status,
        match.tier or "-",
        ">".join(record.route) or "-",
        len(record.findings),
        "-" if record.fix is None else record.fix.verification.level,
        record.saved.status,
        record.llm.calls,
        record.elapsed_ms,
        "-" if error is None else error["code"],
    )


def log_dropped() -> None:
    """A task that was interrupted and is not kept."""
    _log.info("task: dropped")


def _shown_id(task: Task) -> str:
    """The id as JSON: it is the user's own text. A long one is none."""
    return json.dumps(task.id) if len(task.id) <= LONGEST_ID else "(long)"
