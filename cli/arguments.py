"""The command line: which words and options there are. Importing this imports argparse and nothing of ours that is heavy."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from cli.memory_arguments import add_memory, json_option
from errors import ConfigInvalidError
from utils.terminal import visible

if TYPE_CHECKING:
    from cli.memory_arguments import Commands

MOST_JOBS = 64
FAIL_ON = ("never", "info", "low", "medium", "high", "critical")

DESCRIPTION = """\
Review and fix code, and remember every fix with the evidence for it.

Without a command: on a terminal, paste code and end it with a line EOF; from a pipe, blocks of code
that each end with a line EOF (or after a first line <<TAG with a line TAG), the last one at the end of the input."""

EPILOG = """\
exit status: 0 clean; 1 findings at or above --fail-on; 2 wrong input or usage; 3 something outside failed;
4 an error in CodeMind; 130 interrupted. Several tasks: the worst."""


class _Parser(argparse.ArgumentParser):
    """Wrong usage becomes one line and exit status 2, like every other wrong input."""

    def error(self, message: str) -> NoReturn:
        """Raise ConfigInvalidError instead of printing the usage and leaving."""
        first_line = message.splitlines()[0] if message else "wrong usage"
        raise ConfigInvalidError(f"{visible(first_line)} (see {self.prog} --help)")


def build_parser() -> argparse.ArgumentParser:
    """The parser of every command; `command` in its result is None for the session."""
    parser: argparse.ArgumentParser = _Parser(
        prog="codemind",
        description=DESCRIPTION,
        epilog=EPILOG,
        parents=[_task_options()],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    parser.set_defaults(**DEFAULTS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for add in (_add_fix, _add_batch, _add_recall, _add_resume, add_memory, _add_graph, _add_doctor):
        add(commands)
    return parser


DEFAULTS: dict[str, object] = {
    "json": False,
    "format": None,
    "lang": None,
    "fail_on": None,
    "save": True,
    "memory": True,
    "trace": False,
    "test_cmd": None,
    "allow_unsandboxed": None,
    "provider": None,
}
"""Values of options that were not given; the options have none of their own, so a sub-command keeps what stood before it."""


def _task_options() -> argparse.ArgumentParser:
    """What every command that reviews code takes."""
    options = json_option()
    options.add_argument("--format", choices=("text", "json", "jsonl"), help="text, json (as --json), or jsonl: one finding a line")
    options.add_argument("--lang", metavar="L", help="language of the code, when it should not be guessed")
    options.add_argument("--fail-on", choices=FAIL_ON, help="exit with 1 when a finding is at least this bad (default: never)")
    options.add_argument("--no-save", dest="save", action="store_false", help="leave nothing behind: no memory, no checkpoint, no trace")
    options.add_argument("--no-memory", dest="memory", action="store_false", help="don't ask the memory")
    options.add_argument("--trace", action="store_true", help="print the steps of each task as a tree (on stderr)")
    options.add_argument("--test-cmd", metavar="C", help="a command that tests the fixed code; {file} is its path; runs in a sandbox")
    options.add_argument("--allow-unsandboxed", action="store_true", help="run --test-cmd without a sandbox where there is none")
    options.add_argument("--provider", choices=("auto", "openai", "static", "disabled"), help="who reviews (REVIEWER_PROVIDER)")
    return options


def _add_fix(commands: Commands) -> None:
    parser = commands.add_parser("fix", parents=[_task_options()], help="review one file and propose its fix", allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="the file, or - for standard input")
    parser.add_argument("--write", action="store_true", help="write the fix into the file (encoding, line ends and mode are kept)")


def _add_batch(commands: Commands) -> None:
    parser = commands.add_parser("batch", parents=[_task_options()], help="review the lines of a JSONL file", allow_abbrev=False)
    parser.add_argument("file", metavar="FILE.jsonl", help='lines {"id", "code", "language"?}, or - for standard input')
    parser.add_argument("--jobs", type=_positive, default=1, metavar="N", help="tasks at a time (default: 1); answers come as they end")


def _add_recall(commands: Commands) -> None:
    parser = commands.add_parser("recall", parents=[json_option()], help="ask the memory only: is this code known?", allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="the file, or - for standard input")
    parser.add_argument("--lang", metavar="L", default=argparse.SUPPRESS, help="language of the code")


def _add_resume(commands: Commands) -> None:
    parser = commands.add_parser("resume", parents=[_task_options()], help="finish tasks that were interrupted", allow_abbrev=False)
    parser.add_argument("--discard", action="store_true", help="forget them instead")


def _add_graph(commands: Commands) -> None:
    commands.add_parser("graph", parents=[json_option()], help="print the session graph as Mermaid", allow_abbrev=False)


def _add_doctor(commands: Commands) -> None:
    text = "settings, versions, sandbox and memory: is all well?"
    parser = commands.add_parser("doctor", parents=[json_option()], help=text, allow_abbrev=False)
    parser.add_argument("--sandbox", action="store_true", help="also run the sandbox's self-test")


def _positive(text: str) -> int:
    """A count of at least one, for argparse."""
    number = int(text)
    if not 1 <= number <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"must be from 1 to {MOST_JOBS}")
    return number
