"""The automatic backup: when it is made, what it costs nothing for, and that it never holds what was forgotten."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from memory import admin, backup
from memory.backup import back_up, back_up_when_due, backup_path, drop_backup, is_sound, read_mark
from memory.ledger import Ledger
from memory.purge import purge
from tests.memory.rows import Clock, numbered, prepared

ROWS = 20


@pytest.fixture
def clock() -> Clock:
    """A clock that the test may put forward."""
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Ledger:
    """Twenty experiences."""
    made = Ledger(tmp_path / "ledger.sqlite3", lock_timeout_s=2, clock=clock)
    made.store([prepared(numbered(number)) for number in range(ROWS)])
    return made


def _rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM alternatives").fetchone()[0])


def test_a_backup_is_a_private_sound_file_without_companions(ledger: Ledger) -> None:
    """One file, 0600, that says when it was made and how far the ledger had come."""
    assert back_up_when_due(ledger)

    path = backup_path(ledger.path)
    assert is_sound(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    mark = read_mark(ledger.path)
    assert mark is not None
    assert (mark.tally.generation, mark.tally.last, mark.made_at[:10]) == (ledger.generation(), ROWS, f"{Clock().now:%Y-%m-%d}")
    assert sorted(file.name for file in path.parent.glob("*backup*")) == ["ledger.backup-auto.sqlite3", "ledger.backup.lock"]


def test_a_backup_is_renewed_after_a_day_or_many_new_fixes(ledger: Ledger, clock: Clock) -> None:
    """Nothing new: never. A little: once a day. Two hundred fixes that are a tenth of all: at once."""
    assert back_up_when_due(ledger)
    assert not back_up_when_due(ledger)
    ledger.store([prepared(numbered(ROWS))])
    assert not back_up_when_due(ledger)
    clock.now += timedelta(days=1)
    assert back_up_when_due(ledger)
    clock.now += timedelta(days=2)
    assert not back_up_when_due(ledger)

    ledger.store([prepared(numbered(number)) for number in range(1000, 1000 + backup.MANY_ROWS)])
    assert back_up_when_due(ledger)
    assert _rows(backup_path(ledger.path)) == ROWS + 1 + backup.MANY_ROWS


def test_an_empty_home_gets_no_backup_and_no_file(tmp_path: Path) -> None:
    """Nothing is made where nothing was learnt."""
    assert not back_up_when_due(Ledger(tmp_path / "home" / "ledger.sqlite3"))
    assert not (tmp_path / "home").exists()


class _Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_no_backup_is_made_when_the_disk_is_short(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory itself needs the room."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Usage(1 << 40, 0, backup.LEAST_FREE_BYTES - 1))

    assert not back_up_when_due(ledger)
    assert read_mark(ledger.path) is None


def test_what_is_forgotten_leaves_the_backup_at_once(ledger: Ledger) -> None:
    """No file beside the ledger holds a word of it any more, and there is a backup again."""
    back_up(ledger)
    gone = prepared(numbered(7))

    done = admin.forget(ledger, gone.id)

    assert done.leftovers == ()
    assert _rows(backup_path(ledger.path)) == ROWS - 1
    assert not [file.name for file in ledger.path.parent.iterdir() if b"def part7(" in file.read_bytes()]


def test_a_backup_that_was_copied_before_a_forget_never_comes_into_place(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of an older state is thrown away."""
    look = backup.is_sound

    def forget_meanwhile(path: Path) -> bool:
        monkeypatch.setattr(backup, "is_sound", look)
        admin.forget(ledger, prepared(numbered(7)).id)
        return look(path)

    monkeypatch.setattr(backup, "is_sound", forget_meanwhile)

    assert not back_up(ledger)

    assert not [file.name for file in ledger.path.parent.iterdir() if b"def part7(" in file.read_bytes()]


def test_what_is_purged_leaves_the_backup_too(ledger: Ledger) -> None:
    """Else damage would bring it back."""
    back_up(ledger)

    purge(ledger, "team-notes")

    assert _rows(backup_path(ledger.path)) == 0


def test_copies_of_killed_runs_are_swept_and_dropped(ledger: Ledger) -> None:
    """Before a backup is made, and when something is forgotten."""
    stale = ledger.path.with_name("ledger.backup-new-1.sqlite3")
    stale.write_bytes(b"half")
    back_up(ledger)
    assert not stale.exists()

    stale.write_bytes(b"half")
    drop_backup(ledger.path)
    assert not stale.exists()
    assert not backup_path(ledger.path).exists()


def test_a_broken_ledger_does_not_take_the_place_of_a_good_backup(ledger: Ledger) -> None:
    """A copy is read through first: damage that no query has met is found here, and mended from the backup that is there."""
    back_up(ledger)
    ledger.store([prepared(numbered(ROWS))])
    content = bytearray(ledger.path.read_bytes())
    place = content.index(b"def part10(") // 4096 * 4096
    content[place : place + 4096] = b"\xff" * 4096
    ledger.path.write_bytes(content)

    assert not back_up(ledger)

    assert "has been mended" in ledger.take_note()
    assert admin.health(ledger).problem == ""
    assert admin.stats(ledger).alternatives >= ROWS
