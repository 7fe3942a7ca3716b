"""How long until the first prompt, and until a known paste is answered. `python -m benchmarks.startup [--quick]`"""

from __future__ import annotations

import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.report import Measured, show, spread
from benchmarks.sessions import MAIN, ROOT, PipedSession, environment, run

PROMPT = b"code>"
PROMPT_LIMIT_S = 30.0
BUG = "def mean(values):\n    return sum(values) / len(values)\n"
EVERYTHING_FIRST = "import sys; sys.path.insert(0, {root!r}); import wiring; wiring.warm_up(); import main; sys.exit(main.main())"


def first_prompt_s(command: Sequence[str], home: Path) -> float:
    """Seconds from the start of the process to the prompt on an 80 x 24 terminal."""
    start = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], list(command), environment(home) | {"TERM": "xterm"})  # noqa: S606 - our own interpreter
    try:
        wait_for(terminal, PROMPT)
        return time.perf_counter() - start
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def wait_for(terminal: int, text: bytes) -> None:
    """Read until the text is on the screen. Raises TimeoutError."""
    seen = b""
    deadline = time.monotonic() + PROMPT_LIMIT_S
    while text not in seen:
        if not select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise TimeoutError(f"no prompt; the screen shows {seen[-200:]!r}")
        seen += os.read(terminal, 4096)


def timed(action: Callable[[], object]) -> float:
    """Seconds that the action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def cold_graph(home: Path) -> None:
    """A process of its own for one known paste."""
    done = run(home, ["--json"], f"{BUG}EOF\n")
    if '"IDENTICAL"' not in done.stdout:
        raise RuntimeError(f"not answered from memory: {done.stderr.strip()}")


def cold_recall(home: Path) -> None:
    """`recall` of a known paste."""
    done = run(home, ["recall", "-", "--json"], BUG)
    if '"IDENTICAL"' not in done.stdout:
        raise RuntimeError(f"not answered from memory: {done.stderr.strip()}")


def warm_graph_s(home: Path, times: int) -> list[float]:
    """Seconds of each of so many known pastes in a session that is warm."""
    with PipedSession(home) as session:
        for _ in range(3):
            session.ask(BUG)
        return [session.ask(BUG)[1] for _ in range(times)]


def main() -> int:
    """Measure and print the table; 1 when a limit is broken."""
    times = 3 if "--quick" in sys.argv else 11
    everything_first = [sys.executable, "-c", EVERYTHING_FIRST.format(root=str(ROOT))]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        run(home, ["--json"], f"{BUG}EOF\n")
        prompt = [first_prompt_s(MAIN, home) for _ in range(times)]
        imported = [first_prompt_s(everything_first, home) for _ in range(times)]
        warm = warm_graph_s(home, 3 * times)
        cold = [timed(lambda: cold_graph(home)) for _ in range(times)]
        recall = [timed(lambda: cold_recall(home)) for _ in range(times)]
        rows = [
            Measured("first prompt", statistics.median(prompt), "s", 0.3),
            Measured("first prompt when everything is imported first", statistics.median(imported), "s"),
            Measured("IDENTICAL in a warm session", 1_000 * statistics.median(warm), "ms", 100),
            Measured("IDENTICAL from a cold start through the graph", statistics.median(cold), "s", 2),
            Measured("`recall` from a cold start", statistics.median(recall), "s", 0.4),
        ]
    measured = {"prompt": prompt, "everything first": imported, "warm": warm, "cold": cold, "recall": recall}
    notes = [f"Medians of {times} runs ({3 * times} for the warm session). Least / median / most, in seconds: "]
    notes[0] += "; ".join(f"{name} {spread(values)}" for name, values in measured.items()) + "."
    return show("startup", rows, notes)


if __name__ == "__main__":
    sys.exit(main())
