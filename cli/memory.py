"""`memory ...`: look into the memory and care for it. None of it needs the graph."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from cli import memory_text as text
from cli.console import Console
from cli.options import load
from errors import EXIT_CLEAN, EXIT_USAGE
from reports.json import json_line
from wiring_memory import MemoryCare, open_care

Action = Callable[[Namespace, MemoryCare, Console], int]


def run(given: Namespace, console: Console) -> int:
    """Do what the action says."""
    care = open_care(load(given, console.environment).settings)
    return ACTIONS[given.action](given, care, console)


def seed(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Learn from a file; lines that can't be used are named, and make the exit status 2."""
    report = care.seed(Path(given.jsonl))
    console.out(json_line(report) if given.json else text.seeded(report))
    return EXIT_USAGE if report["bad"] else EXIT_CLEAN


def newest(given: Namespace, care: MemoryCare, console: Console) -> int:
    """One line an experience."""
    found = care.newest()
    console.out("".join(json_line(each) if given.json else text.row(each) for each in found))
    if not found:
        console.note("codemind: the memory is empty")
    return EXIT_CLEAN


def show(given: Namespace, care: MemoryCare, console: Console) -> int:
    """One experience whole."""
    found = care.show(given.id)
    style = console.style()
    console.out(json_line(found) if given.json else text.whole(found, style))
    return EXIT_CLEAN


def search(given: Namespace, care: MemoryCare, console: Console) -> int:
    """As `list`, of those that hold the text."""
    found = care.search(given.text)
    console.out("".join(json_line(each) if given.json else text.row(each) for each in found))
    if not found:
        console.note("codemind: nothing in the memory holds that text")
    return EXIT_CLEAN


def forget(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Delete one experience, and say where its text may still lie."""
    gone = care.forget(given.id)
    console.out(json_line(gone) if given.json else text.forgotten(gone))
    return EXIT_CLEAN


def stats(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Counts."""
    found = care.stats()
    console.out(json_line(found) if given.json else text.counts(found))
    return EXIT_CLEAN


def review(given: Namespace, care: MemoryCare, console: Console) -> int:
    """What waits for approval, with the reason."""
    waiting = care.waiting()
    console.out("".join(json_line(each) if given.json else text.whole(each, console.style()) for each in waiting))
    if not waiting:
        console.note("codemind: nothing waits for approval")
    return EXIT_CLEAN


def approve(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Let the quarantined fixes of one experience be offered."""
    count = care.approve(given.id)
    console.out(json_line({"approved": count}) if given.json else f"{count} approved\n")
    if not count:
        console.note("codemind: nothing of it waits for approval; `codemind memory review` shows what does")
    return EXIT_CLEAN


def export(_: Namespace, care: MemoryCare, console: Console) -> int:
    """JSON lines, whatever the format asked for."""
    for line in care.export():
        console.out(line + "\n")
    return EXIT_CLEAN


def rebuild(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Make the vector index anew."""
    done = care.rebuild()
    console.out(json_line(done) if given.json else text.rebuilt(done))
    return EXIT_CLEAN


def recover(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Bring a damaged memory back."""
    done = care.recover(empty=given.empty)
    console.out(json_line(done) if given.json else text.recovered(done))
    return EXIT_CLEAN


ACTIONS: dict[str, Action] = {
    "seed": seed,
    "list": newest,
    "show": show,
    "search": search,
    "forget": forget,
    "stats": stats,
    "review": review,
    "approve": approve,
    "export": export,
    "rebuild": rebuild,
    "recover": recover,
}
