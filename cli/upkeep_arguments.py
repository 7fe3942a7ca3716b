"""What the commands of upkeep under `memory` can be told. Light: every command builds the whole parser."""

from __future__ import annotations

import argparse
from collections.abc import Callable

_MOST = 10**9


def add_upkeep(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """pin, unpin, accept, reject, history, audit, compact and reembed; `add` makes the parser of an action from its name and help."""
    for name, text in (
        ("pin", "offer this fix before all others of its code; purge and compact keep it"),
        ("unpin", "take a pin back"),
        ("accept", "this fix is right: it is proved from now on"),
        ("reject", "this fix is wrong: it is not offered again"),
    ):
        parser = add(name, text)
        parser.add_argument("id", metavar="ID", help="the beginning of an id, as `memory list` prints it")
        parser.add_argument(
            "--fix", type=positive, metavar="N", help="which of several fixes, as `memory show` numbers them; else the best"
        )
    history = add("history", "what was done to the memory, newest last; with an id to one experience, also a forgotten one")
    history.add_argument("id", nargs="?", metavar="ID", help="the beginning of an id")
    history.add_argument("--all", action="store_true", help="not only the last 50")
    audit = add("audit", "what deserves a look, with the command that would mend it; nothing is changed")
    audit.add_argument("--days", type=number, metavar="N", help="tell of what lies unused for longer; default 180")
    compact = add("compact", "merge duplicates, drop what nothing leads to, give space back")
    compact.add_argument("--dry-run", action="store_true", help="only say what would be done")
    compact.add_argument("--older-than", type=number, metavar="DAYS", help="imports that lie unused for longer go, too")
    compact.add_argument("--keep", type=number, metavar="N", help="unused imports go, the oldest first, until N fixes are left")
    add("reembed", "make all vectors anew for the embedder in force")


def positive(text: str) -> int:
    """A number from 1 on. Raises: ArgumentTypeError."""
    value = number(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a fix: they begin with 1")
    return value


def number(text: str) -> int:
    """A whole number from 0 on. Raises: ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(_MOST)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {_MOST}")
    return int(text)
