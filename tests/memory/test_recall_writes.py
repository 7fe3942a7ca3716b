"""Remembering, counting, undoing, forgetting, and scopes."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import InputInvalidError
from memory import admin
from memory.recall import LongTermMemory, open_memory
from schema.experience import Saved
from schema.match import Match
from tests.fakes import verified
from tests.memory.recalls import UNRELATED, empty_memory, python, small_memory
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, an_experience


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    """One imported fix of `mean`."""
    return small_memory(tmp_path)


def test_a_scope_restricts_recall(tmp_path: Path) -> None:
    """MEMORY_SCOPE=project sees its own experiences; without it all are seen; a fix known in two scopes is one fix."""
    ledger = empty_memory(tmp_path).ledger
    LongTermMemory(ledger).remember(an_experience(scope="a"))

    def status(scope: str) -> str:
        return LongTermMemory(ledger, None, scope).recall(python(MEAN)).match.status

    assert [status("a"), status("b"), status("")] == ["IDENTICAL", "NONE", "IDENTICAL"]
    assert LongTermMemory(ledger).remember(an_experience(scope="b")).status == "duplicate"
    assert [status("a"), status("b")] == ["IDENTICAL", "IDENTICAL"]


def test_a_fix_that_passed_the_tests_here_is_proved(memory: LongTermMemory) -> None:
    """Tests that failed before the fix and pass with it make it proved; an import that claims them does not."""
    own = memory.remember(an_experience(fixed=MEAN_OTHER_FIX, kind="session", verification=verified("tested", tests=True)))

    match = memory.recall(python(MEAN)).match
    claimed = memory.remember(an_experience(UNRELATED, "def slug(title):\n    return title\n", verification=verified("tested", tests=True)))

    assert (match.trust, match.regions[0].alternative_id) == ("proved", own.alternative_id)
    assert match.reason.startswith("same code as your fix of ")
    assert admin.show(memory.ledger, claimed.id or "").best.trust == "plausible"


def test_a_fix_without_effect_is_not_remembered(memory: LongTermMemory) -> None:
    """Same code on both sides is skipped with no_fix; text that can't be stored is refused."""
    assert memory.remember(an_experience(fixed="# x\n" + MEAN)) == Saved("skipped", why="no_fix")
    with pytest.raises(InputInvalidError):
        memory.remember(an_experience(code="x = '\ud800'\n"))


def test_a_fix_that_only_renames_is_found_exactly_but_never_for_other_names(tmp_path: Path) -> None:
    """When both sides are the same up to names, the renamed tier can't tell bug from fix and is left out."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience("def f(a):\n    l = a\n    return l\n", "def f(a):\n    items = a\n    return items\n"))

    assert memory.recall(python("def f(a):\n    l = a\n    return l\n")).match.status == "IDENTICAL"
    assert memory.recall(python("def f(b):\n    k = b\n    return k\n")).match.status == "NONE"


def test_use_is_counted_and_nothing_is_learnt(memory: LongTermMemory) -> None:
    """mark_used bumps the offered alternative; recall alone writes nothing."""
    match = memory.recall(python(MEAN)).match
    generation = memory.ledger.generation()
    memory.recall(python(MEAN))
    assert memory.ledger.generation() == generation

    memory.mark_used(match)
    memory.mark_used(Match())

    best = admin.show(memory.ledger, match.experience_id or "").best
    assert (best.uses, best.last_used_at is not None, admin.stats(memory.ledger).alternatives) == (1, True, 1)


def test_undo_takes_back_exactly_that_write(memory: LongTermMemory) -> None:
    """An updated takes back its alternative, an added its experience; a duplicate takes back nothing."""
    duplicate = memory.remember(an_experience())
    updated = memory.remember(an_experience(fixed=MEAN_OTHER_FIX))
    added = memory.remember(an_experience(UNRELATED, "def slug(title):\n    return title\n"))

    assert memory.undo(duplicate) is False
    assert memory.undo(updated) is True
    assert memory.undo(added) is True
    assert memory.undo(added) is False
    assert [row.best.fixed_code for row in admin.list_experiences(memory.ledger)] == [MEAN_FIXED]
    assert memory.recall(python(UNRELATED)).match.status == "NONE"


def test_a_forgotten_paste_is_not_matched_by_anything(memory: LongTermMemory) -> None:
    """After forget the same text is NONE and says why."""
    match = memory.recall(python(MEAN)).match
    admin.forget(memory.ledger, match.experience_id or "")

    again = memory.recall(python(MEAN)).match

    assert again.status == "NONE"
    assert "forget" in again.reason


def test_a_home_that_does_not_exist_is_an_empty_memory(tmp_path: Path) -> None:
    """Recall on a new machine is NONE and makes no file."""
    memory = open_memory(tmp_path / "new", None)

    assert memory.recall(python(MEAN)).match.status == "NONE"
    assert not (tmp_path / "new").exists()


def test_a_new_normaliser_keys_everything_anew(memory: LongTermMemory) -> None:
    """A ledger with another normaliser's keys is derived again on first use: found as before, counters and scopes kept."""
    match = memory.recall(python(MEAN)).match
    memory.mark_used(match)
    memory.remember(an_experience(scope="a"))
    with memory.ledger.writing() as connection:
        connection.execute("UPDATE meta SET value = 'older' WHERE name = 'normaliser'")
        connection.execute("UPDATE keys SET hash = 'old' || hash")
        connection.execute("UPDATE experiences SET id = 'old' || id")

    again = memory.recall(python(MEAN)).match

    assert (again.status, again.experience_id) == ("IDENTICAL", match.experience_id)
    assert admin.show(memory.ledger, again.experience_id or "").best.uses == 1
    assert LongTermMemory(memory.ledger, None, "a").recall(python(MEAN)).match.status == "IDENTICAL"
