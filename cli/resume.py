"""`resume`: finish tasks of sessions that were killed or interrupted, or forget them."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from cli.console import Console
from cli.desk import Desk
from cli.edge import Entry, Served
from cli.options import load, task_options
from cli.report import Reporter
from cli.running import cancel_on_signal, run_async
from cli.sitting import Sitting, sitting_at
from errors import EXIT_CLEAN
from wiring import build_app

if TYPE_CHECKING:
    from wiring import UnfinishedTask

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400


def run(given: Namespace, console: Console) -> int:
    """Resume or discard all; the worst exit status of the resumed ones."""
    return run_async(resume_all(given, console))


async def resume_all(given: Namespace, console: Console) -> int:
    """Without an unfinished task nothing is printed on standard output."""
    loaded = load(given, console.environment)
    options = task_options(given, loaded)
    reporter = Reporter(options, console, loaded.settings.engine, loaded.settings.host, shared_host=loaded.settings.shared_host)
    app = build_app(loaded.settings)
    with cancel_on_signal():
        async with sitting_at(app) as sitting:
            tasks = await (await sitting.driver()).unfinished()
            if not tasks:
                console.note("codemind: there is no unfinished task")
            for task in tasks:
                if given.discard:
                    await discard(sitting, task, console)
                else:
                    await resume(sitting, task, Desk(sitting, options, console, reporter))
    return reporter.status if tasks else EXIT_CLEAN


async def discard(sitting: Sitting, task: UnfinishedTask, console: Console) -> None:
    """Forget an unfinished task, and say so."""
    await (await sitting.driver()).discard(task.thread_id)
    console.note(f"codemind: forgotten: {described(task)}")


async def resume(sitting: Sitting, task: UnfinishedTask, desk: Desk) -> tuple[Entry, Served]:
    """Finish an unfinished task and report it: what it was, and what came of it."""
    driver = await sitting.driver()
    with desk.watching() as shown:
        async with sitting.stoppable():
            record = await driver.resume(task.thread_id, shown.step)
    entry = Entry.resumed(task.task)
    return entry, await desk.counted(entry, desk.deliver(entry, record))


def described(task: UnfinishedTask) -> str:
    """A task in a few words: "python, 12 lines, 3 minutes ago"."""
    code = task.task.code
    lines = code.count("\n") + (not code.endswith("\n"))
    unshown = ", finished but not shown" if task.finished else ""
    return f"{task.task.language}, {lines} line{'s' if lines != 1 else ''}, {ago(task.age_s)}{unshown}"


def ago(age_s: float) -> str:
    """A duration since then, in the largest unit that fits."""
    for unit, name in ((_DAY_S, "day"), (_HOUR_S, "hour"), (_MINUTE_S, "minute")):
        count = int(age_s // unit)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
