"""The interactive session on a real pseudo terminal."""

from __future__ import annotations

import os
import re
import select
import subprocess
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.cli.harness import KEEP, CommandLine
from tests.cli.test_interrupt import in_the_middle_of_a_test, wait_until_runs

pty = pytest.importorskip("pty", reason="a Unix terminal")
fcntl = pytest.importorskip("fcntl", reason="a Unix terminal")

PATIENCE_S = 60.0
"""How long something that must happen may take on a busy machine before the test gives up."""
TYPED = KEEP.replace("\n", "\r") + "EOF\r"
WINDOW = b"\x18\x00\x50\x00\x00\x00\x00\x00"
"""24 lines of 80 columns, as the system wants it."""
_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class Screen:
    """A session on a terminal: type into it, wait for what it prints."""

    process: subprocess.Popen[bytes]
    terminal: int
    printed: bytes = b""
    seen: int = 0

    def type(self, text: str) -> None:
        """Send key strokes."""
        os.write(self.terminal, text.encode())

    def wait_for(self, text: str) -> str:
        """Read until `text` is printed (colours and cursor movements left out), and return what came with it."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            plain = _CONTROL.sub(b"", self.printed[self.seen :]).decode(errors="replace")
            if text in plain:
                self.seen = len(self.printed)
                return plain
            self._read()
        pytest.fail(f"{text!r} was not printed: {self.printed[-2000:]!r}")

    def end(self) -> int:
        """Wait for the process to end; its exit status."""
        while self.process.poll() is None:
            self._read()
        return self.process.returncode

    def _read(self) -> None:
        """Take what is there. Answers the question where the cursor is, as a terminal does."""
        if not select.select([self.terminal], [], [], 0.1)[0]:
            return
        came = os.read(self.terminal, 65_536)
        if b"\x1b[6n" in came:
            os.write(self.terminal, b"\x1b[1;1R")
        self.printed += came


def own_the_terminal() -> None:
    """Make standard input the new process's controlling terminal: only then does Ctrl-C send a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def screen(codemind: CommandLine, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """A session that shows its first prompt; at its end the terminal must be as it was. Parametrize indirectly for arguments."""
    arguments = getattr(request, "param", [])
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, WINDOW)
    before = termios.tcgetattr(slave)
    codemind = replace(codemind, environment=(("TERM", "xterm"),))
    streams = {"stdin": slave, "stdout": slave, "stderr": slave}
    process = codemind.start(*arguments, **streams, start_new_session=True, preexec_fn=own_the_terminal)
    opened = Screen(process, master)
    opened.wait_for("code>")
    yield opened
    assert opened.end() == 0
    assert termios.tcgetattr(slave) == before
    os.close(master)
    os.close(slave)


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
    screen.wait_for("discarded")
    screen.type("x = 1\rEOF\r")
    screen.wait_for("nothing found")
    screen.wait_for("code>")
    screen.type("/quit\r")
    assert screen.end() == 0
    assert codemind.run("memory", "list").out == ""


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
