"""Disks that are full, read-only or not what they should be."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from errors import StorageFailedError
from memory import admin
from memory.ledger import Ledger
from tests.memory.rows import an_experience, numbered, prepared

ROOT = Path(__file__).parents[2]

FILL = """
import resource, sys
from pathlib import Path
from errors import CodeMindError
from memory import admin
from memory.ledger import Ledger
from tests.memory.rows import numbered, prepared
ledger = Ledger(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
stored = 0
try:
    for number in range(2000):
        ledger.store([prepared(numbered(number))])
        stored += 1
except CodeMindError as error:
    print(type(error).__name__, stored, admin.stats(ledger).alternatives, error.message)
"""


def _start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("limit", [300_000, 20_000])
def test_a_full_disk_is_one_sentence_and_what_was_reported_stays(tmp_path: Path, limit: int) -> None:
    """A file size limit stops the write with storage_failed; everything reported before is there, and reading still works."""
    path = tmp_path / "ledger.sqlite3"

    output = _start(FILL, path, limit).communicate()[0]

    name, stored, alternatives, *message = output.split()
    assert (name, stored) == ("StorageFailedError", alternatives)
    assert str(path) in " ".join(message)
    assert (int(stored) > 0) == (limit == 300_000)
    assert admin.stats(Ledger(path)).alternatives == int(stored)
    assert Ledger(path).store([prepared(an_experience())])[0].status == "added"
    assert [file.name for file in tmp_path.iterdir() if ".new-" in file.name] == []


READ_ONLY = """
import os, shutil, sys, tempfile
from pathlib import Path
import filelock
from errors import CodeMindError
from memory import admin
from memory.ledger import Ledger
from tests.memory.rows import numbered, prepared
row = prepared(numbered(7))
if os.geteuid() == 0:  # root may write anything, so go on as nobody
    os.setgid(65534)
    os.setuid(65534)
ledger = Ledger(Path(sys.argv[1]))
print(len(admin.list_experiences(ledger)))
try:
    ledger.store([row])
except CodeMindError as error:
    print(type(error).__name__, error.message)
"""


@pytest.fixture
def read_only_home() -> Iterator[Path]:
    """A home that an ordinary user may read, outside of pytest's private folder; taken away at the end."""
    folder = Path(tempfile.mkdtemp(prefix="codemind-test-"))
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX rights")
@pytest.mark.parametrize("left_over", [False, True], ids=["closed", "killed"])
def test_a_read_only_home_can_be_read_and_says_that_nothing_is_saved(read_only_home: Path, left_over: bool) -> None:
    """Recall works on a read-only disk, also after a kill that left changes beside the file; a write is one sentence."""
    path = read_only_home / "ledger.sqlite3"
    Ledger(path).store([prepared(numbered(0))])
    if left_over:
        keep = 'import os, sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.execute("DELETE FROM keys"); c.commit(); os._exit(0)'
        subprocess.run([sys.executable, "-c", keep, str(path)], check=True)
        Path(f"{path}-shm").unlink()
        assert Path(f"{path}-wal").stat().st_size > 0
    for file in read_only_home.iterdir():
        file.chmod(0o444)
    read_only_home.chmod(0o555)

    count, error = _start(READ_ONLY, path).communicate()[0].splitlines()

    assert count == "1"
    assert error.startswith("StorageFailedError")
    assert str(read_only_home) in error


def test_a_folder_where_the_ledger_should_be_is_a_storage_fault(tmp_path: Path) -> None:
    """Nothing is moved or deleted that is not a ledger file."""
    (tmp_path / "ledger.sqlite3").mkdir()

    with pytest.raises(StorageFailedError, match="folder"):
        admin.list_experiences(Ledger(tmp_path / "ledger.sqlite3"))
    with pytest.raises(StorageFailedError):
        Ledger(tmp_path / "ledger.sqlite3").store([prepared(numbered(1))])


def test_a_file_where_the_home_should_be_is_a_storage_fault(tmp_path: Path) -> None:
    """A home that can't be made is said so."""
    (tmp_path / "home").write_text("", encoding="utf-8")

    with pytest.raises(StorageFailedError):
        Ledger(tmp_path / "home" / "ledger.sqlite3").store([prepared(numbered(1))])


def test_a_left_over_of_a_killed_creation_is_no_ledger_and_goes_away(tmp_path: Path) -> None:
    """A file that a kill left before the ledger was in place is cleaned up by the next writer."""
    stale = tmp_path / "ledger.new-1.sqlite3"
    stale.write_bytes(b"")

    Ledger(tmp_path / "ledger.sqlite3").store([prepared(numbered(1))])

    assert not stale.exists()
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite3")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
