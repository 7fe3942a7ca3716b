"""Copies for measuring: the same in other names, and edited away from the fix only."""

from __future__ import annotations

import pytest

from memory.keys import exact_key
from memory.starter import ClassicBug, classic_bugs
from memory.variants import copy_of, edited, relaid, renamed
from tests.memory.rows import MEAN, MEAN_FIXED
from utils.names import renamed_stream, roles
from utils.tokens import exact_stream

BUGS = tuple(classic_bugs())
ONE_EACH = tuple({bug.language: bug for bug in BUGS}.values())


@pytest.mark.parametrize("bug", ONE_EACH, ids=lambda bug: bug.language)
def test_a_renamed_copy_is_the_same_up_to_names(bug: ClassicBug) -> None:
    """Its numbered stream is that of the text; where it has names of its own, its words are others."""
    copy = renamed(bug.buggy, bug.language)

    assert renamed_stream(copy, bug.language) == renamed_stream(bug.buggy, bug.language)
    if "local" in roles(bug.buggy, bug.language):
        assert exact_stream(copy, bug.language) != exact_stream(bug.buggy, bug.language)


@pytest.mark.parametrize("bug", ONE_EACH, ids=lambda bug: bug.language)
def test_a_relaid_copy_has_the_same_key(bug: ClassicBug) -> None:
    """Layout doesn't count, and a text with a long string is left as it is."""
    assert exact_key(relaid(bug.buggy, bug.language), bug.language) == exact_key(bug.buggy, bug.language)
    assert relaid(MEAN, "python") != MEAN
    held = 'def page():\n    return """a\n  b"""\n'
    assert relaid(held, "python") == held


def test_most_classic_bugs_can_be_copied_with_edits() -> None:
    """In every language; the copy has another key than the bug and than its fix."""
    copied = set()
    for bug in BUGS:
        copy = copy_of(bug.buggy, bug.fixed, bug.language)
        if copy is not None:
            copied.add(bug.name)
            assert exact_key(copy, bug.language) not in {exact_key(bug.buggy, bug.language), exact_key(bug.fixed, bug.language)}

    assert len(copied) >= 0.75 * len(BUGS)
    assert {bug.language for bug in BUGS if bug.name in copied} == {bug.language for bug in BUGS}


def test_edits_stay_away_from_the_lines_of_the_fix() -> None:
    """The changed line and its neighbours are in the copy as they were; elsewhere something differs."""
    buggy = "def f(a):\n    low = 1\n    high = 2\n    k = 'x'\n    s = low\n    for n in range(low, high):\n        a.append(n)\n"
    fixed = buggy.replace("range(low, high)", "range(low, high + 1)")

    copy = edited(buggy, fixed, "python")

    assert copy is not None
    assert copy != buggy
    assert "    s = low\n    for n in range(low, high):\n        a.append(n)\n" in copy
    assert copy == edited(buggy, fixed, "python")


def test_a_text_without_room_for_an_edit_has_no_edited_copy() -> None:
    """One changed line and its header: nothing is free."""
    assert copy_of(MEAN, MEAN_FIXED, "python") is None
