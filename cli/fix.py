"""`fix FILE|-`: review one file and propose its fix, or with --write put it in place."""

from __future__ import annotations

from argparse import Namespace

from cli.console import Console, one_line
from cli.desk import Desk
from cli.edge import Served
from cli.options import load, task_options
from cli.report import Reporter
from cli.running import cancel_on_signal, run_async
from cli.sitting import sitting_at
from cli.source import Text, text_of
from errors import InputInvalidError
from utils.newlines import to_lf
from wiring import build_app
from wiring_memory import write_source

TASK_ID = "1"


def run(given: Namespace, console: Console) -> int:
    """Serve the file; the exit status is that of its record, or of the write."""
    return run_async(fix_one(given, console))


async def fix_one(given: Namespace, console: Console) -> int:
    """Review, report, write. Raises what writing raises: the report is out by then."""
    loaded = load(given, console.environment)
    options = task_options(given, loaded)
    reporter = Reporter(options, console, loaded.settings.engine, loaded.settings.host, shared_host=loaded.settings.shared_host)
    app = build_app(loaded.settings, save=options.save)
    served = None
    with cancel_on_signal(), reporter.refusing(TASK_ID):
        text = text_of(given.file, console)
        if given.write and text.file is None:
            raise InputInvalidError("--write needs a file: what came from standard input can't be written back.")
        async with sitting_at(app) as sitting:
            served = await Desk(sitting, options, console, reporter).serve(text.content, text.origin(TASK_ID))
    if given.write and served is not None:
        _write(served, text, console)
    return reporter.status


def _write(served: Served, text: Text, console: Console) -> None:
    """Put the fix into the file. Raises InputInvalidError, StorageFailedError; then the file is as it was."""
    fix, path = served.record.fix, one_line(text.path)
    if fix is None or text.file is None:
        console.note(f"codemind: {path} is unchanged: there is no fix to write")
        return
    if fix.verification.tests_failed:
        console.note(f"codemind: {path} is unchanged: the test command does not pass with the fix")
        return
    if not served.is_whole:
        raise InputInvalidError(f"{text.path} is unchanged: only a part of it is code (--lang says that all of it is)")
    if served.placeholders:
        raise InputInvalidError(f"{text.path} is unchanged: the fix moved a secret, whose placeholder must be put back by hand")
    write_source(text.file, to_lf(fix.code))
    console.note(f"codemind: {path} was written")
