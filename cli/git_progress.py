"""How far the reading of a history is, on standard error: a live line on a terminal, in a pipe a line every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from cli.console import Console
from utils.terminal import ELLIPSIS, clip

if TYPE_CHECKING:
    from wiring_memory import GitReport

_QUIET_S = 0.5
_LOOK_S = 0.2
_PLAIN_S = 10.0
_ERASE = "\r\x1b[J"


class GitProgress:
    """Told every few commits. A history that is read at once shows nothing. `clock` gives seconds."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self.stored = 0
        """Functions that are safe, whatever happens now."""
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

    def __call__(self, report: GitReport) -> None:
        """Some more commits are read."""
        self.stored = report.stored.stored
        now = self._clock()
        if self._is_live and now - self._began >= _QUIET_S and now - self._told >= _LOOK_S:
            self._told, self._painted = now, True
            self._write(f"{_ERASE}{clip(f'{ELLIPSIS} {self._words(report, now)}', max(10, self._console.columns() - 1))}\r")
        elif not self._is_live and now - self._told >= _PLAIN_S:
            self._told = now
            self._console.note(f"codemind: {self._words(report, now)}")

    def clear(self) -> None:
        """Make room for output."""
        if self._painted:
            self._painted = False
            self._write(_ERASE)

    def _words(self, report: GitReport, now: float) -> str:
        said = f"reading: {report.commits} of {report.total} commits, {report.taken} bug fixes"
        left = (now - self._began) * (report.total - report.commits) / max(1, report.commits)
        return f"{said}, about {max(1, round(left))} s left" if report.commits < report.total else said

    def _write(self, text: str) -> None:
        try:
            self._console.stderr.write(text)
            self._console.stderr.flush()
        except (OSError, ValueError):
            return  # who can't be told goes on reading
