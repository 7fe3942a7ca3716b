"""How far a seed is, on standard error: a live line on a terminal, in a pipe a line every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from cli.console import Console
from utils.terminal import ELLIPSIS, clip

if TYPE_CHECKING:
    from wiring_memory import SeedReport

_QUIET_S = 0.5
_LOOK_S = 0.2
_PLAIN_S = 10.0
_MINUTE_S, _HOUR_S = 60, 3600
_ERASE = "\r\x1b[J"


class SeedProgress:
    """Told of each slice once it is stored. A seed that ends at once shows nothing. `clock` gives seconds."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self.stored = 0
        """Lines whose fix is safe, whatever happens now."""
        self._console = console
        self._clock = clock
        self._is_live = console.stderr.isatty() and console.environment.get("TERM") != "dumb"
        self._began = self._told = clock()
        self._painted = False
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take the line away."""
        if self._painted:
            self._write(_ERASE)

    def __call__(self, report: SeedReport) -> None:
        """One more slice is stored."""
        self.stored = report.stored
        now = self._clock()
        if self._is_over:
            return
        self._is_over = _is_read(report)
        if self._is_live and now - self._began >= _QUIET_S and (now - self._told >= _LOOK_S or self._is_over):
            self._told, self._painted = now, True
            words = clip(f"{ELLIPSIS} {self._words(report, now)}", max(10, self._console.columns() - 1))
            self._write(f"{_ERASE}{words}\r")
        elif not self._is_live and now - self._began >= _PLAIN_S and (now - self._told >= _PLAIN_S or self._is_over):
            self._told = now
            self._console.note(f"codemind: {self._words(report, now)}")

    def _words(self, report: SeedReport, now: float) -> str:
        said = f"{report.lines} lines, {report.added + report.updated} new"
        if _is_read(report):
            return f"learnt: {said}; now the vector index"
        done, total = report.read_bytes, report.total_bytes
        if not 0 < done < total:
            return f"learning: {said}"
        return f"learning: {said}, {100 * done // total} %, about {_duration((now - self._began) * (total - done) / done)} left"

    def _write(self, text: str) -> None:
        try:
            self._console.stderr.write(text)
            self._console.stderr.flush()
        except (OSError, ValueError):
            return  # who can't be told goes on learning


def _is_read(report: SeedReport) -> bool:
    """Nothing is left to read: what comes is not told of again."""
    return 0 < report.total_bytes <= report.read_bytes


def _duration(seconds: float) -> str:
    whole = max(1, round(seconds))
    if whole < _MINUTE_S:
        return f"{whole} s"
    hours, minutes = whole // _HOUR_S, whole % _HOUR_S // _MINUTE_S
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
