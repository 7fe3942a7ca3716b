"""Fixes that commits were seen to make or to take back, told by what they change and not by what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.ledger import Ledger
from memory.records import StoredAlternative
from schema.experience import Experience, Provenance
from schema.fix import Verification
from tests.git_repositories import Step, git, make_repository
from tests.memory.git_learning import BUGGY, FIXED, METHOD, empty_ledger, learn, memory, simple, stored
from tests.memory.recalls import python

METHOD_FIXED = METHOD.replace("[len(items)]", "[len(items) - 1]")
FUNCTION = "def last(self, items):\n    if items:\n        return items[len(items)]\n    return None\n"
FUNCTION_FIXED = FUNCTION.replace("[len(items)]", "[len(items) - 1]")
OTHER = "def first(items):\n    return items[1]\n"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """In a home that is not there yet."""
    return empty_ledger(tmp_path)


def remember(ledger: Ledger, code: str = BUGGY, fixed: str = FIXED, kind: str = "session") -> StoredAlternative:
    """A fix that does not come from Git."""
    where = Provenance("session" if kind == "session" else "jsonl", ref="notes#1")
    memory(ledger).remember(Experience("python", code, fixed, "Past the end.", where, verification=Verification("parses")))
    return next(each for each in stored(ledger) if (each.code, each.fixed_code) == (code, fixed))


def commit(folder: Path, text: str, message: str) -> str:
    """One more commit that puts this text in place; the beginning of its id."""
    (folder / "a.py").write_text(text)
    git(folder, "commit", "-q", "-a", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()[:12]


@pytest.mark.parametrize("kind", ["session", "jsonl"])
@pytest.mark.parametrize(
    ("code", "fixed"), [(BUGGY, FIXED), (METHOD, METHOD_FIXED), (FUNCTION, FUNCTION_FIXED), (f"{OTHER}\n\n{BUGGY}", f"{OTHER}\n\n{FIXED}")]
)
def test_a_fix_that_a_commit_makes_is_kept_in_git(tmp_path: Path, ledger: Ledger, kind: str, code: str, fixed: str) -> None:
    """Whatever the commit says; of a whole file, a method, the method by itself, and one function of a longer text. Twice is once."""
    remember(ledger, code, fixed, kind)
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": BUGGY})])
    made = commit(tmp_path / "shop", "# a comment\n" + FIXED, "Update things")

    dry = learn(ledger, tmp_path / "shop", dry_run=True)
    assert stored(ledger)[0].kept_in == ""
    done = learn(ledger, tmp_path / "shop")
    again = learn(ledger, tmp_path / "shop")

    (kept,) = (each for each in stored(ledger) if each.provenance.kind == kind)
    assert (kept.kept_in, kept.trust) == (f"shop@{made}", "plausible")
    assert (dry.kept, done.kept, again.kept) == (1, 1, 0)


def test_a_kept_fix_comes_before_another_one_of_the_same_code(tmp_path: Path, ledger: Ledger) -> None:
    """It is evidence, and less than a user's word."""
    remember(ledger, METHOD, METHOD_FIXED, "jsonl")
    other = remember(ledger, METHOD, METHOD.replace("[len(items)]", "[-1]"))
    assert memory(ledger).recall(python(METHOD)).fix.code == METHOD.replace("[len(items)]", "[-1]")  # type: ignore[union-attr]
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": BUGGY}), Step("Update", {"a.py": FIXED})])
    learn(ledger, tmp_path / "shop")

    assert memory(ledger).recall(python(METHOD)).fix.code == METHOD_FIXED  # type: ignore[union-attr]
    memory(ledger).judge(other.id, accepted=True)
    assert memory(ledger).recall(python(METHOD)).fix.code == METHOD.replace("[len(items)]", "[-1]")  # type: ignore[union-attr]


def test_a_fix_that_a_later_commit_takes_back_is_rejected_and_comes_back_with_it(tmp_path: Path, ledger: Ledger) -> None:
    """Neither commit names another. In one run or in several, and a dry run says the same."""
    fix = remember(ledger)
    shop = tmp_path / "shop"
    make_repository(shop, [Step("Begin", {"a.py": BUGGY})])
    for text, message in ((FIXED, "Tidy up"), (BUGGY, "Back to the old way"), (FIXED, "Third time lucky")):
        made = commit(shop, text, message)
        dry = learn(ledger, shop, is_incremental=True, dry_run=True)
        done = learn(ledger, shop, is_incremental=True)
        now = next(each for each in stored(ledger) if each.id == fix.id)
        assert (dry.kept, dry.newly_rejected, dry.restored) == (done.kept, done.newly_rejected, done.restored)
        if text == FIXED:
            assert now.trust == "plausible"
        else:
            assert (now.trust, now.trust_reason, now.kept_in) == ("rejected", f"reverted in Git by {made}", "")
            assert done.newly_rejected == 1
            assert memory(ledger).recall(python(BUGGY)).fix is None
    assert done.restored == 1
    assert memory(ledger).recall(python(BUGGY)).fix is not None


def test_what_brought_the_bug_in_takes_nothing_back(tmp_path: Path, ledger: Ledger) -> None:
    """The right code was there before the bug: the fix, which nobody has committed yet, is not the one that was undone."""
    remember(ledger)
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": FIXED}), Step("Simplify", {"a.py": BUGGY})])

    done = learn(ledger, tmp_path / "shop")

    assert (done.newly_rejected, done.kept) == (0, 0)
    assert [each.trust for each in stored(ledger)] == ["plausible"]


@pytest.mark.parametrize("vouched", ["accepted", "pinned"])
def test_what_the_user_vouches_for_stays_and_is_told(tmp_path: Path, ledger: Ledger, vouched: str) -> None:
    """The user knows more than the history."""
    fix = remember(ledger)
    with ledger.writing() as connection:
        connection.execute(f"UPDATE alternatives SET {vouched} = 1")  # noqa: S608 - one of two names
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": BUGGY}), Step("A", {"a.py": FIXED}), Step("B", {"a.py": BUGGY})])

    done = learn(ledger, tmp_path / "shop")

    assert next(each for each in stored(ledger) if each.id == fix.id).trust == "plausible"
    assert done.newly_rejected == 0
    assert [note for note in done.notes if note.startswith(fix.experience_id[:12])]


def test_a_users_rejection_is_not_lifted_by_a_commit(tmp_path: Path, ledger: Ledger) -> None:
    """Only what Git has rejected can Git bring back."""
    fix = remember(ledger)
    memory(ledger).judge(fix.id, accepted=False)
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": BUGGY}), Step("A", {"a.py": FIXED})])

    assert learn(ledger, tmp_path / "shop").kept == 0
    assert next(each for each in stored(ledger) if each.id == fix.id).trust == "rejected"


def test_a_fix_of_the_history_that_is_backed_out_without_a_name_is_never_offered(tmp_path: Path, ledger: Ledger) -> None:
    """In the run that learns it, and in a later one; the dry run counts it, too."""
    simple(tmp_path / "shop", Step("Back to the old way, customers complain", {"a.py": BUGGY}))

    dry = learn(ledger, tmp_path / "shop", dry_run=True)
    done = learn(ledger, tmp_path / "shop")

    assert dry.newly_rejected == done.newly_rejected == 1
    assert [each.trust for each in stored(ledger)] == ["rejected"]
    assert memory(ledger).recall(python(METHOD)).fix is None
    assert learn(ledger, tmp_path / "shop").newly_rejected == 0


def test_a_fix_that_was_backed_out_and_made_again_is_offered(tmp_path: Path, ledger: Ledger) -> None:
    """What happened last holds."""
    simple(tmp_path / "shop", Step("Back to the old way", {"a.py": BUGGY}), Step("The new way after all", {"a.py": FIXED}))

    done = learn(ledger, tmp_path / "shop")

    assert (done.newly_rejected, done.restored) == (0, 0)
    assert [each.trust for each in stored(ledger)] == ["plausible"]


def test_another_change_of_the_function_is_no_taking_back(tmp_path: Path, ledger: Ledger) -> None:
    """It may be a better fix."""
    fix = remember(ledger)
    better = FIXED.replace("items[len(items) - 1]", "items[-1]")
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": BUGGY}), Step("A", {"a.py": FIXED}), Step("B", {"a.py": better})])

    learn(ledger, tmp_path / "shop")

    assert next(each for each in stored(ledger) if each.id == fix.id).trust == "plausible"
