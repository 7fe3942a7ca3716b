"""The score of two texts, and whether the place of a fix is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.compare import Nearness, nearness
from memory.near import PLACE
from memory.signature import read_signature
from tests.memory.recalls import empty_memory, python
from tests.memory.rows import an_experience

STATE = """\
def state_of(order, log):
    label = order.status.strip()
    if label is "paid":
        log.info("settled")
        return 1
    return 0
"""
STATE_FIXED = STATE.replace('label is "', 'label == "')
SNAPSHOT = """\
import copy

def snapshot(board):
    rows = copy.copy(board)
    rows.append(board[0])
    return rows
"""
SNAPSHOT_FIXED = SNAPSHOT.replace("copy.copy", "copy.deepcopy")


def compared(text: str, buggy: str, fixed: str, language: str = "python") -> Nearness:
    """The text beside both sides."""
    return nearness(*(read_signature(each, language) for each in (text, buggy, fixed)))


@pytest.mark.parametrize(
    ("said", "instead"),
    [('log.info("settled")', 'log.info("done and dusted")'), ("log.info(", "log.debug("), ("order.status.strip()", "order.state.lower()")],
    ids=["another string", "another method", "two other members"],
)
def test_another_literal_or_member_beside_the_change_is_no_other_place(said: str, instead: str) -> None:
    """What code that is alike differs in; the whole place is there."""
    assert said in STATE

    seen = compared(STATE.replace(said, instead), STATE, STATE_FIXED)

    assert seen.has_bug
    assert seen.place == 1.0


@pytest.mark.parametrize(
    ("said", "instead"),
    [('label is "paid"', 'label in "paid"'), ('is "paid"', "is 7"), ("    label = order.status.strip()\n    if", "    if")],
    ids=["another operator", "a number for a string", "a statement less"],
)
def test_what_the_fix_replaces_and_other_kinds_must_be_there(said: str, instead: str) -> None:
    """An operator that the fix replaces, or a literal of another kind, counts as gone."""
    assert said in STATE

    assert compared(STATE.replace(said, instead), STATE, STATE_FIXED).place < 1.0


def test_a_literal_that_the_fix_replaces_must_be_there_to_the_letter() -> None:
    """Beside the change it may differ, in it it may not."""
    buggy = "def wait(queue):\n    queue.settle(60)\n    return queue.size\n"
    fixed = buggy.replace("60", "600")

    assert compared(buggy.replace("60", "90"), buggy, fixed).place < 1.0
    assert compared(buggy, buggy, fixed).place == 1.0


def test_a_paste_with_another_call_where_the_fix_has_its_own_is_not_fixed_already(tmp_path: Path) -> None:
    """As near to the bug as to its fix: neither."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(SNAPSHOT, SNAPSHOT_FIXED))
    paste = SNAPSHOT.replace("copy.copy", "copy.replace").replace("board", "grid")

    seen = compared(paste, SNAPSHOT, SNAPSHOT_FIXED)
    match = memory.recall(python(paste)).match

    assert seen.score == seen.fixed_score
    assert (seen.has_bug, seen.is_nearer_to_fix) == (False, False)
    assert (match.status, match.already_fixed) == ("NONE", False)


def test_a_string_changed_beside_the_fix_leaves_the_past_fix_in_reach(tmp_path: Path) -> None:
    """SIMILAR, with the paste's own string in the fixed code."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(STATE, STATE_FIXED))
    paste = STATE.replace('"settled"', '"all is paid"').replace("label", "kind").replace("log.info", "log.debug")

    recalled = memory.recall(python(paste))

    assert recalled.match.tier == "near"
    assert recalled.fix is not None
    assert recalled.fix.code == paste.replace("kind is", "kind ==")
    assert 0 < PLACE < 1
