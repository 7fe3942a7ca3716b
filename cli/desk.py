"""The desk at which pastes are served: prepared, taken through the graph, reported."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from cli.console import Console, ReaderGoneError
from cli.crash import crashed
from cli.edge import Entry, Origin, Served, enter, leave
from cli.options import TaskOptions
from cli.progress import Progress
from cli.report import Reporter
from cli.sitting import Sitting
from errors import CodeMindError
from schema.record import TaskRecord
from utils.blocks import RawBlock
from utils.terminal import visible
from utils.trace_tree import trace_tree


class Desk:
    """Serves one paste after the other and writes each report when it is there."""

    def __init__(self, sitting: Sitting, options: TaskOptions, console: Console, reporter: Reporter) -> None:
        self._sitting = sitting
        self._options = options
        self._console = console
        self._reporter = reporter

    async def serve(self, raw: RawBlock | bytes | str, origin: Origin, progress: Progress | None = None) -> Served | None:
        """Review one paste and report it; None for a text that is no task, which is reported, not raised."""
        try:
            entry = await asyncio.to_thread(enter, raw, origin, self._options, self._sitting.app.settings)
            with progress or Progress() as shown:
                self._sitting.app.model_events.listener = shown.model
                record = await self._sitting.run(entry.task, shown.step)
        except ReaderGoneError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this task; the next ones are served
            expected = error if isinstance(error, CodeMindError) else crashed(error, self._console)
            self._reporter.refuse(expected, origin.id)
            return None
        return self.deliver(entry, record)

    def deliver(self, entry: Entry, record: TaskRecord) -> Served:
        """Report a record in the terms of the paste, then its trace when that was asked for."""
        served = leave(entry, replace(record, notes=(*record.notes, *self._sitting.said())))
        self._reporter.report(served)
        if self._options.trace:
            self._console.note(visible(trace_tree(self._sitting.last_trace())))
        return served
