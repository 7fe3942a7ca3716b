"""A session on a real pseudo terminal: what the tests of the interactive session type into and read from.

`from tests.cli.screen import Screen, screen` gives a test the fixture; `opened` opens one in another window or environment.
"""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.cli.harness import KEEP, CommandLine

pty = pytest.importorskip("pty", reason="a Unix terminal")
fcntl = pytest.importorskip("fcntl", reason="a Unix terminal")

PATIENCE_S = 60.0
"""How long something that must happen may take on a busy machine before the test gives up."""
TYPED = KEEP.replace("\n", "\r") + "EOF\r"
_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[A-Za-z]")
_CURSOR_QUESTION = b"\x1b[6n"


@dataclass
class Screen:
    """A session on a terminal: type into it, wait for what it prints."""

    process: subprocess.Popen[bytes]
    terminal: int
    printed: bytes = b""
    seen: int = 0

    def type(self, text: str) -> None:
        """Send key strokes, and read what is printed meanwhile: a terminal's buffer is small."""
        left = text.encode()
        while left:
            _, writable, _ = select.select([], [self.terminal], [], 0)
            if writable:
                left = left[os.write(self.terminal, left[:512]) :]
            self._read(0)

    def paste(self, code: str) -> None:
        """A bracketed paste of the code and its end mark."""
        self.type(f"\x1b[200~{code}EOF\n\x1b[201~")

    def wait_for(self, text: str) -> str:
        """Read until `text` is printed (colours and cursor movements left out), and return what came with it.

        The next wait looks behind `text`, not behind all that came with it: it may be there already.
        """
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            plain = self.unseen()
            if text in plain:
                self.seen = self._end_of(text)
                return plain
            self._read()
        pytest.fail(f"{text!r} was not printed: {self.printed[-2000:]!r}")

    def unseen(self) -> str:
        """What was printed since the last wait, without colours and cursor movements."""
        return _CONTROL.sub(b"", self.printed[self.seen :]).decode(errors="replace")

    def _end_of(self, text: str) -> int:
        """Where in `printed` the first such text that was not yet seen ends."""
        sought, plain, at = text.encode(), b"", self.seen
        while True:
            control = _CONTROL.search(self.printed, at)
            piece = self.printed[at : control.start() if control else None]
            if (found := (plain + piece).find(sought)) >= 0:
                return at + found + len(sought) - len(plain)
            assert control is not None
            plain, at = plain + piece, control.end()

    def quiet(self) -> None:
        """Wait until nothing has been printed for a moment."""
        while self._read(0.5):
            pass

    def resize(self, rows: int, columns: int) -> None:
        """Make the window another size; the system tells the session."""
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, window(rows, columns))

    def end(self) -> int:
        """Wait for the process to end; its exit status."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            self._read()
            if time.monotonic() > deadline:
                self.process.kill()
                pytest.fail(f"it did not end: {self.printed[-2000:]!r}")
        return self.process.returncode

    def _read(self, patience_s: float = 0.1) -> bool:
        """Take what is there; False when there was nothing. Answers the question where the cursor is, as a terminal does."""
        if not select.select([self.terminal], [], [], patience_s)[0]:
            return False
        came = os.read(self.terminal, 65_536)
        if _CURSOR_QUESTION in came:
            self.answer_cursor()
        self.printed += came
        return True

    def answer_cursor(self) -> None:
        """Say where the cursor is; an emulator knows better."""
        os.write(self.terminal, b"\x1b[1;1R")


def window(rows: int, columns: int) -> bytes:
    """A window's size, as the system wants it."""
    return struct.pack("HHHH", rows, columns, 0, 0)


def own_the_terminal() -> None:
    """Make standard input the new process's controlling terminal: only then does Ctrl-C send a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def opened(
    codemind: CommandLine,
    *arguments: str,
    rows: int = 24,
    columns: int = 80,
    term: str = "xterm",
    cwd: Path | None = None,
    status: int = 0,
) -> Iterator[Screen]:
    """A session that shows its first prompt. The test sees to its end, at which `status` comes and the terminal is as it was."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, window(rows, columns))
    before = termios.tcgetattr(slave)
    codemind = replace(codemind, environment=(*codemind.environment, ("TERM", term)))
    process = codemind.start(
        *arguments, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, preexec_fn=own_the_terminal, cwd=cwd
    )
    screen = Screen(process, master)
    try:
        screen.wait_for("code>")
        yield screen
        assert screen.end() == status
        assert termios.tcgetattr(slave) == before
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


@pytest.fixture
def screen(codemind: CommandLine, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """A session of 24 lines of 80 columns. Parametrize indirectly for arguments; the test ends it, with status 0."""
    with opened(codemind, *getattr(request, "param", [])) as shown:
        yield shown
