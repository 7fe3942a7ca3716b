"""What is shown while a task runs."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TextIO, get_args

import pyte
import pytest

from cli.activity import Activity, model_words, waiting_words
from cli.console import Console, ReaderGoneError, of_bytes
from cli.progress import LineProgress, NoteProgress, PlainProgress, Progress, progress_for
from schema.model_event import ModelEvent, WaitCause
from schema.work_event import WorkEvent

TESTS_BEGIN = WorkEvent("tests", "your test command", begins=True)
TESTS_END = WorkEvent("tests", "your test command", begins=False)


@dataclass
class Clock:
    """Stands still until a test moves it."""

    now: float = 0.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


@dataclass
class Terminal:
    """A terminal with a clock: what is written to it goes to an emulator."""

    columns: int = 80
    term: str = "xterm"
    out: TextIO = field(default_factory=io.StringIO)
    err: io.StringIO = field(default_factory=io.StringIO)
    clock: Clock = field(default_factory=Clock)

    @property
    def console(self) -> Console:
        """Its streams; no key is typed."""
        console = of_bytes(io.BytesIO(), self.out, self.err, {"TERM": self.term})
        return replace(console, paints=True, columns=lambda: self.columns)

    def line(self) -> LineProgress:
        """A live line on it."""
        return LineProgress(self.console, Activity(self.clock))

    @property
    def written(self) -> str:
        """All that came."""
        assert isinstance(self.out, io.StringIO)
        return self.out.getvalue()

    def rows(self) -> list[str]:
        """What stands on the screen now, blank rows left out."""
        screen = pyte.Screen(self.columns, 24)
        pyte.Stream(screen).feed(self.written.replace("\n", "\r\n"))
        return [row.rstrip() for row in screen.display if row.strip()]


def shown(*moments: tuple[float, Callable[[LineProgress], None]], columns: int = 80) -> str:
    """The line after these things happened at these seconds."""
    terminal = Terminal(columns)
    progress = terminal.line()
    for second, happens in moments:
        terminal.clock.now = second
        happens(progress)
    progress.look()
    (row,) = terminal.rows()
    return row


def test_a_short_task_shows_nothing() -> None:
    """A line that comes and goes at once is flicker."""
    terminal = Terminal()
    progress = terminal.line()
    progress.step("retrieve_memory")
    terminal.clock.now = 0.2
    progress.look()
    assert terminal.written == ""


def test_the_running_step_is_shown_with_its_time() -> None:
    """In words; steps that mean nothing to a user change nothing."""
    begins = (0.0, lambda progress: progress.step("retrieve_memory"))
    assert shown(begins, (2.0, lambda _: None)) == "… asking the memory and the rules (2 s)"
    assert shown(begins, (1.0, lambda progress: progress.step("fixer")), (3.0, lambda _: None)) == "… looking for a fix (2 s)"
    assert shown(begins, (2.0, lambda progress: progress.step("summarize"))) == "… asking the memory and the rules (2 s)"


def test_before_the_first_step_it_starts() -> None:
    """The first task of a session imports for seconds: a screen that is still looks dead."""
    assert shown((0.0, lambda _: None), (4.0, lambda _: None)) == "… starting (4 s)"


def test_a_step_that_began_late_has_a_time_of_its_own() -> None:
    """And the whole task's time beside it."""
    late = (10.0, lambda progress: progress.step("fixer"))
    assert shown(late, (14.0, lambda _: None)) == "… looking for a fix (4 s of 14 s)"
    assert shown(late, (14.0, lambda _: None), columns=40) == "… looking for a fix (14 s)"


def test_a_running_test_command_is_shown() -> None:
    """While it runs, and no longer."""
    began = [(0.0, lambda progress: progress.step("fixer")), (1.0, lambda progress: progress.work(TESTS_BEGIN))]
    assert shown(*began, (13.0, lambda _: None)) == "… running your test command (12 s)"
    assert shown(*began, (13.0, lambda progress: progress.work(TESTS_END))) == "… looking for a fix (13 s)"


def test_a_slow_linter_is_named() -> None:
    """Who waits wants to know for whom."""
    ruff = WorkEvent("check", "ruff \x1b[1m0.17.6", begins=True)
    assert shown((0.0, lambda progress: progress.work(ruff)), (4.0, lambda _: None)) == "… checking with ruff \\x1b[1m0.17.6 (4 s)"


def test_a_model_at_work_is_shown() -> None:
    """What it does, how much came, and a countdown between attempts."""
    step = (0.0, lambda progress: progress.step("reviewer"))
    asks = (0.0, lambda progress: progress.model(ModelEvent("asking", "reviewer")))
    writes = (2.0, lambda progress: progress.model(ModelEvent("writing", "reviewer", characters=320)))
    waits = (2.0, lambda progress: progress.model(ModelEvent("waiting", "reviewer", 0, 3.0, 2, 4, begins=True)))
    assert shown(step, asks, (1.0, lambda _: None)) == "… reviewing: waiting for the model (1 s)"
    assert shown(step, asks, writes) == "… reviewing: 320 characters so far (2 s)"
    assert shown(step, asks, waits) == "… model busy: attempt 2 of 4 in 3 s"


@pytest.mark.parametrize("cause", get_args(WaitCause))
def test_a_wait_says_what_really_happened(cause: WaitCause) -> None:
    """A timeout is not called a busy model; the countdown is seen at 40 columns whatever the cause."""
    event = ModelEvent("waiting", "reviewer", 0, 3.0, 2, 4, begins=True, cause=cause)
    assert ("busy" in waiting_words(event), "busy" in model_words(event)) == (cause == "busy", cause == "busy")
    assert shown((0.0, lambda progress: progress.model(event)), (9.0, lambda _: None), columns=40).endswith(": attempt 2 of 4 in 3 s")


def test_a_narrow_line_keeps_its_time() -> None:
    """The words are cut, the row is not overrun, and a countdown is there as a whole."""
    asks = (0.0, lambda progress: progress.model(ModelEvent("asking", "reviewer")))
    waits = (9.0, lambda progress: progress.model(ModelEvent("waiting", "reviewer", 0, 3.0, 2, 4)))
    assert shown(asks, (9.0, lambda _: None), columns=30) == "… reviewing: waiting f… (9 s)"
    assert shown(asks, waits, columns=40) == "… model busy: attempt 2 of 4 in 3 s"


def test_a_line_that_says_the_same_is_not_painted_again() -> None:
    """Nothing is written five times a second."""
    terminal = Terminal()
    progress = terminal.line()
    progress.step("fixer")
    terminal.clock.now = 1.0
    for _ in range(5):
        progress.look()
    assert terminal.written.count("looking") == 1


@pytest.mark.parametrize("columns", [80, 33, 10])
async def test_nothing_is_left_of_the_line(columns: int) -> None:
    """Also when the window became narrower and the terminal broke the line in two or nine."""
    terminal = Terminal(columns=80)
    with terminal.line() as progress:
        progress.step("retrieve_memory")
        terminal.clock.now = 1.0
        progress.look()
        terminal.out.write(reflowed(terminal, columns))
        terminal.columns = columns
    assert terminal.rows() == []


def reflowed(terminal: Terminal, columns: int) -> str:
    """What a terminal that folds its lines does at a resize: the same text in more rows, the cursor on the same character."""
    (row,) = terminal.rows()
    pieces = [row[at : at + columns] for at in range(0, len(row), columns)]
    assert terminal.written.endswith("\r")
    back = f"\x1b[{len(pieces) - 1}A" if len(pieces) > 1 else ""
    return "\x1b[2J\x1b[H" + "\n".join(pieces) + back + "\r"


async def test_the_line_ticks_by_itself() -> None:
    """Nothing happens in the task, and still the line comes."""
    terminal = Terminal()
    with terminal.line() as progress:
        progress.step("fixer")
        terminal.clock.now = 7.0
        await until(lambda: "looking for a fix (7 s)" in terminal.written)
        terminal.clock.now = 8.0
        await until(lambda: "looking for a fix (8 s)" in terminal.written)
    assert terminal.rows() == []


@pytest.mark.parametrize("error", [KeyError("x"), asyncio.CancelledError()])
async def test_a_task_that_fails_leaves_no_line(error: BaseException) -> None:
    """Nor does one that is cancelled."""
    terminal = Terminal()

    async def fail() -> None:
        with terminal.line() as progress:
            progress.step("fixer")
            terminal.clock.now = 1.0
            progress.look()
            raise error

    with pytest.raises(type(error)):
        await fail()
    assert "looking for a fix" in terminal.written
    assert terminal.rows() == []


async def test_a_terminal_that_is_gone_is_no_fault_of_the_task() -> None:
    """It goes on; the report will find out, and nothing is written behind it."""
    terminal = Terminal(out=Gone())

    async def report_fails() -> None:
        with terminal.line() as progress:
            progress.step("fixer")
            terminal.clock.now = 1.0
            await until(lambda: terminal.out.closed)
            raise ReaderGoneError

    with pytest.raises(ReaderGoneError):
        await report_fails()


class Gone(io.StringIO):
    """A stream that nobody reads: it closes at the first word."""

    def write(self, text: str) -> int:
        """Raise BrokenPipeError."""
        self.close()
        raise BrokenPipeError


async def until(happened: Callable[[], bool]) -> None:
    """Wait, however long it takes on a busy machine."""
    while not happened():  # noqa: ASYNC110 - what is waited for is what a timer writes: there is no event
        await asyncio.sleep(0.01)


async def test_a_dumb_terminal_gets_whole_lines() -> None:
    """No cursor movement, no line a second: one for each thing that takes long."""
    terminal = Terminal(term="dumb")
    with PlainProgress(terminal.console, Activity(terminal.clock)) as progress:
        progress.step("retrieve_memory")
        progress.look()
        for second in (3.0, 4.0, 5.0):
            terminal.clock.now = second
            progress.step("reviewer")
            progress.model(ModelEvent("writing", "reviewer", characters=int(second)))
            progress.look()
        progress.model(ModelEvent("waiting", "reviewer", 0, 3.0, 2, 4, begins=True))
        progress.model(ModelEvent("waiting", "reviewer", 0, 2.0, 2, 4))
        progress.look()
    assert terminal.written == "... reviewing\n"
    assert terminal.err.getvalue() == "codemind: the model is busy; attempt 2 of 4 in 3 s\n"


def test_a_pipe_is_told_of_each_wait_once() -> None:
    """On standard error, so that standard output stays the report."""
    out, err = io.StringIO(), io.StringIO()
    with NoteProgress(of_bytes(io.BytesIO(), out, err, {})) as progress:
        progress.step("reviewer")
        progress.work(TESTS_BEGIN)
        for left in (3.0, 2.0, 1.0):
            progress.model(ModelEvent("waiting", "reviewer", 0, left, 2, 4, begins=left == 3.0))
        progress.model(ModelEvent("writing", "reviewer", characters=9))
    assert out.getvalue() == ""
    assert err.getvalue() == "codemind: the model is busy; attempt 2 of 4 in 3 s\n"


def test_what_is_shown_fits_the_output() -> None:
    """A live line is for text on a terminal that moves its cursor."""
    terminal, dumb = Terminal().console, Terminal(term="dumb").console
    pipe = replace(terminal, paints=False)
    assert type(progress_for(terminal, is_text=True)) is LineProgress
    assert type(progress_for(dumb, is_text=True)) is PlainProgress
    assert type(progress_for(terminal, is_text=False)) is NoteProgress
    assert type(progress_for(pipe, is_text=True)) is NoteProgress


def test_progress_can_show_nothing() -> None:
    """The base does nothing at all."""
    with Progress() as progress:
        progress.step("reviewer")
        progress.work(TESTS_BEGIN)
        progress.model(ModelEvent("asking", "reviewer"))
