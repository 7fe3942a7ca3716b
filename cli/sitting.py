"""One sitting: an App and the driver of its session, which is opened when the first paste needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from cli.running import in_daemon_thread
from cli.version import VERSION
from schema.record import TaskRecord
from schema.task import Task
from wiring import App, back_up
from wiring_log import keep_log, log_note
from wiring_sharing import background_sharing

if TYPE_CHECKING:
    from wiring import SessionDriver

Step = Callable[[str], None]
"""Called with the name of each step that begins."""


def ignore_step(step: str) -> None:
    """For callers that show no progress."""


class Sitting:
    """Runs tasks one after the other. Importing and compiling the graph waits for the first of them."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._driver: SessionDriver | None = None
        self._opening = asyncio.Lock()
        self._interrupted = False
        self._sharing = background_sharing(app.settings, save=app.save)

    def share(self) -> None:
        """Synchronise with the shared memory in the background, where there is one: a session begins, or something has changed."""
        if self._sharing is not None:
            self._sharing.begin()

    async def driver(self) -> SessionDriver:
        """The started driver."""
        async with self._opening:
            if self._driver is None:
                made = await asyncio.to_thread(self._make_driver)
                await made.start()
                self._driver = made
        return self._driver

    def _make_driver(self) -> SessionDriver:
        """The log is opened first, so that what happens while the driver is made stands in it."""
        keep_log(self.app.settings, save=self.app.save, version=VERSION)
        return self.app.driver()

    async def run(self, task: Task, on_step: Step = ignore_step) -> TaskRecord:
        """The task's record. Cancelled, the paste stays where it is: `drop` it, or leave it to be resumed."""
        driver = await self.driver()
        try:
            async with self.stoppable():
                record = await driver.run_task(task, on_step)
        except asyncio.CancelledError:
            self._interrupted = True
            raise
        if self._sharing is not None and record.saved.status in {"added", "updated"}:
            self._sharing.saved()
        return record

    @asynccontextmanager
    async def stoppable(self) -> AsyncIterator[None]:
        """Cancelling the block kills what runs in the sandbox for it, and threads that still work for it start nothing more there."""
        self.app.begin()
        try:
            yield
        except asyncio.CancelledError:
            self.app.cancel()
            raise

    async def drop(self) -> None:
        """Forget the task that was interrupted and go on."""
        if self._driver is not None and self._interrupted:
            await self._driver.cancel_task()
        self._interrupted = False

    async def close(self) -> None:
        """End the session as /quit does; one that was interrupted is left for `resume`.

        A Ctrl-C meanwhile changes nothing: what was shown must not be offered again.
        """
        try:
            await self._close_driver()
        finally:
            if self._sharing is not None:
                await in_daemon_thread(self._sharing.end)

    async def _close_driver(self) -> None:
        if self._driver is None or self._interrupted:
            return
        closing = asyncio.ensure_future(self._driver.close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await closing
            raise
        if self.app.save:
            await asyncio.to_thread(back_up, self.app.ledger)

    def said(self) -> list[str]:
        """Sentences of the driver about the session that were not yet said."""
        shared = [] if self._sharing is None else self._sharing.take_notes()
        if self._driver is None:
            return shared
        notes, self._driver.notes = self._driver.notes, []
        return list(dict.fromkeys(note for note in (*notes, *shared, self.app.ledger.take_note(), log_note()) if note))

    def last_trace(self) -> list[dict[str, object]]:
        """Trace lines of the last task."""
        return [] if self._driver is None else self._driver.last_trace


@asynccontextmanager
async def sitting_at(app: App) -> AsyncIterator[Sitting]:
    """A sitting that is closed at the end."""
    sitting = Sitting(app)
    try:
        yield sitting
    finally:
        await sitting.close()
