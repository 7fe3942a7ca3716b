"""Ctrl-C and SIGTERM: one line, exit 130, what was saved stays saved, and the paste can be resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import IO

import pytest

from tests.cli.harness import KEEP, CommandLine

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the running test command in /proc")

PATIENCE_S = 30.0
"""How long something that must happen may take on a busy machine before the test gives up."""


def wait_until_runs(marker: str) -> None:
    """Return once a test command with the marker runs; CodeMind itself has it among its arguments too."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        running = map(arguments_of, Path("/proc").glob("[0-9]*/cmdline"))
        if any(marker.encode() in arguments and b"main.py" not in arguments for arguments in running):
            return
        time.sleep(0.02)
    pytest.fail("the test command was not started")


def arguments_of(path: Path) -> bytes:
    """A process's arguments; nothing when it has ended meanwhile."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def stream(of: IO[bytes] | None) -> IO[bytes]:
    """The pipe, which is there."""
    assert of is not None
    return of


def in_the_middle_of_a_test(codemind: CommandLine, marker: str) -> subprocess.Popen[bytes]:
    """A process that has saved one paste and now runs the test command of a second one."""
    codemind.run("--json", stdin=KEEP.replace("keep", "kept_before"))
    process = codemind.start("--json", "--allow-unsandboxed", "--test-cmd", f"sleep 60 # {marker}")
    stream(process.stdin).write(KEEP.encode() + b"EOF\n")
    stream(process.stdin).flush()
    wait_until_runs(marker)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_running_task_is_stopped_and_can_be_resumed(codemind: CommandLine, number: signal.Signals) -> None:
    """One line, 130; the first paste is still known, the second is finished by `resume`."""
    process = in_the_middle_of_a_test(codemind, f"codemind-{os.getpid()}-{number}")
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert out == b""
    assert err.count(b"\n") == 1
    assert err.startswith(b"codemind: interrupted: ")
    assert len(codemind.run("memory", "list", "--json").records) == 1
    assert json.loads(codemind.run("doctor", "--json").out)["unfinished"] == 1


def test_waiting_for_input_is_interrupted_at_once(codemind: CommandLine) -> None:
    """A reader that waits doesn't hold the exit up; nothing is left to resume."""
    process = codemind.start("--json")
    stream(process.stdin).write(KEEP.encode() + b"EOF\n")
    stream(process.stdin).flush()
    assert json.loads(stream(process.stdout).readline())["saved"]["status"] == "added"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err.count(b"\n")) == (130, b"", 1)
    assert json.loads(codemind.run("doctor", "--json").out)["unfinished"] == 0
