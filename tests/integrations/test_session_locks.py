"""One lock a live session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from errors import StorageFailedError
from integrations.session_locks import SessionLocks

HOLD = """
import sys
from pathlib import Path
from integrations.session_locks import SessionLocks
locks = SessionLocks(Path(sys.argv[1]))
print(locks.acquire("one"), flush=True)
sys.stdin.read()
"""
ROOT = Path(__file__).resolve().parents[2]


def test_a_lock_is_held_once(tmp_path: Path) -> None:
    """By this object or another one; given back, it can be taken again and its file is gone."""
    mine, yours = SessionLocks(tmp_path), SessionLocks(tmp_path)

    assert mine.acquire("one")
    assert not mine.acquire("one")
    assert not yours.acquire("one")
    assert yours.acquire("two")
    mine.release("one")
    assert not (tmp_path / "one.lock").exists()
    assert yours.acquire("one")


def test_releasing_what_is_not_held_does_nothing(tmp_path: Path) -> None:
    """A session without a lock ends like any other."""
    SessionLocks(tmp_path).release("one")


def test_a_killed_process_holds_no_lock(tmp_path: Path) -> None:
    """The system frees it, the file may stay."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        said = other.stdout.readline()
        locks = SessionLocks(tmp_path)
        while_alive = locks.acquire("one")
        other.kill()

    assert (said, while_alive) == (b"True\n", False)
    assert locks.acquire("one")


def test_a_folder_that_can_t_be_made_is_a_storage_failure(tmp_path: Path) -> None:
    """The driver then goes on in memory."""
    (tmp_path / "file").write_text("x")

    with pytest.raises(StorageFailedError):
        SessionLocks(tmp_path / "file").acquire("one")
