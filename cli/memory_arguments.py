"""The part of the command line under `memory`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from cli.usage import Parser

if TYPE_CHECKING:  # the class is generic in the stubs only
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


def json_option() -> argparse.ArgumentParser:
    """A parent parser with `--json`; without a default, so that `--json` before the command counts too."""
    options = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    options.add_argument("--json", action="store_true", help="print JSON, one object a line, and nothing else on stdout")
    return options


def add_memory(commands: Commands, name: str, text: str) -> None:
    """`memory` and its actions."""
    parser = commands.add_parser(name, parents=[json_option()], help=text, allow_abbrev=False)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser), prog=parser.prog)

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[json_option()], help=text, allow_abbrev=False)

    seed = add("seed", "learn from a file of past fixes")
    seed.add_argument("--jsonl", required=True, metavar="FILE", help='lines {"code", "fixed_code", "explanation", "language"?, ...}')
    add("list", "what is remembered, newest first")
    add("show", "one experience with all its fixes").add_argument("id", metavar="ID")
    add("search", "experiences that hold a text").add_argument("text", metavar="TEXT")
    add("forget", "remove one experience for good").add_argument("id", metavar="ID")
    add("stats", "how much is remembered and how often it helped")
    add("review", "fixes that wait for approval (quarantined)")
    add("approve", "trust a quarantined experience").add_argument("id", metavar="ID")
    add("export", "everything as JSON lines, as `memory seed` reads them")
    add("rebuild", "make the vector index anew from what is remembered; nothing is embedded again")
    recover = add("recover", "bring a damaged memory back")
    recover.add_argument("--empty", action="store_true", help="start anew; the damaged file is kept aside")
