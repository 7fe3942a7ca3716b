"""One process with a time limit and an output limit, whose whole process group ends with it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from schema.ports import SandboxRun

KEPT_OUTPUT = 100_000
"""Bytes of output that are kept: the first half and the last."""
MAX_OUTPUT = 16 << 20
"""Bytes after which an endless printer is stopped; they are read and dropped, never written to disk."""
_CHUNK = 65_536
_LOOK_S = 0.05
"""How long a finished command goes unnoticed while something it left behind holds the pipe open."""


def never() -> bool:
    """For callers that are not cancelled."""
    return False


class BoundedRunner:
    """Starts processes and can kill all that run now, from any thread."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, timeout_s: float, is_cancelled: Callable[[], bool] = never
    ) -> SandboxRun:
        """Run to the end, the time limit or the output limit, whichever comes first. Raises: OSError when it can't start.

        `is_cancelled` is asked once it has started: a `cancel` that came while it did has not seen it.
        stdout and stderr are one stream. `exit_code` is None when the command was stopped, -N or 128 + N for signal N.
        """
        began = time.monotonic()
        process = subprocess.Popen(
            argv, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        with self._lock:
            if is_cancelled():
                _kill_group(process)
            else:
                self._running.add(process)
        try:
            output, ended = _read(process, began + timeout_s)
        finally:
            end_group(process)
            with self._lock:
                was_cancelled = process not in self._running
                self._running.discard(process)
        stopped = was_cancelled or not ended
        timed_out = not was_cancelled and not ended and time.monotonic() - began >= timeout_s
        return SandboxRun(None if stopped else process.returncode, timed_out, output.text(), time.monotonic() - began)

    def cancel(self) -> None:
        """Kill whatever runs now; their `run` returns with exit_code None."""
        with self._lock:
            running, self._running = set(self._running), set()
        for process in running:
            _kill_group(process)


class _Output:
    """The first and the last bytes of a stream of any length."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.length = 0

    def add(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self.length += len(chunk)
        room = KEPT_OUTPUT // 2 - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[max(0, room) :]
        del self._tail[: -KEPT_OUTPUT // 2]

    def text(self) -> str:
        """What was kept; a gap is marked with its size."""
        gap = self.length - len(self._head) - len(self._tail)
        marked = f"\n[{gap} bytes left out]\n".encode() if gap > 0 else b""
        return bytes(self._head + marked + self._tail).decode("utf-8", "replace")


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the process and its group, also after a normal end, and close its pipe."""
    _kill_group(process)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the group, and children that left it: bubblewrap's child is bound to its parent only a moment after its birth."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if not hasattr(os, "killpg"):
            process.kill()
            return
        os.killpg(process.pid, signal.SIGSTOP)  # What stands still has no more children.
        for child in _descendants(process.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _descendants(pid: int) -> Iterator[int]:
    """Children of a process and theirs; none where the system does not list them."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return
    for child in map(int, listed.split()):
        yield from _descendants(child)
        yield child


def _read(process: subprocess.Popen[bytes], deadline: float) -> tuple[_Output, bool]:
    """Read until the process has ended (True), or its time or its output limit is reached (False)."""
    output = _Output()
    if process.stdout is None:
        return output, False
    while time.monotonic() < deadline and output.length <= MAX_OUTPUT:
        has_ended = process.poll() is not None
        chunk = _available(process.stdout, 0 if has_ended else min(_LOOK_S, max(0.0, deadline - time.monotonic())))
        if chunk:
            output.add(chunk)
        elif has_ended:
            return output, True
        elif chunk is not None:
            # The stream is closed, the process may still run: nothing more to read, only to wait.
            return output, _ends_by(process, deadline)
    return output, process.poll() is not None and output.length <= MAX_OUTPUT


def _available(stream: IO[bytes], wait_s: float) -> bytes | None:
    """The next bytes, b"" at the end of the stream, None when there are none yet."""
    readable, _, _ = select.select([stream], [], [], wait_s)
    return os.read(stream.fileno(), _CHUNK) if readable else None


def _ends_by(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True
