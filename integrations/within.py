"""A time limit for calls that have none of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What the call returns or raises; TimeoutError when it takes longer.

    The call then goes on by itself in a daemon thread, which holds up neither a Ctrl-C nor the end of the process.
    """
    answer: list[T] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            answer.append(call())
        except BaseException as error:
            failure.append(error)
            if not isinstance(error, Exception):
                raise
        finally:
            done.set()

    threading.Thread(target=run, daemon=True, name="within").start()
    if not done.wait(seconds):
        raise TimeoutError
    if failure:
        raise failure[0]
    return answer[0]
