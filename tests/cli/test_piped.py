"""Blocks from a pipe."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from cli.piped import blocks_from, pieces


def contents(*chunks: bytes) -> list[bytes]:
    """What the blocks of an input hold that arrives in these chunks."""
    left = [*chunks, b""]

    async def collect() -> list[bytes]:
        return [block.content async for block in blocks_from(lambda: left.pop(0), 10_000)]

    return asyncio.run(collect())


def test_the_last_block_may_end_with_the_input() -> None:
    """An end mark behind it is not needed."""
    assert contents(b"a = 1\nEOF\nb = 2\n") == [b"a = 1\n", b"b = 2\n"]


def test_chunks_may_break_anywhere() -> None:
    """A line, and the end mark itself, may come in pieces."""
    assert contents(b"a =", b" 1\nEO", b"F\nb = 2") == [b"a = 1\n", b"b = 2"]


def test_many_blocks_in_one_chunk_keep_their_order() -> None:
    """The reader waits for the server; nothing is lost or swapped."""
    assert contents(b"".join(b"x%d\nEOF\n" % number for number in range(50))) == [b"x%d\n" % number for number in range(50)]


def test_a_block_is_served_before_the_input_ends() -> None:
    """Whoever writes to the pipe may wait for an answer before it goes on."""
    reading, writing = os.pipe()

    async def first_then_rest() -> list[bytes]:
        served = []
        os.write(writing, b"a = 1\nEOF\n")
        async for block in blocks_from(lambda: os.read(reading, 100), 10_000):
            served.append(block.content)
            if len(served) == 1:
                os.write(writing, b"b = 2\n")
                os.close(writing)
        return served

    assert asyncio.run(first_then_rest()) == [b"a = 1\n", b"b = 2\n"]
    os.close(reading)


def test_a_broken_input_is_an_error() -> None:
    """An OSError of the reader reaches whoever serves."""

    def broken() -> bytes:
        raise OSError("gone")

    async def serve() -> None:
        async for _ in blocks_from(broken, 10):
            pass

    with pytest.raises(OSError, match="gone"):
        asyncio.run(serve())


def test_a_waiting_reader_holds_nobody_up() -> None:
    """It is a daemon thread: the process may end while it waits for input."""
    started, never = threading.Event(), threading.Event()

    def wait() -> bytes:
        started.set()
        never.wait()
        return b""

    async def serve() -> None:
        task = asyncio.ensure_future(anext(blocks_from(wait, 10)))
        await asyncio.to_thread(started.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(serve())
    never.set()


def test_lines_keep_their_ends() -> None:
    """Only LF cuts; CR is text of the line."""
    left = [b"a\r\nb\rc\n", b"d", b""]
    assert list(pieces(lambda: left.pop(0))) == [b"a\r\n", b"b\rc\n", b"d"]


async def test_a_fault_while_reading_reaches_whoever_waits() -> None:
    """Whatever it is: the session must not wait for a reader that is gone."""

    def broken() -> bytes:
        raise KeyError("a fault of ours")

    with pytest.raises(KeyError):
        await anext(blocks_from(broken, 10))
