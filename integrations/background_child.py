"""A child process that works beside a session: it holds neither the interpreter of the session up nor its end, and dies with it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_PROGRAM = "import sys; sys.path.insert(0, {root!r}); from {module} import main; sys.exit(main())"
_STOP_S = 2.0
_NICENESS = 10


class BackgroundChild:
    """Runs `main()` of one of our modules, again and again when it is woken, one child at a time.

    `told` is what the child reads as the first line of its standard input, whose end tells it that the session is gone; `heard` gets each
    line that it prints, in a thread of ours. A Ctrl-C at the terminal does not reach the child.
    """

    def __init__(self, module: str, told: str, heard: Callable[[str], None], timeout_s: float) -> None:
        self._program = _PROGRAM.format(root=str(Path(__file__).resolve().parent.parent), module=module)
        self._told = told
        self._heard = heard
        self._timeout_s = timeout_s
        self._changed = threading.Condition()
        self._wanted = False
        self._stopped = False
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[str] | None = None

    def wake(self) -> None:
        """Run the child, or run it once more when it runs already. Returns at once."""
        with self._changed:
            if self._stopped:
                return
            self._wanted = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True, name="background")
                self._thread.start()

    def stop(self, grace_s: float = 0.0) -> None:
        """Let what runs and what was asked for end within `grace_s`, then kill it. What is killed loses nothing."""
        with self._changed:
            self._changed.wait_for(lambda: self._thread is None, grace_s)
            self._stopped, self._wanted = True, False
            child, thread = self._child, self._thread
        if child is not None:
            _kill(child)
        if thread is not None:
            thread.join(_STOP_S)

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._wanted or self._stopped:
                    self._thread = None
                    self._changed.notify_all()
                    return
                self._wanted = False
            self._run()

    def _run(self) -> None:
        """One child from its start to its end. One that can't be started, or is killed, says nothing."""
        with suppress(OSError):
            child = subprocess.Popen(
                [sys.executable, "-c", self._program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
            with self._changed:
                self._child = child
            limit = threading.Timer(self._timeout_s, _kill, [child])
            limit.daemon = True
            limit.start()
            try:
                self._talk(child)
            finally:
                limit.cancel()
                _kill(child)
                with self._changed:
                    self._child = None

    def _talk(self, child: subprocess.Popen[str]) -> None:
        if self._stopped or child.stdin is None or child.stdout is None:
            return
        with suppress(OSError, ValueError):
            child.stdin.write(self._told + "\n")
            child.stdin.flush()
            for line in child.stdout:
                self._heard(line.rstrip("\n"))
        with suppress(OSError):
            child.stdin.close()


def _kill(child: subprocess.Popen[str]) -> None:
    with suppress(OSError):
        child.kill()
    with suppress(subprocess.TimeoutExpired):
        child.wait(_STOP_S)


def read_told() -> str:
    """For the child: the line it was told. From then on it ends as soon as its parent does, and takes only what time others leave."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(_NICENESS)
    told = sys.stdin.readline()
    threading.Thread(target=_end_with_parent, daemon=True, name="parent").start()
    return told


def _end_with_parent() -> None:
    with suppress(OSError, ValueError):
        while sys.stdin.readline():
            pass
    os._exit(0)
