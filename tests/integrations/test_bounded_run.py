"""A process with limits: what it started ends with it."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

import pytest

from integrations.bounded_run import BoundedRunner

PATIENCE_S = 30.0
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists() or shutil.which("setsid") is None, reason="looks for the child in /proc"
)


def wait_for(path: Path) -> str:
    """What is written there, once it is."""
    deadline = time.monotonic() + PATIENCE_S
    while not (path.exists() and path.read_text().strip()):
        assert time.monotonic() < deadline, "the child never began"
        time.sleep(0.01)
    return path.read_text().strip()


def test_a_child_in_a_session_of_its_own_ends_too(tmp_path: Path) -> None:
    """bubblewrap's child leaves the group before it is bound to its parent's life: a kill in that moment must reach it."""
    runner, told = BoundedRunner(), tmp_path / "child"
    command = f"setsid sh -c 'echo $$ > {told}; exec sleep 61' & wait"
    run = threading.Thread(target=lambda: runner.run(["/bin/sh", "-c", command], env={"PATH": "/usr/bin:/bin"}, cwd=tmp_path, timeout_s=60))
    run.start()
    child = Path("/proc") / wait_for(told)
    runner.cancel()
    run.join(PATIENCE_S)
    assert not run.is_alive()
    deadline = time.monotonic() + PATIENCE_S
    while child.exists() and "\nState:\tZ" not in (child / "status").read_text():
        assert time.monotonic() < deadline, "the child goes on"
        time.sleep(0.01)
