"""Reading without waiting: a daemon thread reads ahead while tasks are served."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Generic, TypeVar

from utils.blocks import RawBlock, split_blocks

T = TypeVar("T")
_AHEAD = 2
"""Items read ahead of the one that is served; the sender waits beyond that."""
_AFTER_LF = re.compile(rb"(?<=\n)")


def blocks_from(read: Callable[[], bytes], limit: int) -> AsyncIterator[RawBlock]:
    """The input's blocks, each as soon as it is complete. Of a block above `limit` bytes only the size is kept."""
    return in_thread(split_blocks(pieces(read), limit))


async def in_thread(items: Iterable[T]) -> AsyncIterator[T]:
    """What a blocking iterable gives, in order.

    The thread is a daemon: one that waits for more input neither holds up a Ctrl-C nor the exit.
    """
    reader = _Reader[T](asyncio.get_running_loop())
    threading.Thread(target=reader.read_all, args=(items,), daemon=True, name="reader").start()
    while (arrived := await reader.queue.get()) is not None:
        if isinstance(arrived, BaseException):
            raise arrived
        reader.room.release()
        yield arrived[0]


class _Reader(Generic[T]):
    """Hands items over from its thread to the loop's: a tuple of one, an error, or None at the end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.queue: asyncio.Queue[tuple[T] | BaseException | None] = asyncio.Queue()
        self.room = threading.Semaphore(_AHEAD)
        self._loop = loop

    def read_all(self, items: Iterable[T]) -> None:
        """Read until the end, an error, or the loop's own end."""
        try:
            try:
                for item in items:
                    self.room.acquire()
                    self._deliver((item,))
            except Exception as error:  # noqa: BLE001 - handed to whoever awaits: a fault of ours must not leave the session waiting
                self._deliver(error)
            self._deliver(None)
        except RuntimeError:
            return  # The loop is closed: nobody waits for the rest of the input.

    def _deliver(self, arrived: tuple[T] | BaseException | None) -> None:
        self._loop.call_soon_threadsafe(self.queue.put_nowait, arrived)


def pieces(read: Callable[[], bytes]) -> Iterator[bytes]:
    """What `read` returns, cut after each LF."""
    while chunk := read():
        yield from (piece for piece in _AFTER_LF.split(chunk) if piece)
