"""How an interrupted task is named."""

from __future__ import annotations

import pytest

from cli.resume import ago, described
from graphs.unfinished import UnfinishedTask
from schema.task import Task


@pytest.mark.parametrize(("age_s", "words"), [(3, "just now"), (61, "1 minute ago"), (7_300, "2 hours ago"), (200_000, "2 days ago")])
def test_ages_in_words(age_s: float, words: str) -> None:
    """In the largest unit that fits."""
    assert ago(age_s) == words


def test_a_task_in_a_few_words() -> None:
    """Language, size and age; no code."""
    assert described(UnfinishedTask("t", Task("1", "a\nb\n", "python"), 5)) == "python, 2 lines, just now"
