"""Running CodeMind inside the test's process, on streams of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.app import main
from cli.console import Console

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    exit_code: int
    stdout: str
    stderr: str

    def records(self) -> list[dict[str, Any]]:
        """The task records on stdout, one a line."""
        return [json.loads(line) for line in self.stdout.splitlines()]


class Keeping(io.StringIO):
    """A text stream that takes what a strict UTF-8 stream takes."""

    def write(self, text: str) -> int:
        """Raise UnicodeEncodeError for a lone surrogate, as a real stream does."""
        text.encode("utf-8")
        return super().write(text)


def run_here(arguments: Sequence[str], given: bytes, home: Path) -> Ran:
    """Run one command line in this process."""
    source, stdout, stderr = io.BytesIO(given), Keeping(), Keeping()
    environment = {"CODEMIND_HOME": str(home), "PATH": os.environ.get("PATH", ""), "HOME": str(home.parent)}
    console = Console(read=lambda: source.read(65_536), stdout=stdout, stderr=stderr, environment=environment)
    exit_code = main(arguments, console)
    return Ran(exit_code, stdout.getvalue(), stderr.getvalue())


def environment_of(home: Path, unset: Sequence[str] = ()) -> Mapping[str, str]:
    """The environment of a process of ours: this one's, with its own home."""
    return {**{name: value for name, value in os.environ.items() if name not in unset}, "CODEMIND_HOME": str(home)}


def run_process(arguments: Sequence[str], given: bytes, home: Path, unset: Sequence[str] = ()) -> Ran:
    """Run `python main.py` as a user does."""
    command = [sys.executable, str(ROOT / "main.py"), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, timeout=TIMEOUT_S, check=False, env=environment_of(home, unset))
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Execute Python of ours and a fix of a fixture (never anything from outside) for at most ten seconds."""
    path = folder / "solution.py"
    path.write_text(code, encoding="utf-8", newline="")
    return subprocess.run([sys.executable, "-I", str(path)], capture_output=True, timeout=10, check=False, cwd=folder)
