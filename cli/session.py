"""The command without a name: the prompt on a terminal, else blocks from standard input."""

from __future__ import annotations

from argparse import Namespace

from cli.console import Console
from cli.desk import Desk
from cli.edge import Origin
from cli.options import TaskOptions, load, task_options
from cli.piped import blocks_from
from cli.report import Reporter
from cli.running import cancel_on_signal, run_async
from cli.sitting import sitting_at
from errors import InputInvalidError
from settings import Settings
from wiring import build_app

NOTHING = "nothing was pasted: give code on standard input, for example `codemind < FILE` or `codemind fix FILE`"


def run(given: Namespace, console: Console) -> int:
    """Serve until the input ends; the worst exit status."""
    loaded = load(given, console.environment)
    options = task_options(given, loaded)
    if console.interactive:
        from cli.repl import repl

        return run_async(repl(loaded.settings, options, console))
    return run_async(serve_input(loaded.settings, options, console))


async def serve_input(settings: Settings, options: TaskOptions, console: Console) -> int:
    """Each block as soon as it is complete. Raises InputInvalidError when there is none."""
    app = build_app(settings, save=options.save, use_memory=options.use_memory)
    reporter = Reporter(options, console, settings.engine)
    served = 0
    with cancel_on_signal():
        async with sitting_at(app) as sitting:
            desk = Desk(sitting, options, console, reporter)
            async for block in blocks_from(console.read, settings.max_paste_kb * 1024):
                served += 1
                await desk.serve(block, Origin(str(served)))
    if not served:
        raise InputInvalidError(NOTHING)
    return reporter.status
