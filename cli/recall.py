"""`recall FILE|-`: is this code known? Memory only: no graph, no review, nothing written."""

from __future__ import annotations

from argparse import Namespace

from cli.console import Console
from cli.edge import enter, leave
from cli.options import load, task_options
from cli.report import Reporter
from cli.source import text_of
from wiring import build_app


def run(given: Namespace, console: Console) -> int:
    """Print the record; the exit status is that of its error, else 0."""
    loaded = load(given, console.environment)
    options = task_options(given, loaded)
    reporter = Reporter(options, console, loaded.settings.engine)
    with reporter.refusing("1"):
        text = text_of(given.file, console)
        entry = enter(text.content, text.origin("1"), options, loaded.settings)
        app = build_app(loaded.settings, save=False)
        reporter.report(leave(entry, app.recall(entry.task)))
    return reporter.status
