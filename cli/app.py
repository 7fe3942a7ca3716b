"""From arguments to an exit status: the one place that turns errors into a line.

Each command lives in a module of its own that is imported when it is called: `--help`, `--version`, `memory list` and
`recall` must not pay for the graph.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from cli.arguments import build_parser
from cli.console import Console, ReaderGoneError, real_console
from errors import EXIT_CLEAN, EXIT_INTERRUPTED, CodeMindError

COMMANDS = {
    None: "cli.session",
    "fix": "cli.fix",
    "batch": "cli.batch",
    "recall": "cli.recall",
    "resume": "cli.resume",
    "memory": "cli.memory",
    "graph": "cli.graph",
    "doctor": "cli.doctor",
}
"""The module of each command; its `run(given, console)` returns the exit status."""
EXIT_READER_GONE = 141
"""What a shell reports for a program that SIGPIPE ended."""


def main(argv: Sequence[str], console: Console | None = None) -> int:
    """Run one command line and return its exit status; never raises, never prints a traceback."""
    console = real_console() if console is None else console
    try:
        return _run(build_parser(argv).parse_args(argv), console)
    except CodeMindError as error:
        console.complain(error)
        return error.exit_code
    except ReaderGoneError:
        return EXIT_READER_GONE
    except KeyboardInterrupt:
        console.note("codemind: interrupted: stopped; what was saved stays saved")
        return EXIT_INTERRUPTED
    except SystemExit as left:  # argparse after --help
        return left.code if isinstance(left.code, int) else EXIT_CLEAN
    except Exception as error:  # noqa: BLE001 - the last net: anything else is a bug of ours, reported in one line
        from cli.crash import crashed

        failed = crashed(error, console, save="--no-save" not in argv)
        console.complain(failed)
        return failed.exit_code


def _run(given: Namespace, console: Console) -> int:
    """Import the command's module and run it."""
    if given.version:
        from cli.version import VERSION

        console.out(f"codemind {VERSION}\n")
        return EXIT_CLEAN
    run: Callable[[Namespace, Console], int] = import_module(COMMANDS[given.command]).run
    return run(given, console)
