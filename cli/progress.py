"""One line that says what a long task is doing; it is gone when the report comes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from cli.console import Console, ReaderGoneError
from errors import StorageFailedError
from schema.model_event import ModelEvent
from utils.terminal import clip

_QUIET_S = 0.3
"""Tasks shorter than this show nothing: a line that comes and goes at once is flicker."""
_CLEAR = "\r\x1b[K"
_DOING = {
    "retrieve_memory": "asked the memory and the rules",
    "reviewer": "reviewed",
    "fixer": "tried the fixes",
    "save_experience": "saved",
}
_PAUSE_S = 0.1
_ROLES = {"manager": "planning", "reviewer": "reviewing", "fixer": "fixing"}


def doing(event: ModelEvent) -> str:
    """What a model does, for a person: `reviewing: 320 characters`."""
    states = {
        "asking": "asked the model",
        "thinking": f"thinking, {event.characters} characters",
        "writing": f"{event.characters} characters",
        "waiting": f"the model is busy: next attempt in {event.wait_s:.0f} s",
    }
    return f"{_ROLES[event.role]}: {states[event.kind]}"


class Progress:
    """Shows nothing: for pipes, and the base of what a terminal shows."""

    def step(self, name: str) -> None:
        """A step has finished."""

    def model(self, event: ModelEvent) -> None:
        """A model does something."""

    def __enter__(self) -> Self:
        """The task begins."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """The task has ended, one way or the other."""


class LineProgress(Progress):
    """Writes the steps that are done on one line of the terminal."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._started = clock()
        self._done: list[str] = []
        self._shown = False
        self._said = 0.0
        self.doing = ""
        """What the model does now."""

    def step(self, name: str) -> None:
        """Add a step; the line appears once the task has taken a while."""
        if name not in _DOING:
            return
        self._done.append(_DOING[name])
        self._show()

    def model(self, event: ModelEvent) -> None:
        """Say what is waited for; at most ten times a second."""
        now = self._clock()
        if event.kind in {"thinking", "writing"} and now - self._said < _PAUSE_S:
            return
        self._said, self.doing = now, doing(event)
        with suppress(ReaderGoneError, StorageFailedError):  # a lost terminal is no fault of the call: the report will say it
            self._show(self.doing)

    def _show(self, now: str = "") -> None:
        if self._clock() - self._started >= _QUIET_S:
            self._shown = True
            parts = [*self._done, now] if now else self._done
            elapsed = f" ({self._clock() - self._started:.0f} s)" if now else ""
            self._console.out(_CLEAR + clip("... " + ", ".join(parts) + elapsed, self._console.columns() - 1))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take the line away."""
        if self._shown and not isinstance(error, ReaderGoneError):
            self._console.out(_CLEAR)
