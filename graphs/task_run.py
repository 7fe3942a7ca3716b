"""One task on its way through the graph, and the record it ends in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from graphs.trace_line import trace_line
from schema.assemble import MEMORY_ALONE_NOTE, error_of, exit_code_of, ignored_note
from schema.experience import Saved
from schema.finding import Finding
from schema.fix import Fix
from schema.match import Match, PastFix
from schema.record import TaskRecord, Usage
from schema.savings import FROM_MEMORY
from schema.task import Task

Step = Callable[[str], None]
"""Called with the name of each node that begins."""


def ignore_step(node: str) -> None:
    """For callers that show no progress."""


class TaskRun:
    """Collects what the graph reports of one task. `clock` gives seconds."""

    def __init__(self, task: Task, session_id: str, clock: Callable[[], float], on_step: Step = ignore_step) -> None:
        self.task = task
        self.lines: list[dict[str, Any]] = []
        self.values: dict[str, Any] = {}
        self.notes: list[str] = []
        self.failure: dict[str, Any] | None = None
        self._session_id = session_id
        self._clock = clock
        self._on_step = on_step
        self._started = self._last = clock()

    def see(self, mode: str, payload: Any) -> None:
        """Take in one event of `astream` with the modes "tasks", "updates" and "values"."""
        if mode == "tasks":
            self._begun(payload)
            return
        if mode == "values":
            if payload.get("task"):
                self.values = dict(payload)
            return
        for node, update in payload.items():
            if not node.startswith("__") and node != "user_input":
                self._finished(node, update or {})

    def _begun(self, event: Mapping[str, Any]) -> None:
        """Tell that a node begins. The event of an end has a result instead of triggers."""
        if "triggers" in event and event["name"] != "user_input":
            self._on_step(event["name"])

    def restart(self) -> None:
        """Forget what was seen: the task runs anew, on the same clock."""
        self.lines, self.values = [], {}

    def _finished(self, node: str, update: Mapping[str, Any]) -> None:
        """Note one finished node."""
        now = self._clock()
        self.lines.append(trace_line(self._session_id, self.task.id, node, round((now - self._last) * 1000), update))
        self._last = now

    @property
    def route(self) -> tuple[str, ...]:
        """The nodes that ran, `user_input` left out."""
        return tuple(line["node"] for line in self.lines)

    def record(self, provider: str, route: tuple[str, ...] | None = None, *, spent: Usage | None = None) -> TaskRecord:
        """What the task ended in, in positions of the code. `spent` is what the model says it cost, failed calls included."""
        elapsed_ms = round((self._clock() - self._started) * 1000)
        failure = self.failure or self.values.get("error")
        way = self.route if route is None else route
        record = record_of(self.task, self.values, failure, provider, route=way, elapsed_ms=elapsed_ms, notes=self.notes)
        return about_the_model(record if spent is None else replace(record, llm=spent))


def about_the_model(record: TaskRecord) -> TaskRecord:
    """The record with what memory has spared, when its fix was used and no model was asked that would have been; and a note that none
    looked."""
    is_from_memory = record.fix is not None and record.fix.origin in FROM_MEMORY
    if record.llm.calls or not is_from_memory or record.provider != "openai":
        return replace(record, match=replace(record.match, spared=None))
    return record.with_note(MEMORY_ALONE_NOTE) if record.error is None else record


def record_of(  # noqa: PLR0913 - each is a fact of its own
    task: Task,
    values: Mapping[str, Any],
    failure: Mapping[str, Any] | None,
    provider: str,
    *,
    route: tuple[str, ...],
    elapsed_ms: int,
    notes: list[str],
) -> TaskRecord:
    """The record of a task from the values that the graph held at its end. A task that broke off keeps what it had."""
    match = Match.from_plain(values["match"]) if values.get("match") else Match()
    fix = values.get("fix")
    example = (values.get("long_term_context") or {}).get("example")
    saved = values.get("saved")
    answered = bool(values.get("reviewed", True)) or match.status != "NONE"
    return TaskRecord(
        id=task.id,
        language=task.language,
        provider=provider,
        match=match,
        route=route,
        findings=tuple(Finding.from_plain(plain) for plain in values.get("findings") or ()),
        fix=None if fix is None else Fix.from_plain(fix),
        saved=Saved.from_plain(saved) if saved else Saved("skipped", why="error"),
        llm=Usage(**(values.get("usage") or {})),
        elapsed_ms=elapsed_ms,
        error=error_of(failure),
        exit_code=exit_code_of(failure, reviewed=answered),
        notes=(*task.notes, *notes, *values.get("notes", ()), *ignored_note(len(values.get("ignored") or ()))),
        suggestion=None if example is None else PastFix(**example),
    )


def whole_route(history: list[str]) -> tuple[str, ...]:
    """All nodes of a task that went through, from the workers that it had."""
    workers = [node for worker in history for node in ("manager", worker)]
    return ("retrieve_memory", *workers, "manager", "save_experience", "summarize", "clear")
