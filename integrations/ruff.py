"""ruff as an analyser for Python: a pinned selection, over stdin, in an empty folder, blind to configuration files."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from errors import OperationError, StorageFailedError, ToolMissingError
from integrations.ruff_codes import IGNORE, SELECT
from integrations.ruff_findings import to_findings
from integrations.ruff_program import bare_environment, find_ruff, ruff_name
from schema.finding import Finding
from schema.source import Source

TARGET_VERSION = "py314"
"""The newest whose syntax is settled: what is new parses, and a program for an older Python gets no complaint about its age."""

MAX_RAW_FINDINGS = 5_000
"""More are not read: a finding is about a kilobyte, and 300,000 of them would fill the memory."""

_MAX_COMPLAINT = 4_000

_CRASHES = frozenset({signal.SIGABRT, signal.SIGSEGV})
"""What a program dies of whose stack is full; other signals come from somebody else."""

_ARGUMENTS = (
    *("check", "--isolated", "--no-cache", "--target-version", TARGET_VERSION),
    # Preview rules run only when SELECT names them in full.
    *("--preview", "--config", "lint.explicit-preview-rules=true"),
    *("--select", ",".join(SELECT), "--ignore", ",".join(IGNORE), "--output-format", "json-lines"),
)


class RuffAnalyzer:
    """Implements `schema.ports.Analyzer` for Python. `executable` None: ruff of this environment, else of PATH."""

    def __init__(self, executable: str | None = None, timeout_s: float = 20.0) -> None:
        self._executable = executable
        self._timeout_s = timeout_s

    def version(self) -> str:
        """Name, version and selection: all that decides the findings. `ruff missing` when it is not installed."""
        return f"{self._name()} {TARGET_VERSION} {','.join(SELECT)} -{','.join(IGNORE)}"

    def supports(self, language: str) -> bool:
        """Python only."""
        return language == "python"

    def describe(self, language: str) -> str:
        """Name and version."""
        return self._name()

    def analyze(self, source: Source) -> list[Finding]:
        """Findings of the bug families, sorted by place.

        Raises ToolMissingError when ruff can't be started, OperationError when it fails on this text or takes too long.
        """
        executable = self._find()
        if executable is None:
            raise ToolMissingError("ruff is not installed: run `pip install ruff` in the environment of CodeMind")
        is_stub = source.path.endswith(".pyi")
        return to_findings(self._run(executable, source.text, "paste.pyi" if is_stub else "paste.py"), source)

    def _name(self) -> str:
        return ruff_name(self._executable)

    def _find(self) -> str | None:
        return self._executable or find_ruff()

    def _run(self, executable: str, text: str, name: str) -> list[dict[str, Any]]:
        with _empty_folder() as empty:
            command = [executable, *_ARGUMENTS, "--stdin-filename", name, "-"]
            pipe = subprocess.PIPE
            try:
                # Not in the terminal's group: Ctrl-C there is for us, and what was killed by it would pass for a text that ruff dies of.
                ruff = subprocess.Popen(
                    command, cwd=empty, env=bare_environment(), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
                )
            except OSError as error:
                raise ToolMissingError(f"ruff can't be started ({error.strerror}): {executable}") from error
            with _Deadline(ruff, self._timeout_s) as deadline:
                found, complaint = _exchange(ruff, text)
            if deadline.passed:
                raise OperationError(f"ruff was stopped: it took longer than {self._timeout_s:g} s on this code")
            if ruff.returncode not in (0, 1) and len(found) < MAX_RAW_FINDINGS:
                raise OperationError(_why_failed(ruff.returncode, complaint))
        return found


@contextmanager
def _empty_folder() -> Iterator[str]:
    """A folder without configuration files. Raises: StorageFailedError when there is no room for one."""
    try:
        folder = tempfile.mkdtemp(prefix="codemind-ruff-")
    except OSError as error:
        raise StorageFailedError("no temporary folder can be made: free some space or set TMPDIR") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _exchange(ruff: subprocess.Popen[bytes], text: str) -> tuple[list[dict[str, Any]], str]:
    """Send the text, then read one object a line: (findings, what it said on stderr).

    ruff reads all of its input before it writes and says little on stderr, so no pipe can fill up while the other is read.
    """
    sender, answer, complaints = (stream for stream in (ruff.stdin, ruff.stdout, ruff.stderr) if stream is not None)
    # When it died at once its exit status is judged by the caller.
    with contextlib.suppress(BrokenPipeError), sender:
        sender.write(text.encode("utf-8", "replace"))
    found: list[dict[str, Any]] = []
    with answer, complaints:
        for line in answer:
            if len(found) >= MAX_RAW_FINDINGS:
                ruff.kill()
                break
            if line.startswith(b"{"):
                found.append(json.loads(line))
        complaint = complaints.read(_MAX_COMPLAINT).decode("utf-8", "replace")
    ruff.wait()
    return found, complaint


def _why_failed(returncode: int, complaint: str) -> str:
    if "stack" in complaint or -returncode in _CRASHES:
        return "ruff gave up on this code: it is nested too deeply"
    if returncode < 0:
        return f"ruff was killed by signal {-returncode}: is there too little memory?"
    return f"ruff failed with status {returncode}: check that it is the version of requirements.txt"


class _Deadline:
    """Kills the process when the time is up, and on the way out whatever happened."""

    def __init__(self, process: subprocess.Popen[bytes], timeout_s: float) -> None:
        self._process = process
        self._timer = threading.Timer(timeout_s, self._stop)
        self._timer.daemon = True
        self.passed = False

    def _stop(self) -> None:
        self.passed = True
        self._process.kill()

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
