"""`memory seed --git`: learn the bug fixes of a repository's history, or only say which they would be."""

from __future__ import annotations

import argparse
import re
import time
from argparse import Namespace
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from cli.console import Console
from cli.git_progress import GitProgress
from cli.memory_git_text import learnt, taken
from errors import EXIT_CLEAN, EXIT_INTERRUPTED, CodeMindError, ConfigInvalidError
from reports.json import json_line
from wiring_memory import MemoryCare

if TYPE_CHECKING:
    from wiring_memory import TakenFix

LAST = "last"
_AGO = re.compile(r"(\d{1,5})[ .]?(day|week|month|year)s?(?:[ .]ago)?", re.IGNORECASE)
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_OPTIONS = ("since", "until", "grep", "path", "max")


def add_git(source: argparse._MutuallyExclusiveGroup, parser: argparse.ArgumentParser) -> None:
    """`--git` among the sources, and what it can be told."""
    source.add_argument("--git", metavar="REPO", help="the bug fixes in a Git history, function by function; nothing of it is run")
    parser.add_argument("--since", metavar="WHEN", type=since, help="with --git: a date, `3 months`, or `last`: what came since the last time")
    parser.add_argument("--until", metavar="WHEN", type=until, help="with --git: up to a date")
    parser.add_argument("--grep", metavar="RE", type=pattern, help="with --git: only commits whose message this regular expression matches")
    parser.add_argument("--path", metavar="P", action="append", help="with --git: only this file or folder; may be given again")
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


def count(text: str) -> int:
    """A number of commits. Raises: ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of commits")
    return min(int(text), 2**31 - 1)


def refuse_without_git(given: Namespace) -> None:
    """Raises ConfigInvalidError for an option that only says something of a history."""
    if given.git is None and (given.dry_run or any(getattr(given, name) is not None for name in _OPTIONS)):
        raise ConfigInvalidError("--since, --until, --grep, --path, --max and --dry-run say something of a history: use them with --git REPO.")


def seed_git(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Say what became of the commits, in a dry run of each fix too."""
    progress = GitProgress(console)
    try:
        with progress:
            report = _read(given, care, progress, _teller(given, console, progress))
    except KeyboardInterrupt:
        console.note(f"codemind: interrupted: {_safe(progress)}")
        return EXIT_INTERRUPTED
    except CodeMindError:
        if progress.stored:
            console.note(f"codemind: {_safe(progress)}")
        raise
    for note in report["notes"]:
        console.note(f"codemind: {note}")
    console.out(json_line(report) if given.json else learnt(report))
    return EXIT_CLEAN


def _safe(progress: GitProgress) -> str:
    return f"{progress.stored} functions are learnt and safe; the same command adds the rest"


def _read(given: Namespace, care: MemoryCare, progress: GitProgress, told: Callable[[TakenFix], None] | None) -> dict[str, Any]:
    return care.seed_git(
        given.git,
        since=None if given.since == LAST else given.since,
        until=given.until,
        is_incremental=given.since == LAST,
        grep=given.grep or "",
        paths=tuple(given.path or ()),
        most=given.max,
        dry_run=given.dry_run,
        progress=progress,
        told=told,
    )


def _teller(given: Namespace, console: Console, progress: GitProgress) -> Callable[[TakenFix], None] | None:
    """In a dry run each fix is shown as it is found."""
    if not given.dry_run:
        return None

    def tell(fix: TakenFix) -> None:
        progress.clear()
        console.out(json_line(fix.as_plain()) if given.json else taken(fix.as_plain()))

    return tell
