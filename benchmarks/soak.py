"""A thousand tasks in one piped session: does anything grow? `python -m benchmarks.soak [--quick]`"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import Measured, show
from benchmarks.sessions import PipedSession

SETTLED = 100
"""Tasks after which everything is imported and every cache is warm."""


def paste(number: int) -> str:
    """A new bug, a known one, a renamed one, and code without a bug, in turn."""
    kind = number % 4
    if kind == 0:
        loop = "    total = 0\n    for v in values:\n        total += v\n"
        return f"def mean{number}(values):\n{loop}    return total / len(values) + {number}\n"
    if kind == 1:
        return paste(number - 1)
    if kind == 2:
        return paste(number - 2).replace("values", "prices").replace("total", "amount")
    return f"def shift{number}(x):\n    return x + {number}\n"


def checkpoint_kb(home: Path) -> float:
    """Size of the checkpoint file with its write-ahead log, in units of 1,024 bytes."""
    return sum(path.stat().st_size for path in home.glob("sessions.sqlite3*")) / 1024


def main() -> int:
    """Run it and print the table; 1 when a limit is broken."""
    tasks = 160 if "--quick" in sys.argv else 1_000
    with tempfile.TemporaryDirectory() as folder, PipedSession(Path(folder)) as session:
        statuses: dict[str, int] = {}
        settled = biggest = 0.0
        start = time.perf_counter()
        for number in range(tasks):
            record, _ = session.ask(paste(number))
            if record["error"] is not None:
                raise SystemExit(f"task {number + 1} failed: {record['error']}")
            status = record["match"]["status"]
            statuses[status] = statuses.get(status, 0) + 1
            biggest = max(biggest, checkpoint_kb(Path(folder)))
            if number + 1 == SETTLED:
                settled = session.rss_kb() / 1024
        per_task_ms = 1_000 * (time.perf_counter() - start) / tasks
        grown = session.rss_kb() / 1024 - settled
        exit_code = session.finish()
        rows = [
            Measured(f"tasks answered (exit {exit_code})", tasks, "tasks"),
            Measured("largest checkpoint file during the run, with its log", biggest, "kB", 1_024),
            Measured("checkpoint file after the run", checkpoint_kb(Path(folder)), "kB", 1_024),
            Measured(f"resident memory after {SETTLED} tasks", settled, "MB"),
            Measured(f"growth of it in the other {tasks - SETTLED}", grown, "MB", 20),
            Measured("time a task, the mix of all", per_task_ms, "ms"),
        ]
    return show("soak", rows, [f"Matches: {statuses}."])


if __name__ == "__main__":
    sys.exit(main())
