"""The command without a name: the prompt on a terminal, else blocks from standard input."""

from __future__ import annotations

from argparse import Namespace

from cli.console import Console
from cli.options import load, task_options


def run(given: Namespace, console: Console) -> int:
    """Serve until the input ends. Only what the way in needs is imported: a prompt shows before the graph is there."""
    loaded = load(given, console.environment)
    options = task_options(given, loaded)
    if console.interactive:
        from cli.repl import run_repl

        return run_repl(loaded.settings, options, console)
    from cli.pipe import run_pipe

    return run_pipe(loaded.settings, options, console)
