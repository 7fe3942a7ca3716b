"""Keys that are typed while a task runs are kept for the prompt, and not shown meanwhile."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

try:
    import termios
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]

_LOCAL_MODES = 3


@contextmanager
def keys_unseen(is_terminal: bool) -> Iterator[None]:
    """Switch the terminal's echo off for the block. Ctrl-C works as ever; a job in the background touches nothing."""
    terminal = _own_terminal() if is_terminal and termios is not None else None
    if terminal is None:
        yield
        return
    before = termios.tcgetattr(terminal)
    silent = termios.tcgetattr(terminal)
    silent[_LOCAL_MODES] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, silent)
    try:
        yield
    finally:
        if _own_terminal() is not None:
            termios.tcsetattr(terminal, termios.TCSANOW, before)


@contextmanager
def keys_seen() -> Iterator[None]:
    """Inside of `keys_unseen`, show what is typed for the block: a program that is handed the terminal expects it so."""
    terminal = _own_terminal() if termios is not None else None
    if terminal is None:
        yield
        return
    silent = termios.tcgetattr(terminal)
    usual = termios.tcgetattr(terminal)
    usual[_LOCAL_MODES] |= termios.ECHO
    termios.tcsetattr(terminal, termios.TCSADRAIN, usual)
    try:
        yield
    finally:
        if _own_terminal() is not None:
            termios.tcsetattr(terminal, termios.TCSADRAIN, silent)


def _own_terminal() -> int | None:
    """Standard input's number while it is a terminal that is ours: a process in the background that sets modes is stopped."""
    try:
        number = sys.stdin.fileno()
        return number if os.isatty(number) and os.tcgetpgrp(number) == os.getpgrp() else None
    except (AttributeError, OSError, ValueError):
        return None
