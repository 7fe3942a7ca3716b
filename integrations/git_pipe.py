"""Reading what Git writes, piece by piece, with a limit on its silence: a repository can hold a file that never ends or never begins."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
from collections.abc import Iterator
from typing import IO

from errors import GitFailedError
from integrations.bounded_run import end_group

SILENCE_S = 120.0
"""Longest time without output. Git reads the whole history before it gives the oldest commit: seconds, in the largest ones."""
_CHUNK = 1 << 16


def stopped(status: int) -> GitFailedError:
    """Git ended badly."""
    return GitFailedError(f"Git stopped reading the repository (its exit status: {status}): run `git fsck` there.")


class GitPipe:
    """The output of a process, as bytes, lines, or fields that end with NUL. Raises GitFailedError for silence and a sudden end."""

    def __init__(self, process: subprocess.Popen[bytes], silence_s: float = SILENCE_S) -> None:
        self._process = process
        self._output: IO[bytes] = process.stdout  # type: ignore[assignment]
        self._silence_s = silence_s
        self._waiting = bytearray()

    def fields(self, most: int) -> Iterator[bytes]:
        """Everything up to the end, cut at NUL; of a field longer than `most` bytes only its beginning."""
        while True:
            while (at := self._waiting.find(b"\x00")) >= 0:
                yield bytes(self._waiting[: min(at, most)])
                del self._waiting[: at + 1]
            if len(self._waiting) > most + _CHUNK:
                del self._waiting[most + 1 : -1]  # a byte more than is given out, so that the field still counts as too long
            if not self._more():
                return

    def line(self) -> bytes:
        """One line without its end."""
        while (at := self._waiting.find(b"\n")) < 0:
            if not self._more():
                raise stopped(self.end())
        found = bytes(self._waiting[:at])
        del self._waiting[: at + 1]
        return found

    def exactly(self, size: int) -> bytes:
        """So many bytes."""
        while len(self._waiting) < size:
            if not self._more():
                raise stopped(self.end())
        found = bytes(self._waiting[:size])
        del self._waiting[:size]
        return found

    def skip(self, size: int) -> None:
        """Drop so many bytes as they come."""
        while size > 0:
            if not self._waiting and not self._more():
                raise stopped(self.end())
            gone = min(size, len(self._waiting))
            del self._waiting[:gone]
            size -= gone

    def end(self) -> int:
        """Wait for a process that has closed its output; its exit status."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(self._silence_s)
        end_group(self._process)
        return int(self._process.returncode)

    def _more(self) -> bool:
        readable, _, _ = select.select([self._output], [], [], self._silence_s)
        if not readable:
            end_group(self._process)
            raise GitFailedError(f"Git gave no answer for {self._silence_s:.0f} s: see whether `git log` works in that repository.")
        chunk = os.read(self._output.fileno(), _CHUNK)
        self._waiting += chunk
        return bool(chunk)
