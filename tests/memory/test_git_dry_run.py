"""A dry run says exactly what the real one does: for every choice of commits, and whatever the memory holds already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory.admin import approve, forget
from memory.git_seeding import GitReport, TakenFix
from memory.ledger import Ledger
from tests.git_repositories import FIRST_DAY, Step, git, make_repository
from tests.memory.git_learning import empty_ledger, learn, memory, stored

DAY = 86_400
CHOICES: list[dict[str, Any]] = [
    {},
    {"most": 3},
    {"most": 1},
    {"paths": ("lib",)},
    {"paths": ("a.py", "none")},
    {"grep": "last"},
    {"since": FIRST_DAY + 3 * DAY},
    {"until": FIRST_DAY + 4 * DAY},
    {"is_incremental": True},
    {"is_incremental": True, "paths": ("lib",), "most": 4},
]


def bug(name: str) -> str:
    """A function that reads past the end."""
    return f"def {name}(items):\n    return items[len(items)]\n"


def mended(name: str) -> str:
    """The same with its fix."""
    return f"def {name}(items):\n    return items[len(items) - 1]\n"


def make_shop(folder: Path) -> list[str]:
    """Fixes in two folders: one made twice, one taken back, one put in again, one that looks hostile; the ids."""
    hostile = "def run(items):\n    __import__('os').system('id')\n    return items[len(items) - 1]\n"
    files: dict[str | bytes, str | bytes | None] = {"a.py": bug("a"), "lib/b.py": bug("b"), "lib/c.py": bug("c"), "run.py": bug("run")}
    steps = [
        Step("Begin", files),
        Step("Fix the last item of a", {"a.py": mended("a")}),
        Step("Fix the last item of b", {"lib/b.py": mended("b")}),
        Step('Revert "Fix the last item of b"', {"lib/b.py": bug("b")}),
        Step("Fix a crash in c\n\nFixes #8", {"lib/c.py": mended("c")}),
        Step('Revert "Fix a crash in c"', {"lib/c.py": bug("c")}),
        Step('Reapply "Fix a crash in c"', {"lib/c.py": mended("c")}),
        Step("Fix the last item to run", {"run.py": hostile}),
        Step("Begin anew", {"a.py": bug("a")}),
        Step("Fix the last item of a again", {"a.py": mended("a")}),
        Step("Describe it", {"README.md": "# Shop\n"}),
    ]
    return make_repository(folder, steps)


def both(ledger: Ledger, place: Path, **asked: Any) -> GitReport:
    """Run dry, then really: nothing was changed by the first, and both said the same."""
    before, was_there = stored(ledger), ledger.path.exists()
    said: list[TakenFix] = []
    dry = learn(ledger, place, said, dry_run=True, **asked)
    assert (stored(ledger), ledger.path.exists()) == (before, was_there)
    told: list[TakenFix] = []
    done = learn(ledger, place, told, **asked)
    assert said == told
    assert dry.as_plain() == {**done.as_plain(), "dry_run": True}
    return done


@pytest.mark.parametrize("asked", CHOICES, ids=str)
def test_it_tells_what_the_real_run_does(tmp_path: Path, asked: dict[str, Any]) -> None:
    """In an empty memory, again in the filled one, and then with everything."""
    make_shop(tmp_path / "shop")
    ledger = empty_ledger(tmp_path)
    both(ledger, tmp_path / "shop", **asked)
    again = both(ledger, tmp_path / "shop", **asked)
    assert again.stored.added == 0
    both(ledger, tmp_path / "shop")


def test_it_tells_of_what_the_user_said_before(tmp_path: Path) -> None:
    """Accepted, rejected, approved and forgotten fixes."""
    make_shop(tmp_path / "shop")
    ledger = empty_ledger(tmp_path)
    both(ledger, tmp_path / "shop")
    by_code = {each.code: each for each in stored(ledger)}
    memory(ledger).judge(by_code[bug("a")].id, accepted=True)
    memory(ledger).judge(by_code[bug("c")].id, accepted=False)
    approve(ledger, by_code[bug("run")].experience_id)
    forget(ledger, by_code[bug("b")].experience_id)
    report = both(ledger, tmp_path / "shop")
    assert report.stored.skipped_why["forgotten"] == 1
    trusts = {each.code: each.trust for each in stored(ledger)}
    assert trusts == {bug("a"): "proved", bug("c"): "rejected", bug("run"): "plausible"}


def test_it_tells_of_reverts_that_come_later(tmp_path: Path) -> None:
    """Of fixes that are stored already, read on from the last commit."""
    ids = make_shop(tmp_path / "shop")
    ledger = empty_ledger(tmp_path)
    both(ledger, tmp_path / "shop", is_incremental=True)
    for text, message in ((bug("a"), f'Revert "Fix it"\n\nThis reverts commit {ids[9]}.'), (mended("a"), 'Reapply "Fix it"')):
        (tmp_path / "shop/a.py").write_text(text)
        git(tmp_path / "shop", "commit", "-q", "-a", "-m", message)
        report = both(ledger, tmp_path / "shop", is_incremental=True)
        assert report.commits == 1
