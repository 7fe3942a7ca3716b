"""What `memory seed --git` can be told. Light: every command builds the whole parser."""

from __future__ import annotations

import argparse
import posixpath
import re
import time
from datetime import datetime, timedelta

LAST = "last"
_AGO = re.compile(r"(\d{1,5})[ .]?(day|week|month|year)s?(?:[ .]ago)?", re.IGNORECASE)
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


def add_git(source: argparse._MutuallyExclusiveGroup, parser: argparse.ArgumentParser) -> None:
    """`--git` among the sources, and what it can be told."""
    source.add_argument("--git", metavar="REPO", help="the bug fixes in a Git history, function by function; nothing of it is run")
    parser.add_argument(
        "--since", metavar="WHEN", type=since, help="with --git: a date, `3 months`, or `last`: what came since the last time"
    )
    parser.add_argument("--until", metavar="WHEN", type=until, help="with --git: up to a date")
    parser.add_argument("--grep", metavar="RE", type=pattern, help="with --git: only commits whose message this regular expression matches")
    parser.add_argument(
        "--path",
        metavar="P",
        type=inside,
        action="append",
        help="with --git: only this file or folder, named from the top; may be repeated",
    )
    parser.add_argument("--max", metavar="N", type=count, help="with --git: read the newest N commits at most")
    parser.add_argument("--dry-run", action="store_true", help="with --git: say what would be learnt and why, and change nothing")


def since(text: str) -> str | int:
    """`last`, or seconds since 1970. Raises: ArgumentTypeError."""
    return LAST if text.strip().lower() == LAST else moment(text, end_of_day=False)


def until(text: str) -> int:
    """Seconds since 1970; a day counts to its end. Raises: ArgumentTypeError."""
    return moment(text, end_of_day=True)


def moment(text: str, *, end_of_day: bool) -> int:
    """A date or time in ISO 8601, local where no zone is given, or how long ago. Git would take any word for the present moment."""
    words = text.strip()
    if ago := _AGO.fullmatch(words):
        return int(time.time()) - int(ago[1]) * _DAYS[ago[2].lower()] * 86_400
    try:
        found = datetime.fromisoformat(words)
        if end_of_day and re.fullmatch(r"\d{4}-?\d\d-?\d\d", words):
            found += timedelta(days=1, seconds=-1)
        return int(found.timestamp())
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(f"{text!r} is no date: write it as 2026-01-31, or as 3 months") from None


def pattern(text: str) -> str:
    """A regular expression. Raises: ArgumentTypeError."""
    try:
        re.compile(text)
    except re.error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression") from None
    return text


def inside(text: str) -> str:
    """A path below the repository's top, as Git writes it. Raises: ArgumentTypeError."""
    path = posixpath.normpath(text.strip()) if text.strip() else ""
    if not path or path.startswith(("/", "../")) or path == "..":
        raise argparse.ArgumentTypeError(f"{text!r} is no path from the top of the repository")
    return path


def count(text: str) -> int:
    """A number of commits. Raises: ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of commits")
    return min(int(text), 2**31 - 1)
