"""Put a text on the clipboard: by the system's own program where there is one, else by asking the terminal (OSC 52)."""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

MOST_OSC52_CHARACTERS = 74_994
"""Longest base64 text that xterm and tmux take; a longer one is dropped without a word."""
_TIMEOUT_S = 5.0
_PROGRAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("WSL_DISTRO_NAME", ("clip.exe",)),
    ("TMUX", ("tmux", "load-buffer", "-w", "-")),
)
"""The variable that must be set for a program to reach a clipboard, and its command line."""

Find = Callable[[str], str | None]
Run = Callable[[Sequence[str], bytes], bool]


def run_program(command: Sequence[str], given: bytes) -> bool:
    """Feed a program; True when it ended well. Its output goes nowhere: some stay in the background and would keep a pipe open."""
    try:
        ended = subprocess.run(command, input=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return ended.returncode == 0


def copy(text: str, environment: Mapping[str, str], *, find: Find = shutil.which, run: Run = run_program) -> str:
    """Hand the text to the first program that takes it; its name, or empty when none did."""
    programs = [command for variable, command in _PROGRAMS if environment.get(variable)]
    if sys.platform == "darwin":
        programs.insert(0, ("pbcopy",))
    if sys.platform == "win32":
        programs.insert(0, ("clip",))
    return next((command[0] for command in programs if find(command[0]) and run(command, _encoded(text, command[0]))), "")


def _encoded(text: str, program: str) -> bytes:
    """Windows' program reads UTF-16, the others UTF-8."""
    return text.encode("utf-16-le" if program.startswith("clip") else "utf-8", "surrogatepass")


def osc52(text: str) -> str:
    """The control sequence that asks a terminal to take the text; empty when it is too long for that."""
    coded = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")
    return "" if len(coded) > MOST_OSC52_CHARACTERS else f"\x1b]52;c;{coded}\x07"
