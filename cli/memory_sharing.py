"""`memory sync`: pull what colleagues have shared and push what was saved here, now."""

from __future__ import annotations

import time
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from cli.console import Console
from cli.options import load
from errors import EXIT_CLEAN, CodeMindError, ConfigInvalidError
from reports.json import json_line
from utils.terminal import visible
from wiring_memory import MemoryCare
from wiring_sharing import SharingCare, sharing_of

if TYPE_CHECKING:
    from wiring_sharing import SyncReport

UNSET = "CHROMA_URL is not set: there is no shared memory to synchronise with. Set it to the address of your team's Chroma server."
_EVERY_S = 2.0


def sync(given: Namespace, _: MemoryCare, console: Console) -> int:
    """Say what went which way. Raises ConfigInvalidError without CHROMA_URL; SharingFailedError after what was done is told."""
    care = sharing_of(load(given, console.environment).settings)
    if care is None:
        raise ConfigInvalidError(UNSET)
    done = _synchronise(care, given, console)
    console.out(json_line(done) if given.json else words_of(done))
    return EXIT_CLEAN


def _synchronise(care: SharingCare, given: Namespace, console: Console) -> dict[str, Any]:
    last, told = time.monotonic(), ""
    reached: dict[str, Any] = {}

    def progress(report: SyncReport) -> None:
        nonlocal last, told, reached
        reached = report.as_plain()
        now = time.monotonic()
        words = f"codemind: {report.pulled + report.known} came, {report.pushed} sent"
        if now - last >= _EVERY_S and words != told:
            last, told = now, words
            console.note(words)

    try:
        return care.sync(from_start=given.from_start, progress=progress)
    except (CodeMindError, KeyboardInterrupt):
        waiting = _waiting(care)
        console.note(
            f"codemind: until then {reached.get('pulled', 0)} fixes came and {reached.get('pushed', 0)} were sent; "
            f"{waiting} wait here, and the same command does the rest"
        )
        raise


def _waiting(care: SharingCare) -> int:
    try:
        return int(care.queue()["waiting"])
    except CodeMindError:
        return 0


def words_of(done: dict[str, Any]) -> str:
    """For a person."""
    lines = [f"Shared memory at {visible(done['host'])}:"]
    quarantined = f", {done['quarantined']} of them to be approved (codemind memory review)" if done["quarantined"] else ""
    lines.append(f"  pulled: {done['pulled']} new{quarantined}; {done['known']} known already")
    if done["removed"] or done["kept"]:
        kept = f"; {done['kept']} kept, which you have made yours" if done["kept"] else ""
        lines.append(f"  withdrawn by colleagues: {done['removed']} removed here{kept}")
    if done["declined"]:
        lines.append(f"  not taken: {done['declined']} that you have forgotten or rejected")
    lines += [f"  not usable: {count} ({visible(reason)})" for reason, count in done["refused_reasons"].items()]
    lines.append(f"  pushed: {done['pushed']}" + (f"; {done['withdrawn']} withdrawn" if done["withdrawn"] else ""))
    lines += [f"  held back: {count} that {visible(reason)}" for reason, count in done["held_reasons"].items()]
    lines += [f"  note: {visible(note)}" for note in done["notes"]]
    if done["index"]:
        lines.append(f"  vector index: {visible(done['index'])}")
    return "\n".join(lines) + "\n"
