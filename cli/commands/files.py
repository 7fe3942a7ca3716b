"""Commands that change files, and the one that takes changes back: /write, /undo."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.commands.needs import CannotError, Offer, answering, the_fix, the_path
from cli.counter import Counter
from cli.journal import Write
from errors import UsageError
from utils.diff import diff_lines
from utils.newlines import to_lf
from utils.placing import Placed, place
from utils.syntax import PARSED, parse_errors
from wiring_memory import create_source, read_source, write_source

if TYPE_CHECKING:
    from wiring_memory import SourceFile, Written

USAGE = "/write PATH"
_OVER = "--over"
_IMPORT = re.compile(r"(?:import|from|#include|use|using|require)\b")


@dataclass(frozen=True)
class Target:
    """Where the fix shall go; `over`: in place of all that the file holds."""

    path: str
    over: bool


@answering
async def write(counter: Counter, rest: str) -> None:
    """Put the fixed code into a file: a new one, or the place in it that holds the reviewed code."""
    offer = the_fix(counter)
    _refuse_unfit(offer)
    # In this thread: a file and the note that it was written must not be parted by Ctrl-C.
    counter.say(_put(counter, offer, _target(rest, offer)))


@answering
async def undo(counter: Counter, rest: str) -> None:
    """Take back the newest save, write or verdict of this session."""
    act = counter.journal.newest()
    if counter.journal.take_forgotten():
        more = "" if act is None else f" /undo once more takes back {act.words}."
        raise CannotError(f"What /forget has deleted is gone for good and can't be taken back.{more}")
    if act is None:
        raise CannotError("There is nothing to take back: nothing was saved, written or judged in this session.")
    try:
        said = await asyncio.to_thread(act.take_back, counter.sitting.app)
    except UsageError:
        counter.journal.strike(act)  # it never can be: the next /undo takes the one before
        raise
    counter.journal.strike(act)
    counter.say(said)
    await counter.refresh()


def _put(counter: Counter, offer: Offer, target: Target) -> str:
    """Write, and note how to take it back; what was done, in a sentence."""
    if os.path.lexists(target.path):
        file = read_source(target.path, may_be_empty=True)
        placed = _placed(offer, file, target)
        written, words = write_source(file, placed.text), _changes(file.text, placed.text)
    else:
        written, words = _created(offer, target.path)
    counter.journal.add(Write(f"the write of {target.path}", written))
    return f"Wrote {target.path}: {words}. /undo takes it back."


def _refuse_unfit(offer: Offer) -> None:
    """Raise CannotError for a fix that must not go into a file as it is."""
    count = offer.report.served.placeholders
    if count:
        secrets = "1 secret is" if count == 1 else f"{count} secrets are"
        raise CannotError(
            f"Not written: in the fix {secrets} still a placeholder (CMSECRET...). /copy it and put the real "
            f"secret{'s' if count > 1 else ''} back by hand, or /retry."
        )
    if offer.fix.verification.tests_failed:
        raise CannotError("Not written: the test command does not pass with this fix. /test off, then /retry, does without it.")
    if offer.fix.verification.refused:
        raise CannotError("Not written: the checks refused this fix. /copy takes it as it is.")


def _target(rest: str, offer: Offer) -> Target:
    """What the user named, else the file that was loaded. Raises CannotError."""
    words, over = rest, False
    if rest == _OVER or rest.startswith(_OVER + " "):
        words, over = rest.removeprefix(_OVER), True
    elif rest.endswith(" " + _OVER):
        words, over = rest.removesuffix(_OVER), True
    if not words.strip() and offer.report.shown.file is not None:
        return Target(offer.report.shown.entry.task.path, over)
    path = the_path(words, f"{USAGE} puts the fixed code of {offer.report.shown.words} there")
    if path.endswith(("/", os.sep)):
        raise CannotError(f"{path} is a folder: give a file")
    return Target(path, over)


def _created(offer: Offer, path: str) -> tuple[Written, str]:
    """Write a new file."""
    code = offer.fix.code if offer.fix.code.endswith(("\n", "\r")) else offer.fix.code + "\n"
    written = create_source(path, code)
    count = to_lf(code).count("\n")
    return written, f"a new file of {count} line{'s' if count != 1 else ''}"


def _placed(offer: Offer, file: SourceFile, target: Target) -> Placed:
    """The file's new text. Raises CannotError when there is no one place for the fix in it."""
    before, after = offer.report.served.before, to_lf(offer.fix.code)
    if target.over or not file.text.strip():
        return Placed(after, "placed", 1)
    placed = place(file.text, before, after)
    name = target.path
    over = f"/write --over {_quoted(name)} replaces the whole file"
    if placed.outcome == "done":
        raise CannotError(f"Not written: {name} holds the fixed code already (line {placed.start_line}).")
    if placed.outcome == "missing":
        raise CannotError(f"Not written: {name} does not hold the code that was reviewed (did it change since?). {over}.")
    if placed.outcome == "ambiguous":
        raise CannotError(f"Not written: {name} holds the reviewed code {placed.places} times. Change it by hand, or {over}.")
    _refuse_misplaced(offer, file, placed)
    return placed


def _refuse_misplaced(offer: Offer, file: SourceFile, placed: Placed) -> None:
    """Raise CannotError when the code is right by itself and wrong where it would stand."""
    before, after = offer.report.served.before, to_lf(offer.fix.code)
    known = set(before.split("\n"))
    added = [line for line in after.split("\n") if line not in known and _IMPORT.match(line)]
    if placed.indent and added:
        raise CannotError(
            f"Not written: the fix adds {added[0].strip()!r} at its top, and the code stands indented in {file.path} (line "
            f"{placed.start_line}). /diff shows the changes: put them in by hand."
        )
    language = offer.report.raw.language
    if language in PARSED and parse_errors(placed.text, language) > parse_errors(file.text, language):
        raise CannotError(f"Not written: {file.path} would not parse any more with the fix in it. /diff shows the changes.")


def _changes(before: str, after: str) -> str:
    """What became of the lines: `lines 3-5: 2 added, 1 removed`."""
    changed = [line for line in diff_lines(before, after, context=0) if line.kind in "+-"]
    added = [line.new_line for line in changed if line.new_line is not None]
    removed = sum(line.kind == "-" for line in changed)
    counted = f"{len(added)} line{'s' if len(added) != 1 else ''} added, {removed} removed"
    return f"{counted}, the first is line {added[0]}" if added else counted


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path
