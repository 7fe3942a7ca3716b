"""`memory pin`, `unpin`, `accept`, `reject`, `history`, `audit`, `compact` and `reembed`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any

from cli import upkeep_text as text
from cli.console import Console
from cli.told_line import ToldLine
from errors import EXIT_CLEAN, EXIT_INTERRUPTED
from reports.json import json_line
from wiring_memory import MemoryCare
from wiring_upkeep import Upkeep


def pin(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Offer a fix first."""
    return _decided(given, console, _of(care).pin)


def unpin(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Take that back."""
    return _decided(given, console, _of(care).unpin)


def accept(given: Namespace, care: MemoryCare, console: Console) -> int:
    """A fix is right."""
    return _decided(given, console, _of(care).accept)


def reject(given: Namespace, care: MemoryCare, console: Console) -> int:
    """A fix is wrong."""
    return _decided(given, console, _of(care).reject)


def history(given: Namespace, care: MemoryCare, console: Console) -> int:
    """One line an event."""
    found = _of(care).history(given.id, whole=given.all)
    console.out("".join(map(json_line, found)) if given.json else text.events(found))
    if not found:
        console.note("codemind: nothing was done yet")
    return EXIT_CLEAN


def audit(given: Namespace, care: MemoryCare, console: Console) -> int:
    """What deserves a look: as JSON when it is found, else by kind once all is read."""
    progress = _Progress(console, "looked at {done} of {total} fixes")
    found = _of(care).audit(given.days, progress)
    with progress:
        if given.json:
            for each in found:
                console.out(json_line(each))
            return EXIT_CLEAN
        told = text.Audited()
        for each in found:
            told.add(each)
    console.out(told.text(console.style()))
    return EXIT_CLEAN


def compact(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Put the memory in order, or say what that would do. Broken off, it says that nothing is half done."""
    try:
        done = _of(care).compact(older_than=given.older_than, keep=given.keep, dry_run=given.dry_run)
    except KeyboardInterrupt:
        console.note("codemind: interrupted: fixes were merged and expired all or none; the same command does the rest")
        return EXIT_INTERRUPTED
    console.out(json_line(done) if given.json else text.compacted(done))
    return EXIT_CLEAN


def reembed(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Make the vectors anew; what is made is kept when it is broken off."""
    progress = _Progress(console, "made {done} of {total} vectors")
    try:
        with progress:
            done = _of(care).reembed(progress)
    except KeyboardInterrupt:
        console.note("codemind: interrupted: the old vectors serve on; the same command makes the rest")
        return EXIT_INTERRUPTED
    console.out(json_line(done) if given.json else text.reembedded(done))
    return EXIT_CLEAN


class _Progress(ToldLine):
    """How far it is, on standard error."""

    def __init__(self, console: Console, words: str) -> None:
        super().__init__(console)
        self._words = words

    def __call__(self, done: int, total: int) -> None:
        """Some more is done."""
        self.stored = done
        self.tell(lambda: self._words.format(done=done, total=total))


def _of(care: MemoryCare) -> Upkeep:
    return Upkeep(care.ledger, care.endpoint)


def _decided(given: Namespace, console: Console, decide: Callable[[str, int | None], dict[str, Any]]) -> int:
    done = decide(given.id, given.fix)
    console.out(json_line(done) if given.json else text.decided(done))
    return EXIT_CLEAN


UPKEEP: dict[str, Callable[[Namespace, MemoryCare, Console], int]] = {
    "pin": pin,
    "unpin": unpin,
    "accept": accept,
    "reject": reject,
    "history": history,
    "audit": audit,
    "compact": compact,
    "reembed": reembed,
}
READING = frozenset({"history", "audit"})
"""Those that change nothing."""
