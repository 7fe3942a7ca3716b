"""The part of the command line under `memory`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from cli.exchange_arguments import add_exchange
from cli.git_arguments import add_git
from cli.sharing_arguments import add_sync
from cli.upkeep_arguments import add_upkeep
from cli.usage import Parser

if TYPE_CHECKING:  # the class is generic in the stubs only
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

LEAST_SHARE, MOST_SHARE = 0.5, 0.999


def json_option() -> argparse.ArgumentParser:
    """A parent parser with `--json`; without a default, so that `--json` before the command counts too."""
    options = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    options.add_argument("--json", action="store_true", help="print JSON, one object a line, and nothing else on stdout")
    return options


def share(text: str) -> float:
    """A share that can be asked for. Raises: ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not LEAST_SHARE <= value <= MOST_SHARE:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from {LEAST_SHARE} to {MOST_SHARE}")
    return value


def add_memory(commands: Commands, name: str, text: str) -> None:
    """`memory` and its actions."""
    parser = commands.add_parser(name, parents=[json_option()], help=text, allow_abbrev=False)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser), prog=parser.prog)

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[json_option()], help=text, allow_abbrev=False)

    _add_seed(add("seed", "learn from past fixes, or the starter pack of classic bugs"))
    add("list", "what is remembered, newest first")
    add("show", "one experience with all its fixes").add_argument("id", metavar="ID")
    add("search", "experiences that hold a text").add_argument("text", metavar="TEXT")
    add("forget", "remove one experience for good").add_argument("id", metavar="ID")
    add("stats", "how much is remembered, how often it helped, and from which score on code counts as like a past bug")
    calibrate = add("calibrate", "measure on what is remembered from which score on code counts as like a past bug")
    calibrate.add_argument(
        "--target-precision", type=share, metavar="P", help="share of the offered fixes that must be right, .5 to .999; default .99"
    )
    review = add("review", "fixes that wait for approval (quarantined); on a terminal each is asked about")
    review.add_argument("--approve", nargs="+", metavar="ID", help="let these be offered")
    review.add_argument("--reject", nargs="+", metavar="ID", help="never offer these, also when they are seeded again")
    add("approve", "let quarantined experiences be offered").add_argument("id", nargs="+", metavar="ID")
    purge = add("purge", "take back everything that came from one source; seeding it again brings it back")
    purge.add_argument("--source", required=True, metavar="S", help="as `memory show` names it, or the seed file")
    purge.add_argument("--dry-run", action="store_true", help="only say what would be taken back")
    purge.add_argument("--yes", action="store_true", help="don't ask")
    add_exchange(add)
    add("rebuild", "make the vector index anew from what is remembered; nothing is embedded again")
    recover = add("recover", "bring a damaged memory back")
    add_upkeep(add)
    add_sync(add("sync", "share with your team: pull what colleagues have saved, push what you have (CHROMA_URL)"))
    recover.add_argument("--empty", action="store_true", help="start anew; the damaged file is kept aside")


def _add_seed(parser: argparse.ArgumentParser) -> None:
    """Where to learn from, one of four."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--starter", action="store_true", help="classic bugs in 15 languages with their fixes; again adds nothing")
    source.add_argument(
        "--jsonl", metavar="FILE", help='lines {"code", "fixed_code", "explanation", "language"?, ...}; - is standard input'
    )
    source.add_argument("--pair", nargs=2, metavar=("BUGGY", "FIXED"), help="two files: the code before and after")
    add_git(source, parser)
    parser.add_argument("--explanation", metavar="T", help="with --pair: what was wrong")
    parser.add_argument(
        "--lang", metavar="L", default=argparse.SUPPRESS, help="with --pair: its language, when the files' names don't tell"
    )
