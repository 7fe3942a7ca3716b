"""What a command needs before it can do anything, and the sentence it answers with when that is not there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

from cli.counter import Counter
from cli.edge import Served
from cli.shown import Shown
from errors import MemoryHealedError, UsageError
from schema.fix import Fix
from schema.record import TaskRecord

NOTHING_REVIEWED = "Nothing was reviewed yet: paste code, or /example"
_NUMBER = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
_QUOTES = "\"'"

Answer = Callable[[Counter, str], Awaitable[None]]


class CannotError(Exception):
    """The sentence that says why a command does nothing now, and what to do."""


@dataclass(frozen=True)
class Report:
    """A report that is there: `raw` is its record in terms of the code."""

    shown: Shown
    served: Served
    raw: TaskRecord


@dataclass(frozen=True)
class Offer:
    """A report with a fix. `fix` is in terms of the paste: the user's line ends, secrets in their places."""

    report: Report
    fix: Fix


def answering(command: Answer) -> Answer:
    """Answer what the user can mend with its one sentence; every other failure goes to the loop."""

    @wraps(command)
    async def answer(counter: Counter, rest: str) -> None:
        try:
            try:
                await command(counter, rest.strip())
            except MemoryHealedError:  # it changed nothing, and is answered now; the next report says what happened
                await command(counter, rest.strip())
        except CannotError as cannot:
            counter.say(str(cannot))
        except UsageError as error:
            counter.say(error.message)

    return answer


def the_text(counter: Counter) -> Shown:
    """The last text, whether or not there is a report on it. Raises CannotError."""
    if counter.shown is None:
        raise CannotError(NOTHING_REVIEWED)
    return counter.shown


def the_report(counter: Counter) -> Report:
    """The last report. Raises CannotError."""
    shown = the_text(counter)
    served = shown.served
    if served is None or served.raw is None:
        raise CannotError(f"There is no report on {shown.name}: it was not finished. /retry reviews it again.")
    return Report(shown, served, served.raw)


def the_fix(counter: Counter) -> Offer:
    """The fix of the last report. Raises CannotError."""
    report = the_report(counter)
    fix = report.served.record.fix
    if fix is not None:
        return Offer(report, fix)
    hint = " /fix N tries to mend one finding." if report.raw.findings else ""
    raise CannotError(f"There is no fix for {report.shown.words}.{hint}")


def the_path(text: str, usage: str) -> str:
    """The path behind a command: quotes and `~` as in a shell, blanks as they are. Raises CannotError when there is none."""
    path = text.strip()
    if len(path) > 1 and path[0] == path[-1] and path[0] in _QUOTES:
        path = path[1:-1]
    elif "\\ " in path and not Path(path).exists():
        path = path.replace("\\ ", " ")
    if not path:
        raise CannotError(f"Which file? {usage}")
    try:
        return str(Path(path).expanduser()) if path.startswith("~") else path
    except RuntimeError:
        raise CannotError(f"There is no home folder for {path.partition('/')[0]}.") from None


def the_numbers(text: str, count: int, usage: str) -> list[int]:
    """Numbers of findings (1 to `count`), rising: `1 3 5-7`, commas too, or `all`. Raises CannotError."""
    words = text.replace(",", " ").split()
    if not words:
        raise CannotError(f"Which findings? {usage}, with the numbers in the report ({_range(count)}), or all")
    if words == ["all"]:
        return list(range(1, count + 1))
    numbers: set[int] = set()
    for word in words:
        found = _NUMBER.fullmatch(word)
        if found is None:
            raise CannotError(f"{word[:20]!r} is no number of a finding: {usage}, for example 2, or 1 3-5, or all")
        first, last = int(found.group(1)), int(found.group(2) or found.group(1))
        if not 1 <= first <= last <= count:
            raise CannotError(f"There is no finding {word}: the report has {_range(count)}.")
        numbers.update(range(first, last + 1))
    return sorted(numbers)


def _range(count: int) -> str:
    return "finding 1 only" if count == 1 else f"findings 1 to {count}"
