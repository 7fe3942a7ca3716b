"""`memory review`, `approve` and `purge`: what is not offered until the user has seen it, and what is taken back."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from cli import memory_text as text
from cli.console import Console
from errors import EXIT_CLEAN, ConfigInvalidError
from reports.json import json_line
from wiring_memory import MemoryCare

Plain = Mapping[str, Any]
_QUESTION = "Approve (a), reject (r), later (Enter) or quit (q)? "
_CONFIRMED = "purge"


def review(given: Namespace, care: MemoryCare, console: Console) -> int:
    """What waits for approval with its diff and the reason; on a terminal each is asked about. With ids: do it."""
    if given.approve or given.reject:
        return _decide(given, care, console)
    waiting = care.waiting()
    if not waiting:
        console.note("codemind: nothing waits for approval")
    elif given.json or not (console.interactive and console.paints):
        console.out("".join(json_line(each) if given.json else text.whole(each, console.style()) for each in waiting))
    else:
        _ask_about(waiting, care, console)
    return EXIT_CLEAN


def approve(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Let the quarantined fixes of these experiences be offered."""
    count = sum(care.approve(key) for key in _known(given.id, care))
    console.out(json_line({"approved": count}) if given.json else f"{count} approved\n")
    if not count:
        console.note("codemind: nothing of it waits for approval; `codemind memory review` shows what does")
    return EXIT_CLEAN


def purge(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Take back what came from one source, once the user has said so."""
    if given.dry_run or not given.yes:
        plan = care.purge(given.source, dry_run=True)
        if given.dry_run:
            console.out(json_line(plan) if given.json else text.purged(plan))
            return EXIT_CLEAN
        if not _is_confirmed(plan, console, is_text=not given.json):
            return EXIT_CLEAN
    done = care.purge(given.source, dry_run=False)
    console.out(json_line(done) if given.json else text.purged(done))
    return EXIT_CLEAN


def _decide(given: Namespace, care: MemoryCare, console: Console) -> int:
    """All ids are looked up before anything is changed."""
    approved, rejected = _known(given.approve or (), care), _known(given.reject or (), care)
    if both := set(approved) & set(rejected):
        raise ConfigInvalidError(f"{min(both)[:12]} is to be approved and to be rejected: give it once.")
    counts = {"approved": sum(map(care.approve, approved)), "rejected": sum(map(care.reject, rejected))}
    console.out(json_line(counts) if given.json else f"{counts['approved']} approved, {counts['rejected']} rejected\n")
    if not any(counts.values()):
        console.note("codemind: nothing of it waits for approval; `codemind memory review` shows what does")
    return EXIT_CLEAN


def _known(prefixes: Sequence[str], care: MemoryCare) -> list[str]:
    """The whole ids, each once."""
    return list(dict.fromkeys(str(care.show(prefix)["id"]) for prefix in prefixes))


def _ask_about(waiting: Sequence[Plain], care: MemoryCare, console: Console) -> None:
    for number, each in enumerate(waiting, 1):
        console.out(f"{number} of {len(waiting)}\n{text.whole(each, console.style())}")
        answer = _answer(console, _QUESTION).lower()
        if answer in {"a", "approve"}:
            console.out(f"{care.approve(each['id'])} approved\n\n")
        elif answer in {"r", "reject"}:
            console.out(f"{care.reject(each['id'])} rejected\n\n")
        elif answer in {"q", "quit", "\x04"}:
            return
        else:
            console.out("left as it is\n\n")


def _is_confirmed(plan: Plain, console: Console, *, is_text: bool) -> bool:
    """True once the word was typed. Raises ConfigInvalidError where nobody can be asked."""
    if not (is_text and console.interactive and console.paints):
        raise ConfigInvalidError(f"{text.counted(plan)} would be taken back: add --yes, or look first with --dry-run.")
    if not plan["fixes"]:
        console.out(text.purged(plan))
        return False
    console.out(text.purged(plan))
    if _answer(console, f"Type {_CONFIRMED} to do it: ") == _CONFIRMED:
        return True
    console.out("nothing was done\n")
    return False


def _answer(console: Console, question: str) -> str:
    """A line of the user's, without blanks around it; Ctrl-D counts as `\\x04`."""
    console.out(question)
    line = console.read()
    if not line:
        console.out("\n")
        return "\x04"
    return line.split(b"\n", 1)[0].decode(errors="replace").strip()
