"""How far the reading of a history is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.told_line import ToldLine

if TYPE_CHECKING:
    from wiring_memory import GitReport


class GitProgress(ToldLine):
    """Told every few commits; `stored` counts functions that are safe."""

    def __call__(self, report: GitReport) -> None:
        """Some more commits are read."""
        self.stored = report.stored.stored
        self.tell(lambda: self._words(report))

    def _words(self, report: GitReport) -> str:
        said = f"reading: {report.commits} of {report.total} commits, {report.taken} bug fixes"
        if not 0 < report.commits < report.total:
            return said
        return f"{said}, about {self.time_left(report.commits, report.total)} left"
