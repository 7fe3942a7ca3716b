"""Standard input that is no terminal: each block is served as soon as it is complete."""

from __future__ import annotations

from cli.console import Console
from cli.desk import Desk
from cli.edge import Origin
from cli.options import TaskOptions
from cli.piped import blocks_from
from cli.report import Reporter
from cli.running import cancel_on_signal, run_async
from cli.sitting import sitting_at
from errors import InputInvalidError
from settings import Settings
from wiring import build_app

NOTHING = "Nothing was pasted: give code on standard input, for example `codemind < FILE` or `codemind fix FILE`."


def run_pipe(settings: Settings, options: TaskOptions, console: Console) -> int:
    """The worst exit status. Raises InputInvalidError when there is no block."""
    return run_async(serve_input(settings, options, console))


async def serve_input(settings: Settings, options: TaskOptions, console: Console) -> int:
    """As `run_pipe`."""
    reporter = Reporter(options, console, settings.engine, settings.host, shared_host=settings.shared_host)
    app = build_app(settings, save=options.save)
    for note in app.notes:
        console.note(f"codemind: {note}")
    served = 0
    with cancel_on_signal():
        async with sitting_at(app) as sitting:
            sitting.share()
            desk = Desk(sitting, options, console, reporter)
            async for block in blocks_from(console.read, settings.max_paste_kb * 1024):
                served += 1
                await desk.serve(block, Origin(str(served)))
    if not served:
        raise InputInvalidError(NOTHING)
    return reporter.status
