"""The line that says what a long task is doing."""

from __future__ import annotations

import io

from cli.console import of_bytes
from cli.progress import LineProgress, Progress
from schema.model_event import ModelEvent


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


def test_a_model_at_work_is_shown() -> None:
    """What it does and for how long, a countdown between attempts; words that pour in are not all shown."""
    out = io.StringIO()
    times = iter([0.0, *[1.0] * 3, *[1.05] * 1, *[2.0] * 3])
    with LineProgress(of_bytes(io.BytesIO(), out, io.StringIO(), {}), lambda: next(times)) as progress:
        progress.model(ModelEvent("writing", "reviewer", characters=320))
        progress.model(ModelEvent("writing", "reviewer", characters=321))
        progress.model(ModelEvent("waiting", "fixer", wait_s=3.0))

    assert "reviewing: 320 characters (1 s)" in out.getvalue()
    assert "321" not in out.getvalue()
    assert "fixing: the model is busy: next attempt in 3 s (2 s)" in out.getvalue()


def test_a_terminal_that_is_gone_is_no_fault_of_the_model() -> None:
    """Its call goes on; the report will find out."""
    times = iter([0.0, *[1.0] * 3])
    progress = LineProgress(of_bytes(io.BytesIO(), Gone(), io.StringIO(), {}), lambda: next(times))

    progress.model(ModelEvent("asking", "manager"))

    assert progress.doing == "planning: asked the model"


class Gone(io.StringIO):
    """A stream that nobody reads."""

    def write(self, text: str) -> int:
        """Raise BrokenPipeError."""
        raise BrokenPipeError


def test_a_pipe_shows_nothing() -> None:
    """The base does nothing at all."""
    with Progress() as progress:
        progress.step("reviewer")
