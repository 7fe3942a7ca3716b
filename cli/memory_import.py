"""`memory export` and `memory import`: the memory as lines, and lines of an export back into it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cli import memory_text as text
from cli.console import Console
from cli.memory_seed import stopped
from cli.seed_progress import SeedProgress
from errors import EXIT_CLEAN, EXIT_USAGE, CodeMindError
from reports.json import json_line
from wiring_exchange import Exchange
from wiring_memory import MemoryCare

_STDIN = "-"
_OWN = "taken as your own backup: trust, counters, pins, times and evidence are those of the file"
_FOREIGN = "taken as from anybody: each fix was judged anew and nothing is counted; for your own backup use --restore"


def export(given: Namespace, care: MemoryCare, console: Console) -> int:
    """JSON lines, whatever the format asked for."""
    for line in Exchange(care.ledger).export(with_tombstones=given.with_tombstones):
        console.out(line + "\n")
    return EXIT_CLEAN


def take(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Say what became of the lines; those that can't be used are named, and make the exit status 2."""
    progress = SeedProgress(console, is_dry=given.dry_run)
    source = _chunks(console) if given.file == _STDIN else Path(given.file)
    try:
        with progress:
            report = Exchange(care.ledger).take(source, restore=given.restore, dry_run=given.dry_run, progress=progress)
    except (KeyboardInterrupt, CodeMindError) as error:
        return stopped(error, progress, console)
    console.out(json_line(report) if given.json else taken(report))
    if report["bad"] and report["bad"] == report["lines"]:
        console.note("codemind: `memory import` takes what `memory export` has written; other past fixes: `memory seed --jsonl FILE`")
    return EXIT_USAGE if report["bad"] else EXIT_CLEAN


def taken(report: Mapping[str, Any]) -> str:
    """What became of the lines, and how they were taken."""
    lines = ["nothing was changed; without --dry-run this would become of it:"] if report["dry_run"] else []
    said = [_OWN if report["restore"] else _FOREIGN]
    if count := report["tombstones"]:
        said.append(f"forgotten from now on: {count} text{'s' if count != 1 else ''} that the backup says you have forgotten")
    if count := report["secrets"]:
        said.append(f"{count} fix{'es' if count != 1 else ''} held a secret, which is a placeholder now")
    return "".join(line + "\n" for line in lines) + text.seeded(report) + "".join(line + "\n" for line in said)


def _chunks(console: Console) -> Iterator[bytes]:
    while chunk := console.read():
        yield chunk
