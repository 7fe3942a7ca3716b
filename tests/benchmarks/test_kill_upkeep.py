"""What the benchmark of killed commands can see: a loss, an unsound file, what is left over."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.kill_homes import Workshop
from benchmarks.kill_outcome import LIMIT_S, files_with, fixes_of, outcome, reported, run_for, still_running, unsoundness
from benchmarks.kill_upkeep import lost, moments, shared_out
from memory import admin
from memory.ledger import LEDGER_NAME, Ledger
from memory.schema_sql import MIGRATIONS
from tests.memory.rows import an_experience, numbered, prepared


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two fixes, and a folder for temporary files beside it."""
    (tmp_path / "tmp").mkdir()
    place = tmp_path / "home"
    Ledger(place / LEDGER_NAME).store([prepared(an_experience()), prepared(numbered(1))])
    return place


def test_kills_are_spread_over_the_whole_command() -> None:
    """One in each part of its time, and the commands share them out, the first getting what is left."""
    shares = moments(20, random.Random(1))  # noqa: S311 - no secret
    assert sorted(int(share * 20) for share in shares) == list(range(20))
    assert shared_out(["a", "b", "c"], 8) == [("a", 3), ("b", 3), ("c", 2)]
    assert shared_out(["a", "b"], 1) == [("a", 1)]


def test_what_was_called_safe_last_counts() -> None:
    """The line of progress is written over: its last state is what the user has read."""
    assert reported("learning: 200 lines, 150 new, 30 %\rlearning: 400 lines, 310 new, 60 %\r") == 310
    assert reported("nothing was told") == 0


def test_a_killed_command_has_no_status_and_one_that_ends_has(home: Path) -> None:
    """And what it wrote until then is kept."""
    ended = run_for(home, home.parent / "tmp", ("memory", "export"), "", LIMIT_S)
    assert (ended.status, len(ended.out.splitlines())) == (0, 2)
    assert run_for(home, home.parent / "tmp", ("memory", "export"), "", 0.0).status is None
    assert still_running(home) == []


def test_a_lost_fix_an_unsound_file_and_a_left_over_word_are_seen(home: Path) -> None:
    """Each of them is counted, and named."""
    wanted = outcome(home)
    ledger = Ledger(home / LEDGER_NAME)
    assert (len(wanted.fixes), fixes_of(home).total(), unsoundness(ledger.path)) == (2, 2, "")
    assert (bool(files_with(home, b"part1")), files_with(home, b"walrus")) == (True, [])

    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("DELETE FROM experiences WHERE seq = 1")  # foreign keys are off: its rows stay
        connection.commit()

    assert "dangling" in unsoundness(ledger.path)
    assert outcome(home).fixes != wanted.fixes


def test_what_was_there_and_what_was_reported_must_be_there() -> None:
    """What the command itself takes away is not lost; what it had called safe and is not there is."""
    before, stays = Counter(["a", "b"]), Counter(["a", "b", "c", "d"])
    assert lost(before, Counter(["a", "b", "c"]), stays, 1) == 0
    assert lost(before, Counter(["a", "b", "c"]), stays, 2) == 1
    assert lost(before, Counter(["a"]), stays, 0) == 1
    assert lost(before, Counter(["a"]), Counter(["a"]), 0) == 0


def test_a_ledger_of_an_earlier_schema_is_one(tmp_path: Path) -> None:
    """It says its version, holds every fix, and is brought to the present by the first use."""
    makers = Workshop(tmp_path, 4).makers()
    for version in range(1, len(MIGRATIONS)):
        home = makers[f"migration from {version}"]().home
        with closing(sqlite3.connect(home / LEDGER_NAME)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (version,)
        assert fixes_of(home).total() == 4
        ledger = Ledger(home / LEDGER_NAME)
        assert len(admin.list_experiences(ledger)) == 4
        with ledger.reading() as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
