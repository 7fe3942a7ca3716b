"""How far a long command is, on standard error: a live line on a terminal, in a pipe a line every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from cli.console import Console
from utils.terminal import ELLIPSIS, clip

_QUIET_S = 0.5
_LOOK_S = 0.2
_PLAIN_S = 10.0
_MINUTE_S, _HOUR_S = 60, 3600
_ERASE = "\r\x1b[J"


class ToldLine:
    """The line and when it is due. Work that ends at once shows nothing. `clock` gives seconds."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self.stored = 0
        """What is safe, whatever happens now."""
        self._console = console
        self._clock = clock
        self._is_live = console.stderr.isatty() and console.environment.get("TERM") != "dumb"
        self._began = self._told = clock()
        self._painted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take the line away."""
        self.clear()

    def clear(self) -> None:
        """Make room for output."""
        if self._painted:
            self._painted = False
            self._write(_ERASE)

    def tell(self, words: Callable[[], str], *, is_last: bool = False) -> None:
        """Show what is true now, when it is time to; the last word waits only for as long as the whole must last to be told of."""
        now = self._clock()
        pause = _LOOK_S if self._is_live else _PLAIN_S
        if now - self._began < (_QUIET_S if self._is_live else _PLAIN_S) or (now - self._told < pause and not is_last):
            return
        self._told = now
        if self._is_live:
            self._painted = True
            self._write(f"{_ERASE}{clip(f'{ELLIPSIS} {words()}', max(10, self._console.columns() - 1))}\r")
        else:
            self._console.note(f"codemind: {words()}")

    def time_left(self, done: int, total: int) -> str:
        """At the pace so far, in words. `done` is not 0."""
        whole = max(1, round((self._clock() - self._began) * (total - done) / done))
        if whole < _MINUTE_S:
            return f"{whole} s"
        hours, minutes = whole // _HOUR_S, whole % _HOUR_S // _MINUTE_S
        return f"{hours} h {minutes} min" if hours else f"{minutes} min"

    def _write(self, text: str) -> None:
        try:
            self._console.stderr.write(text)
            self._console.stderr.flush()
        except (OSError, ValueError):
            return  # who can't be told goes on working
