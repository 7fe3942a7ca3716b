"""The prompt on a real pseudo terminal: pastes of all kinds, windows of all sizes, and what is left behind."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.harness import KEEP, CommandLine
from tests.cli.screen import Screen, opened, screen
from tests.cli.test_interrupt import wait_until_runs

__all__ = ["screen"]  # the fixture

REPORTED = "nothing leaves this machine"
ESCAPES = (
    "# \x1b]0;owned\x07\x1b[2K\x1b[1GALL CHECKS PASSED\ndef calc(expr):\n    return eval(expr)  # \x1b]8;;http://198.51.100.7/\x1b\\docs\n"
)
_COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-79]|4[0-79]|9[0-7]|38;|48;)[0-9;]*m")


@pytest.mark.parametrize("screen", [["--no-save"]], indirect=True)
def test_a_paste_of_5000_lines_is_one_task(screen: Screen) -> None:
    """Bracketed; nothing of it is coloured, and the report is on its last line too."""
    code = "".join(f"x{number} = {number}\n" for number in range(4_999)) + "print(eval(input()))\n"
    screen.paste(code)
    assert "line 5000" in screen.wait_for(REPORTED)
    screen.wait_for("code>")
    screen.type("/quit\r")


@pytest.mark.parametrize("screen", [["--no-save", "--lang", "python"]], indirect=True)
def test_300_lines_as_key_strokes_are_one_task(screen: Screen) -> None:
    """A terminal without bracketed paste; what looks like a command is code behind the first line."""
    screen.type("".join(f"y{number} = {number}\r" for number in range(298)) + "/quit\ry = 1\rEOF\r")
    assert "line 299" in screen.wait_for(REPORTED)
    screen.wait_for("code>")
    screen.type("/quit\r")


def test_control_sequences_of_a_paste_stay_text(screen: Screen) -> None:
    """terminal-escape-codes: neither the prompt nor the report sends one of them to the terminal."""
    screen.type(f"\x1b[200~{ESCAPES}\x1b[201~")
    screen.wait_for("ALL CHECKS PASSED")
    screen.type("EOF\r")
    assert "line 3" in screen.wait_for(REPORTED)
    screen.wait_for("code>")
    screen.type("/quit\r")
    screen.end()
    assert not [sequence for sequence in (b"\x1b]0;", b"\x1b[2K", b"\x1b]8;;", b"\x07") if sequence in screen.printed]


def test_the_end_of_a_paste_inside_a_paste_approves_and_writes_nothing(codemind: CommandLine, tmp_path: Path) -> None:
    """The commands behind it are left out, and the user is told."""
    with opened(codemind, cwd=tmp_path) as screen:
        screen.type(f"\x1b[200~{KEEP}EOF\n\x1b[201~\r/accept\r/write evil.py\r\x1b[201~")
        screen.wait_for("what came behind the end of the paste was left out")
        screen.wait_for(REPORTED)
        screen.wait_for("code>")
        screen.quiet()
        screen.type("/undo\r")
        assert "the save of paste 1" in screen.wait_for("Taken back: ")
        screen.type("/quit\r")
    assert not (tmp_path / "evil.py").exists()


def test_every_line_fits_40_columns(codemind: CommandLine) -> None:
    """Welcome, help, menu, report and the line below the prompt."""
    with opened(codemind, rows=20, columns=40) as screen:
        screen.type("/help\r")
        lines = screen.wait_for("/discard").splitlines()
        screen.wait_for("code>")
        screen.type("/w\t\r")
        screen.wait_for("Nothing was reviewed yet")
        screen.paste(KEEP)
        lines += screen.wait_for("nothing leaves this machine").splitlines()
        screen.wait_for("code>")
        screen.type("/quit\r")
    # The line below the prompt is followed by a movement back up to it, which is left out of what was read: two rows, not one.
    rows = [row for line in lines for row in line.replace("code> ", "\ncode> ").split("\n")]
    assert [row for row in rows if len(row.rstrip()) > 40 and "\x1b" not in row] == []


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the running test command in /proc")
@pytest.mark.parametrize("screen", [["--no-save", "--allow-unsandboxed", "--test-cmd", "sleep 60 # codemind-size"]], indirect=True)
def test_the_window_changes_its_size(screen: Screen) -> None:
    """At the prompt with half a block typed, and while a task runs: the next help has the new width."""
    screen.type("def keep(x, seen=[]):\r")
    screen.resize(20, 40)
    screen.wait_for("code stays here")
    screen.type("    seen.append(x)\r    return seen\rEOF\r")
    wait_until_runs("codemind-size")
    screen.resize(30, 60)
    screen.type("\x03")
    screen.wait_for("stopped; nothing of it was saved")
    screen.wait_for("code>")
    screen.type("/help\r")
    lines = screen.wait_for("/discard").splitlines()
    assert 40 < max(len(line.rstrip()) for line in lines if line.startswith("  /")) <= 60
    screen.wait_for("code>")
    screen.type("/quit\r")


@pytest.mark.parametrize("variables", [(), (("NO_COLOR", "1"),)])
def test_no_color_is_obeyed(codemind: CommandLine, variables: tuple[tuple[str, str], ...]) -> None:
    """In the prompt and in the report; without it both have colours."""
    with opened(replace(codemind, environment=variables)) as screen:
        screen.wait_for("0 memories")
        screen.type(f"\x1b[200~{KEEP}\x1b[201~")
        screen.quiet()
        while not variables and not _COLOUR.search(screen.printed):
            screen.quiet()
        edited = len(_COLOUR.findall(screen.printed))
        screen.type("EOF\r")
        screen.wait_for(REPORTED)
        screen.wait_for("code>")
        screen.type("/quit\r")
    assert (edited > 0, len(_COLOUR.findall(screen.printed)) > edited) == ((False, False) if variables else (True, True))


def test_a_dumb_terminal_has_a_session_too(codemind: CommandLine) -> None:
    """Nothing but text is written to it."""
    with opened(codemind, term="dumb") as screen:
        screen.type("/undo\r")
        screen.wait_for("nothing to take back")
        screen.wait_for("code>")
        screen.type(KEEP.replace("\n", "\r") + "EOF\r")
        screen.wait_for(REPORTED)
        screen.wait_for("code>")
        screen.type("/quit\r")
    assert b"\x1b" not in screen.printed


def test_a_later_session_recalls_commands_and_no_code(codemind: CommandLine) -> None:
    """The up arrow brings back the last command; with --no-save nothing is written."""
    with opened(codemind, "--no-save") as screen:
        screen.type("/memory hidden\r")
        screen.wait_for("code>")
        screen.type("/quit\r")
    assert not (codemind.home / "history").exists()
    with opened(codemind) as screen:
        screen.paste(KEEP)
        screen.wait_for(REPORTED)
        screen.wait_for("code>")
        screen.type("/wirte\r")
        screen.wait_for("did you mean /write?")
        screen.wait_for("code>")
        screen.type("exit\r")
    assert (codemind.home / "history").read_text() == "/wirte\nexit\n"
    with opened(codemind) as screen:
        screen.type("\x1b[A\x1b[A\r")
        screen.wait_for("did you mean /write?")
        screen.wait_for("code>")
        screen.type("/quit\r")
