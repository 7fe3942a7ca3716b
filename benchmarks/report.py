"""Tables of measurements as Markdown, with the command and the date that made them."""

from __future__ import annotations

import os
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Measured:
    """One line of a table. `limit` is what the design allows; None when the number is shown for comparison only."""

    what: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def holds(self) -> bool:
        """True unless a limit is broken."""
        return self.limit is None or self.value <= self.limit


def figure(value: float) -> str:
    """Three digits that count, and every digit of a large number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def spread(values: Sequence[float]) -> str:
    """Smallest, median and largest, for a note under a table."""
    return f"{min(values):.3g} / {statistics.median(values):.3g} / {max(values):.3g}"


def machine() -> str:
    """What the numbers were measured on, without naming it."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def headed(title: str) -> str:
    """The command, the date and the machine, as the line above a table."""
    command = " ".join(["python -m", f"benchmarks.{title}", *sys.argv[1:]])
    return f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, {machine()}"


def show(title: str, rows: Sequence[Measured], notes: Sequence[str] = ()) -> int:
    """Print the table; return 1 when a limit is broken, so that CI can use it as a gate."""
    print(f"{headed(title)}\n")
    print("| what | measured | limit | holds |")
    print("|---|---|---|---|")
    for row in rows:
        limit = "" if row.limit is None else f"{figure(row.limit)} {row.unit}"
        holds = "" if row.limit is None else "yes" if row.holds else "**no**"
        print(f"| {row.what} | {figure(row.value)} {row.unit} | {limit} | {holds} |")
    for note in notes:
        print(f"\n{note}")
    print(flush=True)
    return 0 if all(row.holds for row in rows) else 1
