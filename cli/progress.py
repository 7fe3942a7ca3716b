"""Shows what a long task is doing: a live line on a terminal, plain lines on a dumb one, notes about waits in a pipe.

The live line is repainted by a timer of the event loop; events of the task only change what it will say. The cursor stays at the
line's first cell: whatever the width was when it was painted and is now, erasing from there on takes all of it away.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

from cli.activity import Activity, waiting_words
from cli.console import Console, ReaderGoneError
from cli.quiet_keys import keys_unseen
from errors import StorageFailedError
from schema.model_event import ModelEvent
from schema.work_event import WorkEvent
from utils.terminal import ELLIPSIS, cell_width, clip

_QUIET_S = 0.3
"""Tasks shorter than this show nothing: a line that comes and goes at once is flicker."""
_LOOK_S = 0.2
"""How often is looked whether the line says something new; the time in it changes once a second."""
_PLAIN_S = 2.0
"""From when on a dumb terminal gets a line for each thing that a task does."""
_NARROW = 50
"""Cells below which only one time is told."""
_ERASE = "\r\x1b[J"


class Progress:
    """Shows nothing."""

    def step(self, name: str) -> None:
        """A step begins."""

    def model(self, event: ModelEvent) -> None:
        """A model does something."""

    def work(self, event: WorkEvent) -> None:
        """A test command or an analyser begins, or has ended."""

    def __enter__(self) -> Self:
        """The task begins."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """The task has ended, one way or the other."""


def progress_for(console: Console, *, is_text: bool) -> Progress:
    """What fits the output: a terminal that gets text sees a live line; else only waits are told, on standard error."""
    if not is_text or not console.paints:
        return NoteProgress(console)
    return PlainProgress(console) if console.environment.get("TERM") == "dumb" else LineProgress(console)


class NoteProgress(Progress):
    """One line on standard error when a wait begins: a pipe that is silent for minutes looks dead."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def model(self, event: ModelEvent) -> None:
        """Tell of a wait."""
        if event.kind == "waiting" and event.begins:
            self._console.note(f"codemind: {waiting_words(event)}")


class WatchingProgress(Progress, ABC):
    """Looks at what the task does, again and again, by a timer of the event loop."""

    def __init__(self, console: Console, activity: Activity | None = None) -> None:
        self._console = console
        self.activity = activity or Activity()
        self._timer: asyncio.TimerHandle | None = None
        self._entered = ExitStack()

    def step(self, name: str) -> None:
        """A step begins."""
        self.activity.step(name)

    def model(self, event: ModelEvent) -> None:
        """A model does something."""
        self.activity.model(event)

    def work(self, event: WorkEvent) -> None:
        """A program begins, or has ended."""
        self.activity.work(event)

    def __enter__(self) -> Self:
        """Start the timer. Keys are not echoed from now on: they would tear the line apart; what is typed is not lost."""
        self._entered.enter_context(keys_unseen(self._console.interactive))
        self._look_again()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop, and leave the terminal as it was."""
        if self._timer is not None:
            self._timer.cancel()
        self._entered.close()

    @abstractmethod
    def look(self) -> None:
        """Show what is new."""

    def _look_again(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_LOOK_S, self._tick)

    def _tick(self) -> None:
        # A lost terminal is no fault of the task: its report will say so.
        with suppress(ReaderGoneError, StorageFailedError):
            self.look()
            self._look_again()


class LineProgress(WatchingProgress):
    """One line, repainted in place."""

    _painted = ""

    def look(self) -> None:
        """Paint the line when it says something new."""
        if self.activity.age_s < _QUIET_S or not (words := self.activity.words()):
            return
        room = self._console.columns() - 1
        elapsed = self.activity.elapsed(briefly=room < _NARROW)
        time = f" ({elapsed})" if elapsed else ""
        line = clip(clip(f"{ELLIPSIS} {words}", max(1, room - cell_width(time))) + time, room)
        if line != self._painted:
            self._painted = line
            self._console.out(f"{_ERASE}{self._console.style().paint('faint', line)}\r")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take the line away."""
        super().__exit__(kind, error, trace)
        if self._painted and not isinstance(error, ReaderGoneError):
            self._console.out(_ERASE)


class PlainProgress(WatchingProgress):
    """For terminals without cursor movement: a whole line when a task that takes long goes over to something else."""

    _said = ""

    def model(self, event: ModelEvent) -> None:
        """Tell of a wait; else only what is done counts, not how far it is."""
        if event.kind != "waiting":
            super().model(event)
        elif event.begins:
            self._console.note(f"codemind: {waiting_words(event)}")

    def look(self) -> None:
        """Say what is done when that is something else than before."""
        words = self.activity.words().partition(":")[0]
        if self.activity.age_s >= _PLAIN_S and words and words != self._said:
            self._said = words
            self._console.out(f"... {words}\n")
