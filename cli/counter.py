"""What stands behind the prompt: pastes are served here, saves taken back, interrupted tasks picked up.

Imports everything heavy; the interactive session imports it in the background.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from cli.console import Console
from cli.desk import Desk
from cli.edge import Origin
from cli.options import TaskOptions
from cli.progress import LineProgress, Progress
from cli.report import Reporter
from cli.resume import described, discard, resume
from cli.sitting import Sitting
from schema.experience import Saved
from settings import Settings
from utils.terminal import visible
from wiring import build_app, warm_up

if TYPE_CHECKING:
    from wiring import UnfinishedTask


class Counter:
    """One interactive session's App, session and reports."""

    def __init__(self, settings: Settings, options: TaskOptions, console: Console) -> None:
        self._console = console
        self._host = settings.host
        self._reporter = Reporter(options, console, settings.engine, settings.host)
        self._sitting = Sitting(build_app(settings, save=options.save))
        self._desk = Desk(self._sitting, options, console, self._reporter)
        self._example_desk = Desk(self._sitting, replace(options, save=False, lang=None), console, self._reporter)
        self._saves: list[Saved] = []
        self._served = 0

    @property
    def met_limit(self) -> bool:
        """True when a finding was at least as bad as --fail-on."""
        return self._reporter.met_limit

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user at start."""
        return self._sitting.app.notes

    def warm_up(self) -> None:
        """Import what the first task needs; for a background thread."""
        warm_up(with_model=bool(self._host))

    async def serve(self, code: str, *, is_example: bool = False) -> None:
        """Review a paste. Cancelled, nothing of it is kept once `drop` was called."""
        self._served += 1
        desk = self._example_desk if is_example else self._desk
        served = await desk.serve(code, Origin(str(self._served)), self._progress())
        if served is not None and served.record.saved.status in {"added", "updated"}:
            self._saves.append(served.record.saved)

    async def drop(self) -> None:
        """Forget the paste whose review was interrupted."""
        await self._sitting.drop()

    async def undo(self) -> str:
        """Take back the last save of this session; a sentence that says what happened."""
        memory = self._sitting.app.memory
        if not self._saves:
            return "There is nothing to take back: nothing was saved in this session."
        saved = self._saves.pop()
        gone = await asyncio.to_thread(memory.undo, saved)
        return f"Taken back: {saved.id}" if gone else f"{saved.id} is no longer there."

    async def offer(self) -> str:
        """A sentence that offers tasks which died with their session; empty when there are none."""
        tasks = await self._unfinished()
        which = "; ".join(visible(described(task)) for task in tasks)
        return f"An interrupted task is here ({which}): /resume finishes it, /discard forgets it." if tasks else ""

    async def resume(self) -> None:
        """Finish them."""
        for task in await self._listed():
            await resume(self._sitting, task, self._desk)

    async def discard(self) -> None:
        """Forget them."""
        for task in await self._listed():
            await discard(self._sitting, task, self._console)

    async def _listed(self) -> list[UnfinishedTask]:
        tasks = await self._unfinished()
        if not tasks:
            self._console.out("There is no interrupted task.\n")
        return tasks

    async def _unfinished(self) -> list[UnfinishedTask]:
        return await (await self._sitting.driver()).unfinished()

    async def close(self) -> None:
        """End the session."""
        await self._sitting.close()

    def _progress(self) -> Progress:
        return LineProgress(self._console) if self._console.paints else Progress()
