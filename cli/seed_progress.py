"""How far a seed is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cli.console import Console
from cli.told_line import ToldLine

if TYPE_CHECKING:
    from wiring_memory import SeedReport


class SeedProgress(ToldLine):
    """Told of each slice once it is stored; `stored` counts lines whose fix is safe."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic, *, is_dry: bool = False) -> None:
        super().__init__(console, clock)
        self._is_dry = is_dry
        self._is_over = False

    def __call__(self, report: SeedReport) -> None:
        """One more slice is stored."""
        self.stored = report.stored
        if self._is_over:
            return
        self._is_over = _is_read(report)
        self.tell(lambda: self._words(report), is_last=self._is_over)

    def _words(self, report: SeedReport) -> str:
        said = f"{report.lines} lines, {report.added + report.updated} new"
        doing = "reading" if self._is_dry else "learning"
        if _is_read(report):
            return f"read: {said}" if self._is_dry else f"learnt: {said}; now the vector index"
        done, total = report.read_bytes, report.total_bytes
        if not 0 < done < total:
            return f"{doing}: {said}"
        return f"{doing}: {said}, {100 * done // total} %, about {self.time_left(done, total)} left"


def _is_read(report: SeedReport) -> bool:
    """Nothing is left to read: what comes is not told of again."""
    return 0 < report.total_bytes <= report.read_bytes
