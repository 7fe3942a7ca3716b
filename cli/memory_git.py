"""`memory seed --git`: learn the bug fixes of a repository's history, or only say which they would be."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cli.console import Console
from cli.git_arguments import LAST
from cli.git_progress import GitProgress
from cli.memory_git_text import learnt, taken
from errors import EXIT_CLEAN, EXIT_INTERRUPTED, CodeMindError, ConfigInvalidError
from reports.json import json_line
from wiring_memory import MemoryCare

if TYPE_CHECKING:
    from wiring_memory import TakenFix

_OPTIONS = ("since", "until", "grep", "path", "max")


def refuse_without_git(given: Namespace) -> None:
    """Raises ConfigInvalidError for an option that only says something of a history."""
    if given.git is None and (given.dry_run or any(getattr(given, name) is not None for name in _OPTIONS)):
        raise ConfigInvalidError(
            "--since, --until, --grep, --path, --max and --dry-run say something of a history: use them with --git REPO."
        )


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
