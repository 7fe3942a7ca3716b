"""Running the command line in this process or as one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.app import main
from cli.console import of_bytes

PROJECT = Path(__file__).resolve().parent.parent.parent
KEEP = "def keep(x, seen=[]):\n    seen.append(x)\n    return seen\n"
KEPT = "def keep(x, seen=None):\n    if seen is None:\n        seen = []\n    seen.append(x)\n    return seen\n"
AVERAGE = """\
def cal_average(numbers):
    total = 0
    for n in numbers:
        total = total + n
    result = total / len(numbers)
    return result
"""


@dataclass(frozen=True)
class Ran:
    """How a command line ended."""

    status: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines; anything else there fails."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def record(self) -> dict[str, Any]:
        """The only record."""
        (only,) = self.records
        return only


@dataclass(frozen=True)
class CommandLine:
    """The command line with a home of its own."""

    home: Path
    environment: tuple[tuple[str, str], ...] = ()

    def run(self, *arguments: str, stdin: str | bytes = b"") -> Ran:
        """Run it in this process."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = io.StringIO(), io.StringIO()
        console = of_bytes(io.BytesIO(given), out, err, {"CODEMIND_HOME": str(self.home), **dict(self.environment)})
        return Ran(main(arguments, console), out.getvalue(), err.getvalue())

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start it as a process; `options` go to Popen."""
        command = [sys.executable, str(PROJECT / "main.py"), *arguments]
        return subprocess.Popen(command, **{"stdin": -1, "stdout": -1, "stderr": -1, "env": self.variables(), **options})

    def spawn(self, *arguments: str, stdin: bytes = b"", **options: Any) -> Ran:
        """Run it as a process to its end."""
        process = self.start(*arguments, **options)
        out, err = process.communicate(stdin, timeout=60)
        return Ran(process.returncode, out.decode(), err.decode())

    def variables(self) -> dict[str, str]:
        """The environment of the process: this one's, with the home, without settings of the machine."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "DEEPSEEK_", "CODEMIND_"))}
        return {**kept, "CODEMIND_HOME": str(self.home), **dict(self.environment)}
