"""A damaged ledger without a backup: moved aside, said so, never silently replaced, and its readable rows are saved."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from errors import MemoryDamagedError, MemoryHealedError
from memory import admin
from memory.backup import backup_path
from memory.damage import Identity, marker_path, quarantine, quarantined_file
from memory.judging import judge
from memory.ledger import Ledger
from memory.recover import recover
from tests.memory.rows import Clock, an_experience, numbered, prepared


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger with 200 experiences, one of them used and one forgotten."""
    made = Ledger(tmp_path / "ledger.sqlite3", lock_timeout_s=2, clock=Clock())
    saved = made.store([prepared(numbered(number)) for number in range(200)])
    judge(made, saved[0].alternative_id or 0, accepted=True)
    forgotten = made.store([prepared(an_experience())])[0]
    admin.forget(made, forgotten.id or "")
    return made


def _garbage(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def _text(path: Path) -> None:
    path.write_text("this is not a database\n" * 100, encoding="utf-8")


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _foreign(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[68:72] = b"\x00\x00\x00\x00"
    path.write_bytes(content)


UNREADABLE = [_garbage, _text, _emptied]


def _without_backup(ledger: Ledger) -> None:
    backup_path(ledger.path).unlink()


@pytest.mark.parametrize("damage", UNREADABLE, ids=lambda each: each.__name__.strip("_"))
@pytest.mark.parametrize("use", ["read", "write"])
def test_what_nothing_can_be_read_of_blocks_until_recovered(ledger: Ledger, damage: Callable[[Path], None], use: str) -> None:
    """Without a backup the first use says where the file went and what to run; so does every later one; nothing is started anew."""
    _without_backup(ledger)
    damage(ledger.path)
    damaged = ledger.path.read_bytes()

    with pytest.raises(MemoryDamagedError, match="codemind memory recover"):
        _use(ledger, use)

    place = quarantined_file(ledger.path)
    assert place is not None
    assert place.read_bytes() == damaged
    assert not ledger.path.exists()
    for again in ("read", "write"):
        with pytest.raises(MemoryDamagedError, match=place.name):
            _use(ledger, again)
    assert not ledger.path.exists()


def _use(ledger: Ledger, use: str) -> None:
    if use == "read":
        admin.search(ledger, "values")
    else:
        ledger.store([prepared(numbered(1000))])


def test_damage_inside_the_file_is_met_by_the_query_that_touches_it(ledger: Ledger) -> None:
    """A broken page far from the header is found when it is read: that call ends, the next is answered by the mended memory."""
    _break_pages(ledger.path, first=0.3, last=0.4)

    with pytest.raises(MemoryHealedError, match="Run the same command again"):
        admin.search(ledger, "no such word anywhere")

    assert quarantined_file(ledger.path) is None
    assert len(admin.search(ledger, "values")) == 200


def _break_pages(path: Path, first: float, last: float) -> None:
    """Overwrite the pages between two shares of the file."""
    content = bytearray(path.read_bytes())
    start, end = (int(len(content) * share) // 4096 * 4096 for share in (first, last))
    content[start:end] = b"\xff" * (end - start)
    path.write_bytes(content)


def test_recovery_saves_the_rows_beside_broken_pages(ledger: Ledger) -> None:
    """Rows on whole pages come back with their counters and tombstones; the damaged file is kept as it was."""
    _without_backup(ledger)
    _break_pages(ledger.path, first=0.3, last=0.35)
    before = ledger.path.read_bytes()

    done = recover(ledger)

    assert 100 <= done.saved == admin.stats(ledger).alternatives
    assert 200 <= done.saved + done.lost <= 201  # the forgotten row may lie on a broken page, too
    assert done.quarantined is not None
    assert done.quarantined.read_bytes() == before
    assert not marker_path(ledger.path).exists()


def test_recovery_finds_damage_that_no_command_has_met(ledger: Ledger) -> None:
    """`doctor` says to run it; it does not answer that nothing is wrong."""
    _without_backup(ledger)
    _break_pages(ledger.path, first=0.3, last=0.35)
    assert admin.health(ledger).problem

    done = recover(ledger)

    assert 100 <= done.saved == admin.stats(ledger).alternatives
    assert done.quarantined is not None
    assert admin.health(ledger).problem == ""


def test_recovery_of_a_sound_file_loses_nothing(ledger: Ledger) -> None:
    """What only lost its mark comes back whole: rows, verdicts, and what was forgotten stays forgotten."""
    generation = admin.list_experiences(ledger)
    _without_backup(ledger)
    _foreign(ledger.path)

    done = recover(ledger)

    again = admin.list_experiences(ledger)
    assert (done.saved, done.lost) == (200, 0)
    assert [(row.id, row.best.accepted, row.best.trust, row.best.created_at) for row in again] == [
        (row.id, row.best.accepted, row.best.trust, row.best.created_at) for row in generation
    ]
    assert ledger.store([prepared(an_experience())])[0].why == "rejected"


def test_nothing_readable_needs_a_second_word(ledger: Ledger) -> None:
    """When nothing can be saved the memory is not started anew unless asked for; then it works again."""
    _without_backup(ledger)
    _garbage(ledger.path)
    with pytest.raises(MemoryDamagedError):
        admin.stats(ledger)

    with pytest.raises(MemoryDamagedError, match="--empty"):
        recover(ledger)
    assert not ledger.path.exists()
    done = recover(ledger, empty=True)

    assert (done.saved, done.lost) == (0, 0)
    assert admin.stats(ledger).experiences == 0
    assert ledger.store([prepared(numbered(1))])[0].status == "added"


def test_a_backup_that_the_user_puts_in_place_is_kept(ledger: Ledger) -> None:
    """Recovery takes a good file that lies there and only lifts the block."""
    good = ledger.path.read_bytes()
    _without_backup(ledger)
    _garbage(ledger.path)
    with pytest.raises(MemoryDamagedError):
        admin.stats(ledger)
    ledger.path.write_bytes(good)

    done = recover(ledger)

    assert done.saved == 200
    assert admin.stats(ledger).alternatives == 200


def test_a_bad_backup_is_not_taken(ledger: Ledger) -> None:
    """A second unreadable file is named, and the block stays."""
    _without_backup(ledger)
    _garbage(ledger.path)
    with pytest.raises(MemoryDamagedError):
        admin.stats(ledger)
    ledger.path.write_bytes(b"rubbish")

    with pytest.raises(MemoryDamagedError, match="can't be read either"):
        recover(ledger)

    assert marker_path(ledger.path).exists()


def test_a_move_that_was_cut_short_is_finished(ledger: Ledger) -> None:
    """A kill between marker and move leaves the file in place: it is moved, and the memory mended."""
    marker_path(ledger.path).write_text('{"moved_to": "ledger.damaged-20261130T120000Z.sqlite3"}', encoding="utf-8")

    assert admin.stats(ledger).alternatives == 200
    assert not marker_path(ledger.path).exists()
    assert ledger.path.with_name("ledger.damaged-20261130T120000Z.sqlite3").exists()


def test_a_file_that_was_replaced_meanwhile_is_not_moved(ledger: Ledger) -> None:
    """Damage seen in a file that another process has replaced since does not touch the new one."""
    old = Identity.of(ledger.path)
    content = ledger.path.read_bytes()
    ledger.path.rename(ledger.path.with_name("old"))
    ledger.path.write_bytes(content)

    error = quarantine(ledger.path, old, Clock())

    assert "run the same command again" in error.message
    assert admin.stats(ledger).alternatives == 200


def test_health_names_the_trouble_and_never_raises_for_it(ledger: Ledger) -> None:
    """Sound, missing and damaged ledgers each have an answer for doctor."""
    _without_backup(ledger)
    assert admin.health(ledger).problem == ""
    assert admin.health(Ledger(ledger.path.with_name("none.sqlite3"))).exists is False
    _text(ledger.path)
    assert "moved to" in admin.health(ledger).problem
    assert "moved to" in admin.health(ledger).problem


def test_without_damage_recovery_does_nothing(ledger: Ledger) -> None:
    """No marker, no change."""
    before = ledger.path.read_bytes()

    assert recover(ledger).quarantined is None
    assert ledger.path.read_bytes() == before
