"""Sharing through everything that goes wrong: rubbish, servers that are away or emptied, kills, copies and backups of a home."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errors import SharingFailedError
from memory import admin
from memory.ledger import Ledger
from memory.sharing import EMPTIED, NEW_NAME, queue, sync
from memory.sharing_report import SyncReport
from schema.sharing import SharedDocument, SharedHead
from tests.memory.rows import Clock, numbered, prepared
from tests.memory.shared_memories import FakeShared, own

OpenLedger = Callable[[str], Ledger]


@pytest.fixture
def open_ledger(tmp_path: Path) -> OpenLedger:
    """A ledger of its own for each name."""
    return lambda name: Ledger(tmp_path / name / "ledger.sqlite3", lock_timeout_s=5, clock=Clock())


@pytest.fixture
def team(open_ledger: OpenLedger) -> tuple[Ledger, Ledger, FakeShared]:
    """Two colleagues and what they share."""
    return open_ledger("ann"), open_ledger("bob"), FakeShared()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no buggy code"),
        ('{"format": 99, "code": "a", "fixed_code": "b"}', "newer CodeMind"),
        ('{"code": "x = 1\\n", "fixed_code": "x = 2\\n", "language": "python", "id": "00"}', "not that of its code"),
        ('{"code": "x = 1\\n", "fixed_code": "x  =  1\\n", "language": "python"}', "changes nothing"),
        ('{"code": "\\ud800", "fixed_code": "b"}', "lone surrogate"),
    ],
)
def test_a_document_that_is_no_record_is_counted_and_passed(team: tuple[Ledger, Ledger, FakeShared], text: str, reason: str) -> None:
    """Rubbish in the shared memory holds nobody up, and is read once."""
    ann, bob, shared = team
    shared.write([SharedDocument(SharedHead("rubbish", "f" * 32, 1), text)])
    ann.store([own()])
    sync(ann, shared)

    done, again = sync(bob, shared), sync(bob, shared)

    assert done.pulled == 1
    assert reason in next(iter(done.refused))
    assert not again.refused


def test_what_could_not_be_sent_waits_and_is_sent_later(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Offline work is queued in the ledger, which counts it."""
    ann, bob, shared = team
    shared.is_away = True
    ann.store([prepared(numbered(each)) for each in range(120)])
    with pytest.raises(SharingFailedError):
        sync(ann, shared)
    assert queue(ann, shared.host).waiting == 120

    shared.is_away = False
    sync(ann, shared)

    assert (queue(ann, shared.host).waiting, sync(bob, shared).pulled) == (0, 120)


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_kill_between_sending_and_noting_it_does_no_harm(team: tuple[Ledger, Ledger, FakeShared], how: str) -> None:
    """Whether the server had written the batch or not, all arrive once."""
    ann, bob, shared = team
    ann.store([prepared(numbered(each)) for each in range(120)])
    shared.failing = ["", how]
    with pytest.raises(SharingFailedError):
        sync(ann, shared)
    sync(bob, shared)
    ann.store([prepared(numbered(each)) for each in range(120, 130)])

    sync(ann, shared)
    sync(bob, shared)

    assert (admin.count(bob), len(shared.documents)) == (130, 130)


def test_a_server_that_was_emptied_is_filled_again(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Lost documents, or another collection: each client sends its own once more, and nobody has anything twice."""
    ann, bob, shared = team
    ann.store([own()])
    bob.store([prepared(numbered(1))])
    for ledger in (ann, bob, ann):
        sync(ledger, shared)
    shared.documents.clear()
    assert EMPTIED in sync(ann, shared).notes

    fresh = FakeShared()
    for ledger in (bob, ann, bob):
        sync(ledger, fresh)

    assert (len(fresh.documents), admin.count(ann), admin.count(bob)) == (2, 2, 2)


def test_a_copied_home_takes_a_name_of_its_own(team: tuple[Ledger, Ledger, FakeShared], open_ledger: OpenLedger) -> None:
    """Two ledgers that number their fixes alike would hide them from colleagues: the second to come notices."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    twin = open_ledger("twin")
    shutil.copytree(ann.path.parent, twin.path.parent)
    ann.store([prepared(numbered(1))])
    twin.store([prepared(numbered(2))])
    sync(ann, shared)
    sync(bob, shared)

    done = sync(twin, shared)
    sync(bob, shared)
    sync(ann, shared)

    assert NEW_NAME in done.notes
    assert admin.count(bob) == admin.count(ann) == admin.count(twin) == 3


def test_a_home_restored_from_a_backup_hides_nothing(team: tuple[Ledger, Ledger, FakeShared], tmp_path: Path) -> None:
    """What is saved after the restore arrives, though its numbers had been given before."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    shutil.copytree(ann.path.parent, tmp_path / "backup")
    ann.store([prepared(numbered(each)) for each in range(5)])
    sync(ann, shared)
    sync(bob, shared)
    shutil.rmtree(ann.path.parent)
    shutil.copytree(tmp_path / "backup", ann.path.parent)
    ann.store([prepared(numbered(each)) for each in range(3, 9)])

    sync(ann, shared)
    sync(bob, shared)
    sync(ann, shared)

    assert admin.count(bob) == admin.count(ann) == 10


def test_an_acknowledgement_that_was_lost_lets_no_number_be_given_twice(team: tuple[Ledger, Ledger, FakeShared], tmp_path: Path) -> None:
    """A backup from the midst of a sending, whose later changes got lower numbers than the server has: they are numbered anew."""
    ann, bob, shared = team
    ann.store([prepared(numbered(1))])
    sync(ann, shared)
    ann.store([prepared(numbered(2))])
    with ann.writing() as connection:
        connection.execute("INSERT INTO revisions (experience, fix_key) VALUES ('e', 'f')")
        connection.execute("DELETE FROM revisions WHERE experience = 'e'")
    shared.failing = ["after"]
    ann.store([prepared(numbered(3))])
    with pytest.raises(SharingFailedError):
        sync(ann, shared)
    sync(bob, shared)
    ann.store([prepared(numbered(4))])
    with ann.writing() as connection:
        connection.execute("UPDATE revisions SET seq = 3 WHERE alternative = (SELECT max(seq) FROM alternatives)")

    sync(ann, shared)
    sync(bob, shared)

    assert admin.count(bob) == 4


STEP = st.tuples(st.integers(0, 2), st.sampled_from(["store", "forget", "sync", "sync", "before", "after", "away"]), st.integers(0, 5))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_whatever_happens_in_whatever_order_all_have_the_same_in_the_end(tmp_path: Path, steps: list[tuple[int, str, int]]) -> None:
    """Three clients store, forget and synchronise with failures: then each has all that somebody offers and he has not forgotten."""
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    ledgers = [Ledger(folder / str(each) / "ledger.sqlite3", lock_timeout_s=5) for each in range(3)]
    shared = FakeShared()
    owned: list[set[int]] = [set(), set(), set()]
    forgotten: list[set[int]] = [set(), set(), set()]
    ids = {number: prepared(numbered(number)).id for number in range(6)}
    for who, what, number in steps:
        ledger = ledgers[who]
        if what == "store":
            if ledger.store([prepared(numbered(number))])[0].status != "skipped":
                owned[who].add(number)
        elif what == "forget":
            if ids[number] in {each.id for each in admin.list_experiences(ledger)}:
                admin.forget(ledger, ids[number])
                forgotten[who].add(number)
                owned[who].discard(number)
        else:
            shared.failing, shared.is_away = ([what], False) if what in {"before", "after"} else ([], what == "away")
            _try(ledger, shared)
            shared.failing, shared.is_away = [], False
    for _ in range(2):
        for ledger in ledgers:
            sync(ledger, shared)

    offered = set().union(*owned)
    for ledger, gone in zip(ledgers, forgotten, strict=True):
        assert {each.id for each in admin.list_experiences(ledger)} == {ids[each] for each in offered - gone}


def _try(ledger: Ledger, shared: FakeShared) -> SyncReport | None:
    try:
        return sync(ledger, shared)
    except SharingFailedError:
        return None
