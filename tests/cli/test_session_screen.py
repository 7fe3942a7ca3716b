"""What really stands on the terminal: the session on a pseudo terminal, its output read by an emulator."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pyte
import pytest

from tests.cli.harness import KEEP, CommandLine
from tests.cli.screen import Screen, opened

SLOW = ("--test-cmd", "sleep 3; false", "--allow-unsandboxed")
RUNNING = "running your test comm"
COUNTED = "running your test command ("
"""How the line goes on: seconds, which a busy machine may skip."""


class Emulator(pyte.Screen):
    """Answers the question where the cursor is, as a terminal does."""

    def __init__(self, columns: int, lines: int, terminal: int) -> None:
        super().__init__(columns, lines)
        self._terminal = terminal

    def write_process_input(self, data: str) -> None:
        """Type the answer."""
        os.write(self._terminal, data.encode())


class Emulated(Screen):
    """A session whose output goes to an emulator."""

    emulator: Emulator
    stream: pyte.ByteStream

    def _read(self, patience_s: float = 0.1) -> bool:
        before = len(self.printed)
        came = super()._read(patience_s)
        self.stream.feed(self.printed[before:])
        return came

    def answer_cursor(self) -> None:
        """The emulator does."""

    def rows(self) -> list[str]:
        """What stands on the screen."""
        return [row.rstrip() for row in self.emulator.display]


@contextmanager
def session(codemind: CommandLine, *arguments: str, columns: int = 80, rows: int = 24) -> Iterator[Emulated]:
    """A session at its first prompt."""
    with opened(codemind, *arguments, rows=rows, columns=columns) as plain:
        screen = Emulated(plain.process, plain.terminal, plain.printed, plain.seen)
        screen.emulator = Emulator(columns, rows, plain.terminal)
        screen.stream = pyte.ByteStream(screen.emulator)
        screen.stream.feed(plain.printed)
        yield screen
        screen.type("/quit\r")
        assert screen.end() == 0


def after_report(screen: Emulated) -> list[str]:
    """The rows of the screen once the prompt is back."""
    screen.wait_for("no model call")
    screen.wait_for("code>")
    screen.quiet()
    return screen.rows()


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20)])
def test_the_screen_after_a_paste(codemind: CommandLine, columns: int, rows: int) -> None:
    """The end of the report with the prompt below it, every row within the window, nothing torn or doubled."""
    with session(codemind, columns=columns, rows=rows) as screen:
        screen.paste(KEEP)
        shown = after_report(screen)

    at = shown.index("+    if seen is None:")
    assert shown[at : at + 4] == ["+    if seen is None:", "+        seen = []", "     seen.append(x)", "     return seen"]
    below = shown[at:]
    prompt = below.index("code>")
    assert "nothing leaves this machine" in " ".join(below[:prompt])
    assert not any(RUNNING in row or "asking the memory" in row for row in shown)


@pytest.mark.parametrize("columns", [80, 40])
def test_the_live_line_comes_and_goes(codemind: CommandLine, columns: int) -> None:
    """A slow test command is seen to run, second by second; keys typed meanwhile tear nothing and come to the prompt."""
    with session(codemind, *SLOW, columns=columns) as screen:
        screen.paste(KEEP)
        screen.wait_for(COUNTED)
        screen.type("\rx = 1")
        screen.wait_for(COUNTED)
        assert sum(RUNNING in row for row in screen.rows()) == 1
        assert not any("x = 1" in row for row in screen.rows())
        shown = after_report(screen)
        screen.type("\x03")
        screen.wait_for("code>")

    assert not any(RUNNING in row for row in shown)
    assert any("x = 1" in row for row in shown)


def test_control_c_leaves_no_live_line(codemind: CommandLine) -> None:
    """The prompt comes back on a clean screen, and keys are seen again."""
    with session(codemind, *SLOW) as screen:
        screen.paste(KEEP)
        screen.wait_for(COUNTED)
        screen.type("\x03")
        screen.wait_for("stopped")
        screen.wait_for("code>")
        screen.quiet()
        assert not any(RUNNING in row or "^C" in row for row in screen.rows())


def test_a_narrower_window_leaves_nothing_of_the_line(codemind: CommandLine) -> None:
    """The line is cut to the new width at its next second."""
    with session(codemind, *SLOW) as screen:
        screen.paste(KEEP)
        screen.wait_for(COUNTED)
        screen.resize(24, 30)
        screen.emulator.resize(24, 30)
        screen.wait_for("running your test co… (")
        assert [row[:-5] for row in screen.rows() if "running" in row] == ["… running your test co… "]
        after_report(screen)
        assert not any("…" in row and "running" in row for row in screen.rows())
