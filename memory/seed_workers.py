"""Reading the lines of a large seed in several processes at once: each line stands for itself, and the answers come in order.

A worker is this module, run as a program that reads pickled chunks of lines and writes pickled answers. It ends when its input does, so
none outlives a seed that was killed. What a dead worker had is read by the process itself.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from memory.import_rows import read_import_line
from memory.seed_rows import Origin, SeedLine, read_seed_line

PARALLEL_BYTES = 1_000_000
"""Smaller seeds are done before workers have started."""
MOST_WORKERS = 4
_CHUNK_LINES = 50
_CHUNK_BYTES = 500_000
_PROGRAM_FOLDER = Path(__file__).resolve().parent.parent

Chunk: TypeAlias = list[bytes]


def read_line(raw: bytes, now: datetime, origin: Origin) -> SeedLine:
    """A line of a seed, or of an export."""
    return read_import_line(raw, now, origin) if origin.reading else read_seed_line(raw, now, origin)


def workers_for(total_bytes: int) -> int:
    """How many processes a seed of that size is worth: 1 is this one alone."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_WORKERS, processors) if total_bytes >= PARALLEL_BYTES else 1


@contextmanager
def read_seed_lines(
    lines: Iterable[bytes], clock: Callable[[], datetime], origin: Origin, workers: int = 1
) -> Iterator[Iterator[SeedLine]]:
    """All lines, in their order. The workers end with the block."""
    if workers == 1:
        yield (read_line(raw, clock(), origin) for raw in lines)
        return
    with ExitStack() as stack:
        yield _read_by_workers(_chunks(lines), clock, origin, [stack.enter_context(Worker()) for _ in range(workers)])


def _read_by_workers(
    chunks: Iterator[Chunk], clock: Callable[[], datetime], origin: Origin, workers: Iterable[Worker]
) -> Iterator[SeedLine]:
    running: deque[tuple[Worker, Chunk]] = deque()
    for worker, chunk in zip(workers, chunks, strict=False):
        worker.give(chunk, clock(), origin)
        running.append((worker, chunk))
    while running:
        worker, chunk = running.popleft()
        answer = worker.answer()
        if (following := next(chunks, None)) is not None:  # before the answer is stored: the worker need not wait for that
            worker.give(following, clock(), origin)
            running.append((worker, following))
        yield from answer if answer is not None else [read_line(raw, clock(), origin) for raw in chunk]


class Worker:
    """One process. It has one chunk at a time: with two, each side could wait for the other to read."""

    def __init__(self) -> None:
        # A session of its own: Ctrl-C is for the process that stores, which ends the workers.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memory.seed_workers"],
            cwd=_PROGRAM_FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End it, whatever it does."""
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        self.process.wait()

    def give(self, chunk: Chunk, now: datetime, origin: Origin) -> None:
        """Hand it lines to read; a dead worker is noticed when it is asked for the answer."""
        with suppress(OSError, ValueError):
            pickle.dump((chunk, now, origin), self.process.stdin)  # type: ignore[arg-type]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def answer(self) -> list[SeedLine] | None:
        """What became of the chunk; None from a worker that died over it."""
        try:
            answer: list[SeedLine] = pickle.load(self.process.stdout)  # type: ignore[arg-type]  # noqa: S301 - our own child's
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            return None
        return answer


def _chunks(lines: Iterable[bytes]) -> Iterator[Chunk]:
    chunk: Chunk = []
    size = 0
    for raw in lines:
        chunk.append(raw)
        size += len(raw)
        if len(chunk) >= _CHUNK_LINES or size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def main() -> None:
    """Answer chunks until there are no more."""
    given, answers = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError, OSError):
        while True:
            chunk, now, origin = pickle.load(given)  # noqa: S301 - from the process that started this one
            pickle.dump([read_line(raw, now, origin) for raw in chunk], answers)
            answers.flush()


if __name__ == "__main__":
    main()
