"""The ledger among several processes: all saved, a lock with a name, kills at any moment, full and read-only disks."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from errors import MemoryLockedError
from memory import admin
from memory.ledger import Ledger
from memory.locking import command_of, find_user_of, read_holder, write_lock
from tests.memory.rows import Clock, an_experience, numbered, prepared

ROOT = Path(__file__).parents[2]
KILL_DELAYS_S = (0.0, 0.003, 0.011, 0.02, 0.034, 0.05, 0.071, 0.09, 0.12, 0.15)

STORE_FIFTY = """
import sys
from pathlib import Path
from memory.ledger import Ledger
from tests.memory.rows import numbered, prepared
ledger, first = Ledger(Path(sys.argv[1])), int(sys.argv[2])
for number in range(first, first + 50):
    print(number, ledger.store([prepared(numbered(number))])[0].status, flush=True)
"""

HOLD = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from memory.locking import write_lock
with write_lock(Path(sys.argv[1]), 5, lambda: datetime(2026, 11, 30, 9, 0, tzinfo=UTC)):
    print("held", flush=True)
    time.sleep(60)
"""

HOLD_SQLITE = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(60)
"""

LIST = """
import sys
from pathlib import Path
from memory import admin
from memory.export import export_jsonl
from memory.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
assert len(admin.list_experiences(ledger)) == len(list(export_jsonl(ledger))) == 1
heavy = ("langgraph", "langchain_core", "chromadb", "pydantic", "rich", "filelock", "pygments", "ast_grep_py", "logging", "asyncio")
print([name for name in heavy if name in sys.modules])
"""


def _start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_four_processes_save_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    """Four writers that start in a home without a ledger: 200 of 200 are stored, each reported once."""
    path = tmp_path / "home" / "ledger.sqlite3"
    processes = [_start(STORE_FIFTY, path, 50 * number) for number in range(4)]

    outputs = [process.communicate()[0].split() for process in processes]

    assert [process.returncode for process in processes] == [0] * 4
    assert [output.count("added") for output in outputs] == [50] * 4
    assert admin.stats(Ledger(path)).experiences == 200


def test_nothing_reported_is_lost_by_kills_and_the_store_always_opens(tmp_path: Path) -> None:
    """A writer is killed at ten different moments in one home: every reported row is there, and the next one starts at once."""
    path = tmp_path / "ledger.sqlite3"
    reported: set[str] = set()
    for round_number, delay_s in enumerate(KILL_DELAYS_S):
        process = _start(STORE_FIFTY, path, 100 * round_number)
        lines = [_first_line(process)]
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
        lines += (process.communicate()[0] or "").splitlines(keepends=True)
        reported |= {line.split()[0] for line in lines if line.rstrip("\n").endswith("added")}
        with Ledger(path).reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"

    codes = {row.best.code for row in admin.list_experiences(Ledger(path))}

    assert reported
    assert {number for number in reported if numbered(int(number)).code not in codes} == set()
    assert Ledger(path).store([prepared(an_experience())])[0].status == "added"


def test_listing_imports_nothing_heavy(tmp_path: Path) -> None:
    """Reading the ledger needs the standard library only."""
    path = tmp_path / "ledger.sqlite3"
    Ledger(path).store([prepared(numbered(0))])

    assert _start(LIST, path).communicate()[0].strip() == "[]"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A small ledger whose writers wait a quarter of a second."""
    made = Ledger(tmp_path / "ledger.sqlite3", lock_timeout_s=0.25, clock=Clock())
    made.store([prepared(numbered(0))])
    return made


def test_a_second_writer_is_told_who_holds_the_lock(ledger: Ledger) -> None:
    """After its time limit: process, command and since when; reading goes on meanwhile, and a killed holder frees the lock."""
    holder = _start(HOLD, ledger.lock_path)
    assert _first_line(holder) == "held"

    with pytest.raises(MemoryLockedError) as caught:
        ledger.store([prepared(numbered(1))])
    assert f"process {holder.pid}" in caught.value.message
    assert "since 2026-11-30 09:00:00 UTC" in caught.value.message
    assert len(admin.list_experiences(ledger)) == 1

    holder.kill()
    holder.communicate()
    assert read_holder(ledger.lock_path) is None
    assert ledger.store([prepared(numbered(1))])[0].status == "added"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux's /proc")
def test_a_foreign_program_that_locks_the_file_is_named(ledger: Ledger) -> None:
    """A program that only holds SQLite's own lock is found through its open files."""
    holder = _start(HOLD_SQLITE, ledger.path)
    assert _first_line(holder) == "held"

    with pytest.raises(MemoryLockedError, match=f"process {holder.pid} "):
        ledger.store([prepared(numbered(1))])
    assert len(admin.list_experiences(ledger)) == 1

    holder.kill()
    holder.communicate()
    assert ledger.store([prepared(numbered(1))])[0].status == "added"


def test_a_holder_that_cannot_be_found_is_another_program(ledger: Ledger) -> None:
    """Without /proc the message still says that something holds the lock."""
    assert find_user_of(ledger.path, proc=ledger.path.parent / "no-proc") is None


def test_a_waiting_writer_goes_on_when_the_lock_is_freed(tmp_path: Path) -> None:
    """The lock is waited for, not given up at once."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", lock_timeout_s=30, clock=Clock())
    entered, release = threading.Event(), threading.Event()

    def hold() -> None:
        with write_lock(ledger.lock_path, 5, lambda: datetime(2026, 11, 30, tzinfo=UTC)):
            entered.set()
            release.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(30)
    threading.Timer(0.1, release.set).start()

    saved = ledger.store([prepared(numbered(1))])[0]

    holder.join()
    assert saved.status == "added"
    assert not ledger.lock_path.with_name("ledger.lock.holder").exists()


def test_a_command_is_shown_on_one_line() -> None:
    """A holder's command can't break the message: no folder, no control characters, not too long."""
    assert command_of(["/usr/bin/codemind", "memory", "seed\n\x1b[2J"]) == "codemind memory seed ?[2J"
    assert len(command_of(["codemind", "x" * 500])) < 150
    assert command_of([]) == command_of([""]) == "python"
