"""The command line: which words and options there are. Importing this imports argparse and nothing of ours that is heavy."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cli.memory_arguments import add_memory, json_option
from cli.usage import Parser

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


def build_parser(words: Iterable[str] | None = None) -> argparse.ArgumentParser:
    """The parser of every command; `command` in its result is None for the session.

    With the words of a command line only the commands among them get their options: the others would cost 10 ms.
    """
    parser: argparse.ArgumentParser = Parser(
        prog="codemind",
        description=DESCRIPTION,
        epilog=EPILOG,
        parents=[_task_options()],
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    parser.set_defaults(**DEFAULTS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", prog=parser.prog)
    wanted = frozenset(_COMMANDS) if words is None else frozenset(words)
    for name, (text, add_options) in _COMMANDS.items():
        if name in wanted:
            add_options(commands, name, text)
        else:
            commands.add_parser(name, help=text, add_help=False)
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
    options.add_argument(
        "--no-memory",
        dest="memory",
        action="store_false",
        help="don't ask the memory: review anew; a new fix is remembered beside the old one",
    )
    options.add_argument("--trace", action="store_true", help="print the steps of each task as a tree (on stderr)")
    options.add_argument("--test-cmd", metavar="C", help="a command that tests the fixed code; {file} is its path; runs in a sandbox")
    options.add_argument("--allow-unsandboxed", action="store_true", help="run --test-cmd without a sandbox where there is none")
    options.add_argument("--provider", choices=("auto", "openai", "static", "disabled"), help="who reviews (REVIEWER_PROVIDER)")
    return options


def _add_fix(commands: Commands, name: str, text: str) -> None:
    parser = commands.add_parser(name, parents=[_task_options()], help=text, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="the file, or - for standard input")
    parser.add_argument("--write", action="store_true", help="write the fix into the file (encoding, line ends and mode are kept)")


def _add_batch(commands: Commands, name: str, text: str) -> None:
    parser = commands.add_parser(name, parents=[_task_options()], help=text, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE.jsonl", help='lines {"id", "code", "language"?}, or - for standard input')
    parser.add_argument("--jobs", type=_positive, default=1, metavar="N", help="tasks at a time (default: 1); answers come as they end")


def _add_recall(commands: Commands, name: str, text: str) -> None:
    parser = commands.add_parser(name, parents=[json_option()], help=text, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="the file, or - for standard input")
    parser.add_argument("--lang", metavar="L", default=argparse.SUPPRESS, help="language of the code")


def _add_resume(commands: Commands, name: str, text: str) -> None:
    parser = commands.add_parser(name, parents=[_task_options()], help=text, allow_abbrev=False)
    parser.add_argument("--discard", action="store_true", help="forget them instead")


def _add_graph(commands: Commands, name: str, text: str) -> None:
    commands.add_parser(name, parents=[json_option()], help=text, allow_abbrev=False)


def _add_doctor(commands: Commands, name: str, text: str) -> None:
    parser = commands.add_parser(name, parents=[json_option()], help=text, allow_abbrev=False)
    parser.add_argument("--sandbox", action="store_true", help="also run the sandbox's self-test")
    parser.add_argument("--report", action="store_true", help="print a block for a bug report: no code, key, host or path of yours")
    parser.add_argument("--online", action="store_true", help="also ask the model one question (costs a few tokens)")


_COMMANDS: dict[str, tuple[str, Callable[[Commands, str, str], None]]] = {
    "fix": ("review one file and propose its fix", _add_fix),
    "batch": ("review the lines of a JSONL file", _add_batch),
    "recall": ("ask the memory only: is this code known?", _add_recall),
    "resume": ("finish tasks that were interrupted", _add_resume),
    "memory": ("look into and care for the memory", add_memory),
    "graph": ("print the session graph as Mermaid", _add_graph),
    "doctor": ("settings, versions, sandbox, model and memory: is all well?", _add_doctor),
}
"""Each command with its line in the help and what adds it with its options."""


def _positive(text: str) -> int:
    """A count of at least one, for argparse."""
    if not text.isdecimal() or not 1 <= int(text[:9]) <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_JOBS}")
    return int(text)
