"""A long history is read commit by commit: what is held of it does not grow with it, and progress is told all the way."""

from __future__ import annotations

import gc
from pathlib import Path

from integrations.git_repository import open_history
from memory.git_seeding import TOLD_COMMITS, GitReport, GitRequest, seed_git
from schema.git_history import Commit
from tests.git_repositories import Step, make_repository
from tests.memory.git_learning import empty_ledger, stored

COMMITS = 2_000
FIX_EVERY = 20
MOST_HELD = 10


def version(number: int) -> str:
    """A file in which one of a hundred functions is mended at a time."""
    return "\n".join(f"def f{n}(items):\n    return items[len(items){' - 1' if n < number else ''}] + {n}\n" for n in range(100))


def make_long(folder: Path) -> None:
    """One commit in twenty is a fix; the others look like one from afar."""
    steps = [Step("Begin", {"a.py": version(0), "b.py": "x = 0\n"})]
    others = ("Fix the limit", "Refactor the limit", "Don't use the limit", "Release {}", "Fix typo")
    for number in range(1, COMMITS):
        if number % FIX_EVERY == 0:
            steps.append(Step(f"Fix crash {number}", {"a.py": version(number // FIX_EVERY)}))
        else:
            steps.append(Step(others[number % len(others)].format(number), {"b.py": f"x = {number}\n"}))
    make_repository(folder, steps, checkout=False)


def test_two_thousand_commits_are_read_a_few_at_a_time(tmp_path: Path) -> None:
    """Each fix is stored once, no more than a few commits are ever held, and progress comes every fifty commits."""
    make_long(tmp_path / "long")
    ledger = empty_ledger(tmp_path)
    told, held = [], []

    def progress(report: GitReport) -> None:
        told.append((report.commits, report.total))
        held.append(sum(type(each) is Commit for each in gc.get_objects()))

    with open_history(tmp_path / "long") as history:
        report = seed_git(ledger, history, GitRequest(), progress=progress)
    assert told == [(count, COMMITS) for count in range(TOLD_COMMITS, COMMITS + 1, TOLD_COMMITS)]
    assert max(held) <= MOST_HELD
    assert (report.taken, len(stored(ledger))) == (COMMITS // FIX_EVERY - 1, COMMITS // FIX_EVERY - 1)
    assert report.not_taken["code outside of functions only"] > 0
