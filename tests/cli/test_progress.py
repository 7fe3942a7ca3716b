"""The line that says what a long task is doing."""

from __future__ import annotations

import io

from cli.console import of_bytes
from cli.progress import LineProgress, Progress


def printed(clock: list[float]) -> str:
    """What is printed when steps end at these times."""
    out = io.StringIO()
    with LineProgress(of_bytes(io.BytesIO(), out, io.StringIO(), {}), lambda: clock.pop(0)) as progress:
        for name in ("retrieve_memory", "manager", "reviewer"):
            progress.step(name)
    return out.getvalue()


def test_a_short_task_shows_nothing() -> None:
    """A line that comes and goes at once is flicker."""
    assert printed([0.0, 0.1, 0.2]) == ""


def test_a_long_task_shows_its_steps_and_then_nothing() -> None:
    """Only steps that mean something to a user; the line is cleared at the end."""
    text = printed([0.0, 1.0, 2.0])
    assert "asked the memory and the rules, reviewed" in text
    assert text.endswith("\r\x1b[K")


def test_a_pipe_shows_nothing() -> None:
    """The base does nothing at all."""
    with Progress() as progress:
        progress.step("reviewer")
