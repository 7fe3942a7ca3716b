"""What `memory export` and `memory import` can be told. Light: every command builds the whole parser."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable


def add_exchange(add: Callable[[str, str], ArgumentParser]) -> None:
    """The arguments of both actions."""
    export = add("export", "everything as JSON lines, as `memory import` and `memory seed` read them")
    export.add_argument("--with-tombstones", action="store_true", help="what was forgotten, too: a hash for each, no text")
    given = add("import", "take lines that `memory export` has written, on this machine or another; again changes nothing")
    given.add_argument("file", metavar="FILE", help="- is standard input")
    given.add_argument("--restore", action="store_true", help="it is my own backup: trust, counters, pins and times come back as they were")
    given.add_argument("--dry-run", action="store_true", help="say what would be taken, and change nothing")
