"""A model reads a task's code, window by window when it is long, within the calls that the task has left."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.model_windows import MAX_CHARACTERS, MIN_CHARACTERS, Cut, Window, cut, named_lines
from agents.schemas import QuotedFinding
from errors import ContextTooLongError, ModelError, ModelOutputError, ModelRefusedError
from schema.task import Task

KEPT_CALLS: Final = 2
"""Calls that are left to the fixer: its question and one more round."""
SMALLER: Final = 4
"""A window that is too long for the model's context is made so many times smaller, once."""

PARTS_NOTE = "the model read the code in {count} parts, one call each"
UNREAD_NOTE = "{lines} were not reviewed by the model: {why}"
NO_CALLS: Final = "the calls of this task were used up; set MAX_LLM_CALLS higher, or review less at a time"
TOO_LONG_LINES: Final = "they are longer than what it is shown at once"
FAILED: Final = "its answer could not be had"

Ask = Callable[[Window, bool], Awaitable[Sequence[QuotedFinding]]]
"""Asks about one window; True when there are others. Raises: ModelError."""


@dataclass
class Reading:
    """What came of it. `unread` are windows and why; `failure` the first error of a window that was not read."""

    answers: list[tuple[Window, Sequence[QuotedFinding]]] = field(default_factory=list)
    unread: list[tuple[Sequence[Window], str]] = field(default_factory=list)
    too_long: set[int] = field(default_factory=set)
    failure: ModelError | None = None
    limit: int = MAX_CHARACTERS
    """The window that the model's context was found to hold."""

    def notes(self) -> list[str]:
        """Sentences for the user; none when the code was read in one go."""
        said = [PARTS_NOTE.format(count=len(self.answers))] if len(self.answers) > 1 else []
        read = [(window.first, window.last) for window, _ in self.answers]
        for windows, why in self.unread:
            missed = [span for window in windows for span in _without((window.first, window.last), read)]
            if missed:
                said.append(UNREAD_NOTE.format(lines=named_lines(missed), why=why))
        if self.too_long:
            said.append(UNREAD_NOTE.format(lines=named_lines((line, line) for line in self.too_long), why=TOO_LONG_LINES))
        return said

    def miss(self, windows: Sequence[Window], error: ModelError) -> None:
        """These were not read."""
        self.unread.append((windows, FAILED))
        self.failure = self.failure or error


async def read_all(task: Task, ask: Ask, calls_left: Callable[[], int], limit: int = MAX_CHARACTERS) -> Reading:
    """Ask about each window, in order. What was read stays when a later one fails. Raises: ModelError when nothing was read."""
    reading = Reading(limit=limit)
    waiting = _waiting(reading, cut(task.code, task.language, limit))
    is_long = len(waiting) > 1
    while waiting:
        if reading.answers and calls_left() <= KEPT_CALLS:
            reading.unread.append((tuple(waiting), NO_CALLS))
            break
        window = waiting.popleft()
        try:
            reading.answers.append((window, await ask(window, is_long)))
        except ContextTooLongError as error:
            smaller = max(MIN_CHARACTERS, min(reading.limit, len(window.text)) // SMALLER)
            if reading.limit < limit or smaller >= len(window.text):
                reading.miss((window, *waiting), error)
                break
            reading.limit, is_long = smaller, True
            waiting = _waiting(reading, cut(task.code, task.language, smaller, window.first))
        except (ModelOutputError, ModelRefusedError) as error:
            reading.miss((window,), error)  # the next window may be answered
        except ModelError as error:
            reading.miss((window, *waiting), error)
            break
    if reading.failure is not None and not reading.answers:
        raise reading.failure
    return reading


def _waiting(reading: Reading, made: Cut) -> deque[Window]:
    reading.too_long |= set(made.too_long)
    return deque(made.windows)


def _without(span: tuple[int, int], read: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines of `span` that stand in none of the others."""
    first, last = span
    for start, end in sorted(read):
        if start <= first <= end:
            first = end + 1
    return [(first, last)] if first <= last else []
