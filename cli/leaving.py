"""Leaving the process in an orderly way, whatever still runs in it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from threading import Thread

_GRACE_S = 1.0
"""How long threads may go on after an interruption, to clean up what they made."""


def leave(status: int) -> int:
    """Flush the output and end the process although threads still run: after an interruption, or while imports go on."""
    _flush_stdout()
    threads = _other_threads()
    if status >= EXIT_INTERRUPTED or any(thread.daemon for thread in threads):
        _wait_for(thread for thread in threads if not thread.daemon)
        sys.stderr.flush()
        os._exit(status)
    return status


def _flush_stdout() -> None:
    """Without this, the interpreter prints "Exception ignored" when the reader of a pipe has gone."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _other_threads() -> list[Thread]:
    """The threads that run beside this one; none, and nothing is imported for it, when nobody has started any."""
    threading = sys.modules.get("threading")
    if threading is None:
        return []
    return [thread for thread in threading.enumerate() if thread is not threading.current_thread()]


def _wait_for(threads: Iterable[Thread]) -> None:
    deadline = time.monotonic() + _GRACE_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
