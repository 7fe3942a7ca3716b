"""Leaving the process in an orderly way, whatever still runs in it."""

from __future__ import annotations

import os
import sys
import threading
import time

from errors import EXIT_INTERRUPTED

_GRACE_S = 1.0
"""How long threads may go on after an interruption, to clean up what they made."""


def leave(status: int) -> int:
    """Flush the output and end the process although threads still run: after an interruption, or while imports go on."""
    _flush_stdout()
    if status >= EXIT_INTERRUPTED or any(thread.daemon for thread in threading.enumerate()):
        _wait_for_threads(time.monotonic() + _GRACE_S)
        sys.stderr.flush()
        os._exit(status)
    return status


def _flush_stdout() -> None:
    """Without this, the interpreter prints "Exception ignored" when the reader of a pipe has gone."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _wait_for_threads(deadline: float) -> None:
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, deadline - time.monotonic()))
