"""Running asynchronous work so that Ctrl-C and SIGTERM end it at once, and leaving the process in an orderly way."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from errors import EXIT_INTERRUPTED

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GRACE_S = 1.0
"""How long threads may go on after an interruption, to clean up what they made."""


def run_async(work: Coroutine[Any, Any, int]) -> int:
    """As asyncio.run, but work that was interrupted doesn't wait for threads (a linter, a parser) that can't be stopped."""
    runner = asyncio.Runner()
    status = runner.run(work)
    runner.close()
    return status


@contextmanager
def stop_by_signal(stop: Callable[[], object], *signals: signal.Signals) -> Iterator[None]:
    """While the block runs, these signals call `stop` in the loop's thread instead of raising."""
    loop = asyncio.get_running_loop()
    added = []
    try:
        for number in signals:
            loop.add_signal_handler(number, stop)
            added.append(number)
    except (NotImplementedError, RuntimeError, ValueError):
        pass  # Windows, or not the main thread: KeyboardInterrupt is what remains.
    try:
        yield
    finally:
        for number in added:
            loop.remove_signal_handler(number)


def cancel_on_signal(*signals: signal.Signals) -> AbstractContextManager[None]:
    """While the block runs, these signals (SIGINT and SIGTERM when none is named) cancel the current task."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - there is one wherever `await` works
    return stop_by_signal(task.cancel, *(signals or _SIGNALS))


def leave(status: int) -> int:
    """Flush the output and, after an interruption, end the process although threads still run; else return `status`."""
    _flush_stdout()
    if status >= EXIT_INTERRUPTED:
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
