"""Fixes that were taken back later: known, and never offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.ledger import Ledger
from schema.source import Source
from tests.git_repositories import Step, git, make_repository
from tests.memory.git_learning import BUGGY, FIXED, METHOD, empty_ledger, learn, memory, simple, stored


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty one."""
    return empty_ledger(tmp_path)


def reverting(commit: str, subject: str = "Fix the last item (#7)") -> Step:
    """Takes the fix back, as `git revert` words it."""
    return Step(f'Revert "{subject}"\n\nThis reverts commit {commit}.\n', {"a.py": BUGGY})


def test_a_reverted_fix_is_rejected(tmp_path: Path, ledger: Ledger) -> None:
    """It is stored, so that it is known, and never offered."""
    ids = simple(tmp_path / "draft")
    ids = simple(tmp_path / "shop", reverting(ids[1]))
    report = learn(ledger, tmp_path / "shop")
    assert (report.taken, report.reverted, report.not_taken["revert"]) == (1, 1, 1)
    assert [(each.trust, each.trust_reason) for each in stored(ledger)] == [("rejected", f"reverted in Git by {ids[2][:12]}")]
    assert memory(ledger).recall(Source(METHOD, "python")).match.status == "NONE"


def test_a_revert_that_comes_later_rejects_what_is_stored(tmp_path: Path, ledger: Ledger) -> None:
    """And a revert of the revert brings it back."""
    ids = simple(tmp_path / "shop")
    learn(ledger, tmp_path / "shop")
    for text, message, trust in (
        (BUGGY, f'Revert "Fix the last item"\n\nThis reverts commit {ids[1]}.', "rejected"),
        (FIXED, 'Reapply "Fix the last item"\n\nThis reverts commit HEAD_ID.', "plausible"),
    ):
        head = git(tmp_path / "shop", "rev-parse", "HEAD").strip()
        (tmp_path / "shop/a.py").write_text(text)
        git(tmp_path / "shop", "commit", "-q", "-a", "-m", message.replace("HEAD_ID", head))
        dry = learn(ledger, tmp_path / "shop", is_incremental=True, dry_run=True)
        done = learn(ledger, tmp_path / "shop", is_incremental=True)
        assert (dry.newly_rejected, dry.restored) == (done.newly_rejected, done.restored)
        assert [each.trust for each in stored(ledger)] == [trust]


def test_a_revert_by_subject_counts_where_no_commit_is_named(tmp_path: Path, ledger: Ledger) -> None:
    """Also where the commit that is named is not in this history."""
    simple(tmp_path / "shop", reverting("f" * 40))
    learn(ledger, tmp_path / "shop")
    assert [each.trust for each in stored(ledger)] == ["rejected"]


def test_another_repository_of_the_same_name_is_left_alone(tmp_path: Path, ledger: Ledger) -> None:
    """Its commits are not here, whatever their subjects say."""
    simple(tmp_path / "one/shop")
    learn(ledger, tmp_path / "one/shop")
    make_repository(tmp_path / "two/shop", [Step("Begin", {"b.py": "x = 1\n"}), Step('Revert "Fix the last item"', {"b.py": "x = 2\n"})])
    assert learn(ledger, tmp_path / "two/shop").newly_rejected == 0
    assert [each.trust for each in stored(ledger)] == ["plausible"]


def test_another_branch_restores_nothing(tmp_path: Path, ledger: Ledger) -> None:
    """A fix that was taken back anywhere is offered again only when the revert itself is undone."""
    ids = simple(tmp_path / "shop")
    git(tmp_path / "shop", "branch", "old")
    (tmp_path / "shop/a.py").write_text(BUGGY)
    git(tmp_path / "shop", "commit", "-q", "-a", "-m", f"Revert it\n\nThis reverts commit {ids[1]}.")
    learn(ledger, tmp_path / "shop")
    git(tmp_path / "shop", "checkout", "-q", "old")
    assert learn(ledger, tmp_path / "shop").restored == 0
    assert [each.trust for each in stored(ledger)] == ["rejected"]


def test_what_the_user_accepted_outlives_a_revert(tmp_path: Path, ledger: Ledger) -> None:
    """His word is about this very fix."""
    ids = simple(tmp_path / "shop")
    learn(ledger, tmp_path / "shop")
    memory(ledger).judge(stored(ledger)[0].id, accepted=True)
    (tmp_path / "shop/a.py").write_text(BUGGY)
    git(tmp_path / "shop", "commit", "-q", "-a", "-m", f"Revert it\n\nThis reverts commit {ids[1]}.")
    assert learn(ledger, tmp_path / "shop").newly_rejected == 0
    assert [each.trust for each in stored(ledger)] == ["proved"]
