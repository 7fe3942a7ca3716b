"""CodeMind as a process that is fed one paste at a time, as a user's pipe feeds it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

ROOT = Path(__file__).resolve().parent.parent
DROPPED = ("LLM_", "DEEPSEEK_", "OPENAI_", "PYTHONDONTWRITEBYTECODE")
"""Settings of a model, and the switch that makes Python compile everything anew at each start."""

MAIN = [sys.executable, str(ROOT / "main.py")]
ANSWER_LIMIT_S = 120.0


def environment(home: Path) -> dict[str, str]:
    """This process's environment with a home of its own, and without what would distort a measurement."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    return {**kept, "CODEMIND_HOME": str(home), "REVIEWER_PROVIDER": "static"}


class PipedSession:
    """`python main.py --json` with both ends in our hands. Leaving the block kills what still runs."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*MAIN, "--json", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(home),
        )
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("a process without pipes")
        self._stdin: IO[bytes] = self.process.stdin
        self._stdout: IO[bytes] = self.process.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        self._stdin.close()
        self._stdout.close()

    def paste(self, code: str) -> None:
        """Send a block and its end mark."""
        self._stdin.write(f"{code}EOF\n".encode())
        self._stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next record. Raises EOFError when the process has ended, TimeoutError when none comes."""
        if not select.select([self._stdout], [], [], ANSWER_LIMIT_S)[0]:
            raise TimeoutError("no record came")
        line = self._stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        record: dict[str, Any] = json.loads(line)
        return record

    def ask(self, code: str) -> tuple[dict[str, Any], float]:
        """Send a block and wait: the record, and the seconds between."""
        start = time.perf_counter()
        self.paste(code)
        return self.answer(), time.perf_counter() - start

    def remaining_answers(self) -> list[dict[str, Any]]:
        """The whole records that a process which was killed had already written."""
        return [json.loads(line) for line in self._stdout.read().split(b"\n") if line.endswith(b"}")]

    def rss_kb(self) -> int:
        """Resident memory in units of 1,024 bytes, from /proc; 0 where there is no /proc."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return 0
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))

    def finish(self) -> int:
        """Close the pipe and wait for the end: the exit status."""
        self._stdin.close()
        return self.process.wait(ANSWER_LIMIT_S)


def run(home: Path, arguments: Sequence[str], given: str = "") -> subprocess.CompletedProcess[str]:
    """One command from start to end."""
    return subprocess.run(
        [*MAIN, *arguments], input=given, capture_output=True, text=True, check=False, env=environment(home), timeout=ANSWER_LIMIT_S
    )


def exported(home: Path) -> list[Mapping[str, Any]]:
    """Everything the memory holds. Raises RuntimeError when it does not open."""
    done = run(home, ["memory", "export"])
    if done.returncode != 0:
        raise RuntimeError(f"the memory does not open: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]
