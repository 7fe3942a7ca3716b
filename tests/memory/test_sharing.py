"""What sharing promises: what goes, what comes, what is withdrawn, and what one colleague can't do to another."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memory import admin
from memory.judging import judge
from memory.ledger import Ledger
from memory.purge import purge
from memory.sharing import queue, sync
from memory.verdicts import fix_keys
from schema.experience import Provenance
from schema.source import Source
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, Clock, an_experience, numbered, prepared
from tests.memory.shared_memories import FakeShared, fixes, own

OpenLedger = Callable[[str], Ledger]


@pytest.fixture
def open_ledger(tmp_path: Path) -> OpenLedger:
    """A ledger of its own for each name."""
    return lambda name: Ledger(tmp_path / name / "ledger.sqlite3", lock_timeout_s=5, clock=Clock())


@pytest.fixture
def team(open_ledger: OpenLedger) -> tuple[Ledger, Ledger, FakeShared]:
    """Two colleagues and what they share."""
    return open_ledger("ann"), open_ledger("bob"), FakeShared()


def test_a_colleagues_fix_comes_as_a_plausible_one_of_its_author(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Tested there is not tested here: kind peer, author kept, plausible, nothing verified, no counts taken over."""
    ann, bob, shared = team
    ann.store([own()])

    sync(ann, shared, author="Ann")
    done = sync(bob, shared, author="Bob")

    best = admin.list_experiences(bob)[0].best
    assert (done.pulled, best.provenance.kind, best.provenance.author, best.trust) == (1, "peer", "Ann", "plausible")
    assert (best.verification.level, best.uses, best.accepted, best.code, best.fixed_code) == ("none", 0, 0, MEAN, MEAN_FIXED)


def test_the_author_of_an_import_stays_its_author(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Whoever pushes is not whoever wrote it."""
    ann, bob, shared = team
    written = replace(an_experience(), provenance=Provenance("git", "repo@1:a.py", author="Carla"))
    ann.store([prepared(written)])

    sync(ann, shared, author="Ann")
    sync(bob, shared)

    origin = admin.list_experiences(bob)[0].best.provenance
    assert (origin.author, origin.ref) == ("Carla", "repo@1:a.py")


def test_what_was_pulled_is_not_pushed_back(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """A fix stands once in the shared memory, under whoever shared it, however often they synchronise and use it."""
    ann, bob, shared = team
    ann.store([own()])

    for ledger in (ann, bob, ann, bob):
        sync(ledger, shared)
    judge(bob, admin.list_experiences(bob)[0].best.id, accepted=True)
    sync(bob, shared)

    assert len(shared.documents) == shared.writes == 1


def test_doing_it_again_sends_nothing(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Nothing is written when nothing has changed."""
    ann, _, shared = team
    ann.store([prepared(numbered(each)) for each in range(3)])
    sync(ann, shared)

    again = sync(ann, shared)

    assert (again.pushed, shared.writes, again.waiting) == (0, 3, 0)


def test_two_fixes_of_one_code_become_alternatives(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """A conflict loses neither side."""
    ann, bob, shared = team
    ann.store([own()])
    bob.store([own(fixed=MEAN_OTHER_FIX)])

    for ledger in (ann, bob, ann):
        sync(ledger, shared)

    both = {(MEAN, MEAN_FIXED), (MEAN, MEAN_OTHER_FIX)}
    assert fixes(ann) == fixes(bob) == both
    assert admin.count(ann) == admin.count(bob) == 1


def test_a_fix_of_ones_own_is_not_weakened_by_a_colleagues(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """The same fix from a colleague changes nothing about the proved one."""
    ann, bob, shared = team
    ann.store([own()])
    bob.store([prepared(an_experience())])
    sync(bob, shared)

    done = sync(ann, shared)

    best = admin.list_experiences(ann)[0].best
    assert (done.known, best.trust, best.provenance.kind) == (1, "proved", "session")


def test_quarantined_and_rejected_fixes_are_not_offered(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """What must be looked at first, or was found wrong, stays here until that changes."""
    ann, _, shared = team
    ann.store([prepared(an_experience(trust="quarantined")), prepared(replace(numbered(1), trust="rejected"))])

    done = sync(ann, shared)
    assert (done.pushed, done.held.total(), shared.documents) == (0, 2, {})

    admin.approve(ann, admin.quarantined(ann)[0].experience_id)
    assert sync(ann, shared).pushed == 1


def test_what_looks_like_a_secret_is_held_back(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Each text is looked at again before it leaves the machine: code, fix, words, where it came from."""
    ann, _, shared = team
    key = "AKIA" + "Q3EXAMPLE7KEYXYZ"[:16]
    ann.store([prepared(an_experience(explanation=f"the key {key} was wrong")), prepared(numbered(1))])

    done = sync(ann, shared)

    assert (done.pushed, dict(done.held)) == (1, {"look as if they held a secret": 1})
    assert key not in json.dumps([each.text for each in shared.documents.values()])
    assert queue(ann, shared.host).held == {"look as if they held a secret": 1}


def test_projects_and_counts_do_not_leave_the_machine(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Nobody else would take them over, and they say something about the user."""
    ann, _, shared = team
    ann.store([prepared(an_experience(scope="secret-project-1a2b3c4d"))])

    sync(ann, shared)

    (document,) = shared.documents.values()
    assert "secret-project" not in document.text
    assert not {"scopes", "counters", "cost"} & set(json.loads(document.text))


def test_forgetting_travels_as_hashes_and_takes_the_copies_away(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """The shared record becomes a tombstone without text; a colleague's copy goes, and may come again from another."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    sync(bob, shared)

    admin.forget(ann, admin.list_experiences(ann)[0].id)
    sent, done = sync(ann, shared), sync(bob, shared)

    (document,) = shared.documents.values()
    assert (sent.withdrawn, done.removed, admin.count(bob), document.is_gone) == (1, 1, 0, True)
    assert not any(word in document.text for word in ("mean", "values", "empty list"))
    assert bob.store([own()])[0].status == "added"


@pytest.mark.parametrize("how", ["pinned", "accepted", "made here", "imported later", "from another colleague"])
def test_a_withdrawn_fix_stays_with_whoever_made_it_theirs(
    team: tuple[Ledger, Ledger, FakeShared], open_ledger: OpenLedger, how: str
) -> None:
    """Pinned, accepted, made here too, or offered by somebody else: one person's forgetting takes nothing of that away."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    if how == "made here":
        bob.store([own()])
    if how == "from another colleague":
        carla = open_ledger("carla")
        carla.store([own()])
        sync(carla, shared)
    sync(bob, shared)
    stored = admin.list_experiences(bob)[0].best
    if how == "imported later":
        bob.store([prepared(an_experience())])
    if how == "pinned":
        with bob.writing() as connection:
            connection.execute("UPDATE alternatives SET pinned = 1")
    if how == "accepted":
        judge(bob, stored.id, accepted=True)

    admin.forget(ann, stored.experience_id)
    sync(ann, shared)
    sync(bob, shared)

    assert fixes(bob) == {(MEAN, MEAN_FIXED)}


def test_the_last_of_two_offers_takes_the_copy_away(team: tuple[Ledger, Ledger, FakeShared], open_ledger: OpenLedger) -> None:
    """It stays while one of the colleagues offers it, and no longer."""
    ann, bob, shared = team
    carla = open_ledger("carla")
    for ledger in (ann, carla):
        ledger.store([own()])
        sync(ledger, shared)
    sync(bob, shared)
    left = []
    for ledger in (ann, carla):
        admin.forget(ledger, admin.list_experiences(ledger)[0].id)
        sync(ledger, shared)
        sync(bob, shared)
        left.append(admin.count(bob))

    assert left == [1, 0]


def test_what_one_has_forgotten_does_not_come_back(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """A tombstone of one's own holds against colleagues, who keep their fix."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    sync(bob, shared)
    admin.forget(bob, admin.list_experiences(bob)[0].id)

    done = sync(bob, shared, from_start=True)

    assert (done.declined, admin.count(bob), admin.count(ann)) == (1, 0, 1)
    assert not any(each.is_gone for each in shared.documents.values())


def test_a_rejection_holds_for_whoever_gave_it(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Bob's verdict on Ann's fix takes it out of his answers and of nobody else's, and survives its withdrawal."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    sync(bob, shared)
    judge(bob, admin.list_experiences(bob)[0].best.id, accepted=False)
    sync(bob, shared)
    sync(ann, shared)
    assert (fixes(bob), fixes(ann)) == (set(), {(MEAN, MEAN_FIXED)})

    admin.forget(ann, admin.list_experiences(ann)[0].id)
    sync(ann, shared)
    sync(bob, shared)
    keys = "/".join(fix_keys(Source(MEAN, "python"), MEAN_FIXED))
    with bob.reading() as connection:
        assert connection.execute("SELECT verdict FROM verdicts WHERE key = ?", (keys,)).fetchone() == ("rejected",)


def test_rejecting_ones_own_fix_withdraws_it(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Whoever made a fix and found it wrong does not go on handing it to colleagues."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    sync(bob, shared)

    judge(ann, admin.list_experiences(ann)[0].best.id, accepted=False)

    assert (sync(ann, shared).withdrawn, sync(bob, shared).removed) == (1, 1)


def test_a_purged_source_is_withdrawn(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Taking a source back takes it back from the team as well."""
    ann, bob, shared = team
    ann.store([prepared(numbered(each)) for each in range(3)])
    sync(ann, shared)
    sync(bob, shared)

    purge(ann, "team-notes")
    sync(ann, shared)

    assert (sync(bob, shared).removed, admin.count(bob)) == (3, 0)


def test_a_hostile_fix_of_a_colleague_waits_for_approval(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """What is shared is judged where it arrives, whatever trust it claims."""
    ann, bob, shared = team
    fixed = MEAN_FIXED.replace("    n = len", "    import os\n    os.system('true')\n    n = len")
    ann.store([own(fixed=fixed)])
    sync(ann, shared)

    done = sync(bob, shared)

    assert (done.pulled, done.quarantined, fixes(bob)) == (1, 1, set())


def test_what_was_pulled_stands_in_the_history(team: tuple[Ledger, Ledger, FakeShared]) -> None:
    """Who it came from, and that it was withdrawn."""
    ann, bob, shared = team
    ann.store([own()])
    sync(ann, shared)
    sync(bob, shared)
    admin.forget(ann, admin.list_experiences(ann)[0].id)
    sync(ann, shared)
    sync(bob, shared)

    with bob.reading() as connection:
        assert [row[0] for row in connection.execute("SELECT action FROM events ORDER BY seq")] == ["pulled", "purged"]
