"""The clipboard: which program gets the text, and what a terminal is told."""

from __future__ import annotations

import base64
import sys
from collections.abc import Sequence

import pytest

from integrations.clipboard import MOST_OSC52_CHARACTERS, copy, osc52, run_program

ON_LINUX = pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="these systems have a clipboard of their own")


class Programs:
    """Programs that are installed, and those of them that work; remembers what they were given."""

    def __init__(self, installed: str, working: str) -> None:
        self._installed = installed.split()
        self._working = working.split()
        self.given: list[tuple[tuple[str, ...], bytes]] = []

    def find(self, name: str) -> str | None:
        """As shutil.which."""
        return f"bin/{name}" if name in self._installed else None

    def run(self, command: Sequence[str], given: bytes) -> bool:
        """As run_program."""
        self.given.append((tuple(command), given))
        return command[0] in self._working


@ON_LINUX
def test_the_program_of_the_running_desktop_gets_the_text() -> None:
    """On standard input, never on a command line that others can read."""
    programs = Programs("wl-copy xclip", "wl-copy xclip")
    assert copy("é = 1\n", {"DISPLAY": ":0"}, find=programs.find, run=programs.run) == "xclip"
    assert programs.given == [(("xclip", "-selection", "clipboard"), "é = 1\n".encode())]


@ON_LINUX
def test_a_program_that_fails_is_followed_by_the_next() -> None:
    """xclip without a display that answers, then xsel."""
    programs = Programs("xclip xsel", "xsel")
    assert copy("x", {"DISPLAY": ":0"}, find=programs.find, run=programs.run) == "xsel"


@ON_LINUX
def test_without_a_desktop_no_program_is_asked() -> None:
    """A program may be installed on a server that nobody looks at."""
    programs = Programs("wl-copy xclip xsel tmux", "wl-copy xclip xsel tmux")
    assert copy("x", {}, find=programs.find, run=programs.run) == ""
    assert programs.given == []


@ON_LINUX
def test_windows_gets_what_it_reads() -> None:
    """Its program takes UTF-16."""
    programs = Programs("clip.exe", "clip.exe")
    copy("é", {"WSL_DISTRO_NAME": "Debian"}, find=programs.find, run=programs.run)
    assert programs.given == [(("clip.exe",), "é".encode("utf-16-le"))]


def test_the_terminal_gets_one_sequence() -> None:
    """OSC 52 with the text in base64: nothing of the text itself can end it early."""
    text = "\x1b]0;title\x07é\n"
    sequence = osc52(text)
    assert sequence.startswith("\x1b]52;c;")
    assert sequence.endswith("\x07")
    assert base64.b64decode(sequence[7:-1]).decode() == text


def test_a_text_that_terminals_would_drop_is_not_sent() -> None:
    """Longer than the common limit."""
    assert osc52("x" * MOST_OSC52_CHARACTERS) == ""


def test_a_program_is_judged_by_its_exit_status() -> None:
    """One that is not there has failed as well."""
    read_all = "import sys; sys.exit(sys.stdin.read() != 'x')"
    assert run_program([sys.executable, "-c", read_all], b"x")
    assert not run_program([sys.executable, "-c", read_all], b"y")
    assert not run_program(["no-such-program"], b"x")
