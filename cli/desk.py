"""The desk at which pastes are served: prepared, taken through the graph, reported."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cli.console import Console, ReaderGoneError
from cli.crash import crashed
from cli.edge import Entry, Origin, Served, enter, leave
from cli.options import TaskOptions
from cli.progress import Progress, progress_for
from cli.report import Reporter
from cli.sitting import Sitting
from errors import CodeMindError
from schema.record import TaskRecord
from schema.savings import answer_of
from utils.blocks import RawBlock
from utils.terminal import visible
from utils.trace_tree import trace_tree
from wiring_feedback import Feedback


class Desk:
    """Serves one paste after the other and writes each report when it is there. A text that is no task is reported, not raised."""

    def __init__(self, sitting: Sitting, options: TaskOptions, console: Console, reporter: Reporter) -> None:
        self._sitting = sitting
        self._options = options
        self._console = console
        self._reporter = reporter
        self._book = Feedback(sitting.app.ledger).book() if sitting.app.save else None

    async def serve(self, raw: RawBlock | bytes | str, origin: Origin, progress: Progress | None = None) -> Served | None:
        """Review one paste and report it; None when there is no record of it."""
        entry = await self.enter(raw, origin)
        return None if entry is None else await self.take(entry, progress)

    async def enter(self, raw: RawBlock | bytes | str, origin: Origin, options: TaskOptions | None = None) -> Entry | None:
        """Make a task of a text, with other options than the desk's own when they are given."""
        try:
            return await asyncio.to_thread(enter, raw, origin, options or self._options, self._sitting.app.settings)
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this task; the next ones are served
            self._refuse(error, origin.id)
            return None

    async def take(self, entry: Entry, progress: Progress | None = None) -> Served | None:
        """Review a task and report it."""
        try:
            with self.watching(progress) as shown:
                record = await self._sitting.run(entry.task, shown.step)
        except ReaderGoneError:
            raise
        except Exception as error:  # noqa: BLE001 - as in `enter`
            self._refuse(error, entry.task.id)
            return None
        return await self.counted(entry, self.deliver(entry, record))

    async def counted(self, entry: Entry, served: Served) -> Served:
        """Count, once it is shown, what a task has cost and what memory has spared in it; where nothing is kept, for the session only."""
        if served.raw is None:
            return served
        answer, spent = answer_of(served.raw), served.raw.llm
        if self._book is not None and entry.task.save:
            answer = await asyncio.to_thread(self._book.count, answer, spent)
        return replace(served, answer=answer)

    @contextmanager
    def watching(self, progress: Progress | None = None) -> Iterator[Progress]:
        """Show what the task does that runs in the block; by default in the way that fits this desk's output."""
        app = self._sitting.app
        with progress or progress_for(self._console, is_text=self._options.format == "text") as shown:
            app.model_events.listener, app.work_events.listener = shown.model, shown.work
            yield shown

    def deliver(self, entry: Entry, record: TaskRecord) -> Served:
        """Report a record in the terms of the paste, then its trace when that was asked for."""
        served = leave(entry, replace(record, notes=(*record.notes, *self._sitting.said())))
        self._reporter.report(served)
        if self._options.trace:
            self._console.note(visible(trace_tree(self._sitting.last_trace())))
        return served

    def _refuse(self, error: Exception, task_id: str) -> None:
        self._reporter.refuse(
            error if isinstance(error, CodeMindError) else crashed(error, self._console, save=self._options.save), task_id
        )
