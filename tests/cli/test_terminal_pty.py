"""The interactive session on a real pseudo terminal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from errors import EXIT_INTERRUPTED
from tests.cli.harness import KEEP, CommandLine
from tests.cli.screen import PATIENCE_S, TYPED, Screen, opened, screen
from tests.cli.test_interrupt import in_the_middle_of_a_test, wait_until_runs

__all__ = ["screen"]  # the fixture


def test_paste_result_undo_quit(screen: Screen, codemind: CommandLine) -> None:
    """The first session of any user: a bracketed paste, its report, the save taken back, and out with status 0."""
    screen.type(f"\x1b[200~{KEEP}EOF\n\x1b[201~")
    report = screen.wait_for("nothing leaves this machine")
    assert "line 1" in report
    assert "+    if seen is None:" in report
    assert "saved as" in report
    screen.wait_for("code>")
    screen.type("/undo\r")
    screen.wait_for("Taken back: ")
    screen.wait_for("code>")
    screen.type("/quit\r")
    assert screen.end() == 0
    assert codemind.run("memory", "list").out == ""


@pytest.mark.parametrize("screen", [["--no-save"]], indirect=True)
def test_lines_as_key_strokes_and_commands(screen: Screen) -> None:
    """Without bracketed paste it is one task with all its lines; unknown commands are answered; Ctrl-D leaves."""
    screen.type("/nonsense\r")
    screen.wait_for("There is no command /nonsense")
    screen.type("/help\r")
    screen.wait_for("/discard")
    screen.type(TYPED)
    assert "def keep(x, seen=[]):" in screen.wait_for("nothing leaves this machine")
    screen.wait_for("code>")
    screen.type("\x04")
    assert screen.end() == 0


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the running test command in /proc")
@pytest.mark.parametrize("screen", [["--allow-unsandboxed", "--test-cmd", "sleep 60 # codemind-pty"]], indirect=True)
def test_control_c_everywhere(screen: Screen, codemind: CommandLine) -> None:
    """It discards a half-typed block, stops a running review of which nothing is kept, and never leaves."""
    screen.type("def half(x):\r\x03")
    screen.wait_for("discarded")
    screen.wait_for("code>")
    screen.type(TYPED)
    wait_until_runs("codemind-pty")
    screen.type("\x03")
    screen.wait_for("stopped; nothing of it was saved")
    screen.wait_for("code>")
    screen.type("\x03")
    screen.wait_for("(/quit leaves)")
    screen.type("x = 1\rEOF\r")
    screen.wait_for("nothing found")
    screen.wait_for("code>")
    screen.type("/quit\r")
    assert screen.end() == 0
    assert codemind.run("memory", "list").out == ""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the running test command in /proc")
@pytest.mark.parametrize("screen", [["--allow-unsandboxed", "--test-cmd", "sleep 60 # codemind-many"]], indirect=True)
def test_many_control_c_in_a_row_never_leave(screen: Screen) -> None:
    """While a task runs, while it is being dropped, and at the prompt; the stopped one can be run again."""
    screen.type(TYPED)
    wait_until_runs("codemind-many")
    screen.type("\x03\x03\x03")
    screen.wait_for("stopped; nothing of it was saved; /retry runs it again")
    screen.type("\x03\x03\x03\x03")
    screen.wait_for("/quit leaves")
    screen.type("/retry\r")
    screen.wait_for("running your test command")
    screen.type("\x03")
    screen.wait_for("stopped; nothing of it was saved")
    screen.wait_for("code>")
    screen.type("exit\r")


def test_the_case_of_control_c_typed_ahead(codemind: CommandLine) -> None:
    """terminal-ctrl-c, all keys at once: a discarded block, a task that is stopped before it began, another Ctrl-C, a task, and out."""
    with opened(codemind) as screen:
        screen.type("def half(x):\r\x03" + TYPED + "\x03\x03" + TYPED + "/quit\r")
        screen.wait_for("stopped before it began")
        assert "saved as" in screen.wait_for("nothing leaves this machine")
    assert codemind.run("memory", "list").out.count("\n") == 1


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the running test command in /proc")
def test_sigterm_during_a_task_ends_the_session(codemind: CommandLine) -> None:
    """It is no Ctrl-C: the session ends, and its task can be resumed."""
    arguments = ("--allow-unsandboxed", "--test-cmd", "sleep 60 # codemind-term")
    with opened(codemind, *arguments, status=EXIT_INTERRUPTED) as screen:
        screen.type(TYPED)
        wait_until_runs("codemind-term")
        screen.process.terminate()
    assert "An interrupted task" not in screen.unseen()
    with opened(codemind) as screen:
        screen.wait_for("An interrupted task is here (python, 3 lines")
        screen.type("/discard\r/quit\r")


@pytest.fixture
def killed(codemind: CommandLine) -> None:
    """A home in which a session was killed in the middle of a task."""
    process = in_the_middle_of_a_test(codemind, f"codemind-{os.getpid()}-killed")
    process.kill()
    process.communicate(timeout=PATIENCE_S)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the running test command in /proc")
@pytest.mark.usefixtures("killed")
def test_the_task_of_a_killed_session_is_offered(screen: Screen, codemind: CommandLine) -> None:
    """Above the prompt, while the user may type already; /discard forgets it."""
    screen.wait_for("An interrupted task is here (python, 3 lines, just now)")
    screen.type("/discard\r")
    screen.wait_for("forgotten: python, 3 lines")
    screen.wait_for("code>")
    screen.type("/resume\r")
    screen.wait_for("There is no interrupted task.")
    screen.wait_for("code>")
    screen.type("/quit\r")
    assert screen.end() == 0
    assert "no unfinished task" in codemind.run("resume").err
