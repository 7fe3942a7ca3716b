"""A small repository with one fix in it, learnt into a ledger, and what is in there then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from integrations.git_repository import open_history
from memory.admin import list_experiences
from memory.git_seeding import GitReport, GitRequest, TakenFix, seed_git
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from memory.records import StoredAlternative
from tests.git_repositories import Step, make_repository
from tests.memory.recalls import FakeVerifier
from tests.memory.rows import Clock

BUGGY = "class Store:\n    def last(self, items):\n        if items:\n            return items[len(items)]\n        return None\n"
FIXED = BUGGY.replace("[len(items)]", "[len(items) - 1]")
METHOD = "    def last(self, items):\n        if items:\n            return items[len(items)]\n        return None\n"


def empty_ledger(folder: Path) -> Ledger:
    """One in a home that is not there yet."""
    return Ledger(folder / "home/ledger.sqlite3", clock=Clock())


def learn(ledger: Ledger, place: Path, told: list[TakenFix] | None = None, **asked: Any) -> GitReport:
    """Seed from a repository."""
    with open_history(place) as history:
        return seed_git(ledger, history, GitRequest(**asked), scope="p-1", told=None if told is None else told.append)


def memory(ledger: Ledger) -> LongTermMemory:
    """Recall from it."""
    return LongTermMemory(ledger, FakeVerifier())


def stored(ledger: Ledger) -> list[StoredAlternative]:
    """All alternatives, oldest first."""
    return [each for found in reversed(list_experiences(ledger)) for each in found.alternatives]


def simple(folder: Path, *more: Step, message: str = "Fix the last item (#7)\n\nIt was past the end.\n\nFixes: #5\n") -> list[str]:
    """A repository with one fix, and what comes after it."""
    return make_repository(folder, [Step("Begin", {"a.py": BUGGY}), Step(message, {"a.py": FIXED}, author="Grace Hopper"), *more])
