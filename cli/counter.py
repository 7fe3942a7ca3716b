"""What stands behind the prompt: texts are served here, what was done can be taken back, interrupted tasks picked up.

Imports everything heavy; the interactive session imports it in the background. The commands (`cli/commands/`) are functions of it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cli.console import Console
from cli.desk import Desk
from cli.edge import PASTE, Origin, Served
from cli.journal import Journal, Save
from cli.options import TaskOptions
from cli.report import STAYS_HERE, Reporter
from cli.resume import described, discard, resume
from cli.shown import Shown
from cli.sitting import Sitting
from cli.tally import Status, Tally
from errors import CodeMindError
from reports.wrap import wrap
from schema.savings import Answer
from schema.usage import Usage
from settings import Settings
from utils.language_names import language_of_file
from utils.terminal import visible
from wiring import build_app, warm_up
from wiring_feedback import Feedback
from wiring_memory import MemoryCare

if TYPE_CHECKING:
    from wiring import UnfinishedTask
    from wiring_memory import SourceFile

_COMPLETED_IDS = 50
_ID_CHARACTERS = 12


class Counter:
    """One interactive session's App, session, reports, and what `/undo` can take back."""

    def __init__(self, settings: Settings, options: TaskOptions, console: Console) -> None:
        self.settings = settings
        self.console = console
        self.options = options
        """How the next texts are served; `/lang` and `/test` change it."""
        self.lang_changed = False
        """True from `/lang` until the next text: `/retry` then reads the last one in the new language."""
        self.shown: Shown | None = None
        """The last text, with its report once there is one."""
        self.tally = Tally()
        self.journal = Journal()
        self.sitting = Sitting(build_app(settings, save=options.save))
        self.care = MemoryCare(self.sitting.app.ledger)
        self._book = Feedback(self.sitting.app.ledger).book()
        self._reporter = Reporter(options, console, settings.engine, settings.host, shared_host=settings.shared_host, in_session=True)
        self._desk = Desk(self.sitting, options, console, self._reporter)
        self._served = 0
        self._memories: int | None = None
        self._ids: list[tuple[str, str]] = []

    @property
    def met_limit(self) -> bool:
        """True when a finding was at least as bad as --fail-on."""
        return self._reporter.met_limit

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user at start."""
        return self.sitting.app.notes

    def warm_up(self) -> None:
        """Import what the first task needs, and count the memories; for a background thread."""
        warm_up(with_model=bool(self.settings.host))
        self._look_at_memory()

    def status(self) -> Status:
        """For the bottom line; nothing is read for it."""
        target = self.settings.target
        spent, spared = self.tally.spent, self.tally.spared
        return Status(
            provider=target.model if target else self.settings.engine,
            where=f"code goes to {self.settings.host}" if target else self.settings.shared_host or STAYS_HERE,
            memories=self._memories,
            cost_usd=spent.cost_usd,
            calls=spent.calls,
            calls_spared=spared.calls,
            spared_usd=spared.cost_usd,
            answers=len(self.tally.answers),
        )

    def ids(self) -> list[tuple[str, str]]:
        """Ids of the newest experiences with a few words on each, for completion; nothing is read for it."""
        return self._ids

    def say(self, text: str) -> None:
        """Print sentences, each line of the text by itself, fitted to the terminal."""
        width = self.console.style().width
        self.console.out("".join(line + "\n" for part in text.split("\n") for line in wrap(part, width) or [""]))

    async def serve(self, code: str, *, is_example: bool = False) -> None:
        """Review a paste. Cancelled, nothing of it is kept once `drop` was called."""
        options = replace(self.options, save=False, lang=None) if is_example else self.options
        await self._review(code, Origin(self._next_id()), options, is_example=is_example)

    async def load(self, path: str, file: SourceFile) -> None:
        """Review a file that was read; its name tells the language where it can."""
        told = language_of_file(path) is not None
        options = replace(self.options, lang=None) if told else self.options
        origin = Origin(self._next_id(), f"./{path}" if path == PASTE else path)
        await self._review(file.raw.decode(file.encoding), origin, options, file=file)

    async def retry(self, shown: Shown) -> None:
        """Review a text again: past the memory when there is a report on it, and in the language that was set since.

        What memory had answered was not enough, so it has spared nothing.
        """
        shown = await asyncio.to_thread(self.unspare, shown)
        use_memory = shown.served is None and shown.options.use_memory
        if not shown.entry.was_read:
            language = (self.lang_changed and self.options.lang) or shown.entry.task.language
            test_cmd = self.options.test_cmd or shown.entry.task.test_cmd
            await self.again(shown, use_memory=use_memory, chosen=(), language=language, test_cmd=test_cmd)
            return
        lang = self.options.lang if self.lang_changed else shown.options.lang
        options = replace(shown.options, lang=lang, use_memory=use_memory, test_cmd=self.options.test_cmd)
        origin = Origin(self._next_id(), shown.entry.task.path)
        await self._review(shown.entry.pasted, origin, options, file=shown.file, is_example=shown.is_example)

    async def again(self, shown: Shown, **changes: Any) -> None:
        """Take the same task through the graph again, with `changes` to it; one text is answered once."""
        shown = await asyncio.to_thread(self.unspare, shown)
        task = replace(shown.entry.task, id=self._next_id(), **changes)
        await self._run(replace(shown, entry=replace(shown.entry, task=task), served=None, verdict=""))

    def unspare(self, shown: Shown) -> Shown:
        """Take back what memory's answer was counted for: it was wrong, or not enough. The same text without that answer."""
        served = shown.served
        if served is None or served.answer is None:
            return shown
        self.tally = self.tally.without(served.answer)
        self._book.take_back(served.answer)
        without = replace(shown, served=replace(served, answer=None))
        if self.shown is shown:
            self.shown = without
        return without

    def spare_again(self, answer: Answer) -> None:
        """Undo `unspare`."""
        self.tally = self.tally.plus(Usage(), answer)
        self._book.give_back(answer)

    async def drop(self) -> None:
        """Forget the paste whose review was interrupted."""
        await self.sitting.drop()

    async def refresh(self) -> None:
        """Look at the memory anew for `status` and `ids`; after everything that may have changed it."""
        await asyncio.to_thread(self._look_at_memory)

    async def offer(self) -> str:
        """A sentence that offers tasks which died with their session; empty when there are none."""
        tasks = await self._unfinished()
        which = "; ".join(visible(described(task)) for task in tasks)
        return f"An interrupted task is here ({which}): /resume finishes it, /discard forgets it." if tasks else ""

    async def starter_offer(self) -> str:
        """A sentence that offers the starter pack to whoever begins with an empty memory, once; empty when there is nothing to offer."""
        return await asyncio.to_thread(lambda: self.care.starter_offer(remember=self.options.save)) if self.options.save else ""

    async def resume(self) -> None:
        """Finish them."""
        for task in await self._listed():
            entry, served = await resume(self.sitting, task, self._desk)
            await self._keep(Shown(entry, self.options), served)

    async def discard(self) -> None:
        """Forget them."""
        for task in await self._listed():
            await discard(self.sitting, task, self.console)

    async def close(self) -> None:
        """End the session."""
        await self.sitting.close()

    async def _review(
        self, text: str, origin: Origin, options: TaskOptions, *, file: SourceFile | None = None, is_example: bool = False
    ) -> None:
        entry = await self._desk.enter(text, origin, options)
        if entry is not None:
            await self._run(Shown(entry, options, file, is_example))

    async def _run(self, shown: Shown) -> None:
        self.shown, self.lang_changed = shown, False
        served = await self._desk.take(shown.entry)
        if served is not None:
            await self._keep(shown, served)

    async def _keep(self, shown: Shown, served: Served) -> None:
        """Remember what is on the screen, what it cost, and what of it can be taken back."""
        self.shown = replace(shown, served=served)
        record = served.record
        self.tally = self.tally.plus(record.llm, served.answer)
        if record.saved.status in {"added", "updated"}:
            self.journal.add(Save(f"the save of {shown.words}", record.saved))
        await self.refresh()

    def _look_at_memory(self) -> None:
        """What can't be read is not known: whoever needs it is told why."""
        try:
            self._memories = self.care.count()
            self._ids = [_labelled(each) for each in self.care.newest(_COMPLETED_IDS)]
        except CodeMindError:
            self._memories, self._ids = None, []

    async def _listed(self) -> list[UnfinishedTask]:
        tasks = await self._unfinished()
        if not tasks:
            self.say("There is no interrupted task.")
        return tasks

    async def _unfinished(self) -> list[UnfinishedTask]:
        return await (await self.sitting.driver()).unfinished()

    def _next_id(self) -> str:
        self._served += 1
        return str(self._served)


def _labelled(experience: dict[str, Any]) -> tuple[str, str]:
    best = experience["alternatives"][0]
    about = " ".join(str(best["explanation"] or best["code"]).split())
    return str(experience["id"])[:_ID_CHARACTERS], visible(f"{experience['language']}: {about[:60]}")
