"""Running asynchronous work so that Ctrl-C and SIGTERM end it at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_async(work: Coroutine[Any, Any, int]) -> int:
    """As asyncio.run, but work that was interrupted doesn't wait for threads (a linter, a parser) that can't be stopped.

    Raises KeyboardInterrupt when it was.
    """
    runner = asyncio.Runner()
    interrupted = False
    try:
        return runner.run(work)
    except (asyncio.CancelledError, KeyboardInterrupt):
        interrupted = True
        raise KeyboardInterrupt from None
    finally:
        if not interrupted:
            runner.close()


async def in_daemon_thread(work: Callable[[], T]) -> T:
    """As asyncio.to_thread, but the process may end while the work goes on."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(outcome: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(lambda: None if done.done() else outcome())

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - handed to whoever awaits
            failure = error
            settle(lambda: done.set_exception(failure))
        else:
            settle(lambda: done.set_result(result))

    threading.Thread(target=run, daemon=True, name="background").start()
    return await done


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
