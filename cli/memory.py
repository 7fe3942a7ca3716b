"""`memory ...`: look into the memory and care for it. None of it needs the graph."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from cli import memory_text as text
from cli.console import Console, one_line
from cli.memory_import import export, take
from cli.memory_savings import savings_text
from cli.memory_seed import seed
from cli.memory_sharing import sync
from cli.memory_upkeep import READING, UPKEEP
from cli.memory_withheld import approve, purge, review
from cli.options import load
from cli.version import VERSION
from errors import EXIT_CLEAN, CodeMindError, MemoryHealedError
from reports.chart import draws_blocks
from reports.json import json_line
from wiring import back_up
from wiring_exchange import Exchange
from wiring_feedback import Feedback
from wiring_log import keep_log, log_failure, log_note
from wiring_memory import MemoryCare, open_care

Action = Callable[[Namespace, MemoryCare, Console], int]


def run(given: Namespace, console: Console) -> int:
    """Do what the action says."""
    settings = load(given, console.environment).settings
    care = open_care(settings)
    if given.action not in CHANGING:
        return _done(given, care, console)
    keep_log(settings, save=True, version=VERSION)
    try:
        status = _done(given, care, console)
    except CodeMindError as error:
        log_failure(f"memory {given.action}", error.code)
        raise
    else:
        back_up(care.ledger)
        return status
    finally:
        if note := log_note():
            console.note(f"codemind: {note}")


def _done(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Do it, once more when the memory was found damaged and has been mended meanwhile, and say so."""
    action = ACTIONS[given.action]
    try:
        return action(given, care, console)
    except MemoryHealedError:
        if given.action in STREAMED:
            care.ledger.take_note()  # it stands in the error
            raise
        return action(given, care, console)
    finally:
        if said := care.ledger.take_note():
            console.note(f"codemind: {one_line(said)}")


def newest(given: Namespace, care: MemoryCare, console: Console) -> int:
    """One line an experience."""
    found = care.newest()
    console.out("".join(json_line(each) if given.json else text.row(each) for each in found))
    if not found:
        console.note("codemind: the memory is empty; `codemind memory seed --starter` fills it with classic bugs")
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
    """Counts, and what memory has spared."""
    found = {**care.stats(), "sources": Exchange(care.ledger).sources(), "savings": Feedback(care.ledger).savings()}
    if given.json:
        console.out(json_line(found))
        return EXIT_CLEAN
    encoding, environment = getattr(console.stdout, "encoding", None), console.environment
    blocks = draws_blocks(encoding, environment.get("TERM"), no_colour=bool(environment.get("NO_COLOR")))
    console.out(text.counts(found) + savings_text(found["savings"], console.style().width, ascii_only=not blocks))
    return EXIT_CLEAN


def calibrate(given: Namespace, care: MemoryCare, console: Console) -> int:
    """Measure the thresholds; how far it is goes to standard error."""
    last = -1

    def progress(done: int, total: int) -> None:
        nonlocal last
        tenth = 10 * done // max(1, total)
        if tenth > last:
            last = tenth
            console.note(f"codemind: measured on {done} of {total}")

    done = care.calibrate(given.target_precision, progress)
    console.out(json_line(done) if given.json else text.thresholds(done))
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
    "calibrate": calibrate,
    "review": review,
    "approve": approve,
    "purge": purge,
    "export": export,
    "import": take,
    "sync": sync,
    "rebuild": rebuild,
    "recover": recover,
    **UPKEEP,
}
CHANGING = frozenset(
    {"seed", "sync", "calibrate", "forget", "review", "approve", "purge", "import", "rebuild", "recover", *UPKEEP} - READING
)
"""Actions that change something: the log has a line about each."""
STREAMED = frozenset({"export"})
"""Actions that have written some of their output by the time they meet damage: doing them again would write it twice."""
