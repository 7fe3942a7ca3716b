"""Ctrl-C while the user's test command runs: it is killed, nothing more is started for that paste, and the session goes on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from integrations.sandbox import BubblewrapSandbox
from tests.cli.harness import CommandLine
from tests.cli.screen import PATIENCE_S, TYPED, opened
from tests.cli.test_interrupt import arguments_of, wait_until_runs

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the running test command in /proc")


def still_runs(marker: str) -> bool:
    """True while a process other than CodeMind has the marker among its arguments."""
    running = map(arguments_of, Path("/proc").glob("[0-9]*/cmdline"))
    return any(marker.encode() in arguments and b"main.py" not in arguments for arguments in running)


def wait_until_gone(marker: str) -> None:
    """Return once it is."""
    deadline = time.monotonic() + PATIENCE_S
    while still_runs(marker):
        assert time.monotonic() < deadline, "the test command goes on"
        time.sleep(0.02)


@pytest.mark.parametrize("sandboxed", [True, False])
def test_control_c_kills_the_test_command_and_comes_back_to_the_prompt(codemind: CommandLine, sandboxed: bool) -> None:
    """Twice in a row; neither the fixed code's run nor another is started after it."""
    if sandboxed and not BubblewrapSandbox().mode().startswith("bubblewrap"):
        pytest.skip("bubblewrap does not work on this machine")
    marker = f"codemind-{os.getpid()}-{sandboxed}"
    options = () if sandboxed else ("--allow-unsandboxed",)
    with opened(codemind, *options, "--test-cmd", f"sleep 61 # {marker}") as screen:
        for _ in range(2):
            screen.type(TYPED)
            wait_until_runs(marker)
            screen.type("\x03")
            screen.wait_for("stopped; nothing of it was saved")
            wait_until_gone(marker)
            screen.wait_for("code>")
            screen.quiet()
            assert not still_runs(marker)
        screen.type("/quit\r")
