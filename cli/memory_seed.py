"""`memory seed`: learn from a file, from standard input, from two files, or the starter pack."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli import memory_text as text
from cli.console import Console
from cli.memory_git import refuse_without_git, seed_git
from cli.options import known_language
from cli.seed_progress import SeedProgress
from errors import EXIT_CLEAN, EXIT_INTERRUPTED, EXIT_USAGE, CodeMindError, ConfigInvalidError
from reports.json import json_line
from wiring_memory import MemoryCare

_STDIN = "-"


def seed(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Say what became of the lines; those that can't be used are named, and make the exit status 2."""
    if given.pair is None and (given.explanation is not None or given.lang is not None):
        raise ConfigInvalidError("--explanation and --lang say something of a pair: use them with --pair BUGGY FIXED.")
    refuse_without_git(given)
    if given.git is not None:
        return seed_git(given, care, console)
    progress = SeedProgress(console)
    try:
        with progress:
            report = _learnt(given, care, console, progress)
    except (KeyboardInterrupt, CodeMindError) as error:
        return stopped(error, progress, console)
    console.out(json_line(report) if given.json else text.seeded(report))
    if report["bad"] and not report["added"] + report["updated"] + report["duplicate"]:
        console.note('codemind: a seed file has one JSON object a line: {"code": ..., "fixed_code": ..., "explanation": ...}')
    return EXIT_USAGE if report["bad"] else EXIT_CLEAN


def _learnt(given: Namespace, care: MemoryCare, console: Console, progress: SeedProgress) -> dict[str, Any]:
    if given.starter:
        return care.seed_starter(progress)
    if given.pair is not None:
        buggy, fixed = given.pair
        return care.seed_pair(buggy, fixed, explanation=given.explanation or "", language=known_language(given.lang))
    if given.jsonl == _STDIN:
        return care.seed_stream(_chunks(console), progress)
    return care.seed(Path(given.jsonl), progress)


def stopped(error: KeyboardInterrupt | CodeMindError, progress: SeedProgress, console: Console) -> int:
    """What is safe, for a seed that did not come to its end."""
    safe = f"{progress.stored} lines are learnt and safe; the same command adds the rest"
    if isinstance(error, CodeMindError):
        if progress.stored:
            console.note(f"codemind: {safe}")
        raise error
    console.note(f"codemind: interrupted: {safe}")
    return EXIT_INTERRUPTED


def _chunks(console: Console) -> Iterator[bytes]:
    while chunk := console.read():
        yield chunk
