"""One line that says what a long task is doing; it is gone when the report comes."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from cli.console import Console, ReaderGoneError
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


class Progress:
    """Shows nothing: for pipes, and the base of what a terminal shows."""

    def step(self, name: str) -> None:
        """A step has finished."""

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

    def step(self, name: str) -> None:
        """Add a step; the line appears once the task has taken a while."""
        if name not in _DOING:
            return
        self._done.append(_DOING[name])
        if self._clock() - self._started >= _QUIET_S:
            self._shown = True
            self._console.out(_CLEAR + clip("... " + ", ".join(self._done), self._console.columns() - 1))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take the line away."""
        if self._shown and not isinstance(error, ReaderGoneError):
            self._console.out(_CLEAR)
