"""The near tier: code that is like a past bug gets its fix, everything else does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory.calibration import Thresholds, keep_thresholds, shipped
from memory.near import texts_of
from memory.recall import LongTermMemory
from memory.vectors import fingerprint
from schema.source import Source
from tests.memory.recalls import FINDING, UNRELATED, empty_memory, python, small_memory
from tests.memory.rows import MEAN_FIXED, an_experience

LIKE = 'def average(numbers):\n    print("mean")  # mine\n    return sum(numbers) / len(numbers)\n'
LIKE_FIXED = LIKE.replace(
    "    return sum(numbers) / len(numbers)\n",
    "    n = len(numbers)\n    if n == 0:\n        return 0.0\n    return sum(numbers) / n\n",
)
PURGE = 'def purge(db, day):\n    db.execute("DELETE FROM logs WHERE day < \'" + day + "\'")\n    return db.total_changes\n'
PURGE_FIXED = 'def purge(db, day):\n    db.execute("DELETE FROM logs WHERE day < ?", (day,))\n    return db.total_changes\n'


def in_force() -> Thresholds:
    """What ships for the structural vectors."""
    found = shipped(fingerprint())
    assert found is not None
    return found


def put_in_force(memory: LongTermMemory, thresholds: Thresholds) -> None:
    """As if they had been measured."""
    with memory.ledger.writing() as connection:
        keep_thresholds(connection, thresholds)


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    """One imported fix of `mean`, with a finding on its line 2."""
    return small_memory(tmp_path)


def test_code_with_a_statement_more_and_other_names_gets_the_past_fix(memory: LongTermMemory) -> None:
    """SIMILAR, near, with its score and threshold; the fix has the paste's names, its statement and its comment."""
    recalled = memory.recall(python(LIKE))
    match = recalled.match

    assert (match.status, match.tier, match.coverage, match.threshold) == ("SIMILAR", "near", 1.0, in_force().near_short)
    assert match.score is not None
    assert in_force().near_short <= match.score < 1
    assert match.distance is not None
    assert "are like the fix imported from team-notes" in match.reason
    assert recalled.fix is not None
    assert (recalled.fix.code, recalled.fix.origin, recalled.fix.verification.level) == (LIKE_FIXED, "transfer", "none")


def test_stored_findings_are_shown_where_they_are_in_the_paste(memory: LongTermMemory) -> None:
    """The finding on line 2 of the stored code is on line 3 of the paste, in the paste's names."""
    (finding,) = memory.recall(python(LIKE)).findings

    assert (finding.start_line, finding.start_column) == (3, FINDING.start_column)
    assert finding.evidence == "    return sum(numbers) / len(numbers)"
    assert finding.message == "`len(numbers)` may be zero".replace("len(numbers)", "len(values)")


def test_the_only_entry_is_no_answer_to_unrelated_code(memory: LongTermMemory) -> None:
    """However near it is for lack of others: NONE, no fix, nothing to read."""
    javascript = "function debounce(fn, ms) {\n  let t;\n  return (...a) => { clearTimeout(t); t = setTimeout(() => fn(...a), ms); };\n}\n"
    for source in (python(UNRELATED), Source(javascript, "javascript")):
        recalled = memory.recall(source)
        assert (recalled.match.status, recalled.match.tier, recalled.fix, recalled.match.related) == ("NONE", None, None, ())


def test_a_literal_of_the_memory_never_replaces_another_of_the_paste(tmp_path: Path) -> None:
    """The same shape around another statement: no fix, and the past one is reading matter."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(PURGE, PURGE_FIXED))

    recalled = memory.recall(python(PURGE.replace("DELETE FROM logs", "UPDATE users SET seen = 0")))

    assert recalled.match.status != "IDENTICAL"
    assert recalled.fix is None
    assert [each.trust for each in recalled.match.related] == ["plausible"]


def test_a_near_copy_of_the_fixed_code_is_fixed_already(memory: LongTermMemory) -> None:
    """Nearer to the fixed side than to the bug: NONE, and said so."""
    recalled = memory.recall(python(MEAN_FIXED.replace("0.0", "1.0").replace("mean", "average")))

    assert (recalled.match.status, recalled.match.already_fixed, recalled.fix) == ("NONE", True, None)


def test_a_near_function_among_others_is_a_region(memory: LongTermMemory) -> None:
    """Only its lines are explained, in a class and in its indentation, too."""
    method = "".join(f"    {line}\n" for line in LIKE.splitlines())
    paste = f"import os\n\n\nclass Tools:\n    def where(self):\n        return os.getcwd()\n\n{method}"
    recalled = memory.recall(python(paste))

    (region,) = recalled.match.regions
    assert (region.start_line, region.end_line, region.tier) == (8, 10, "near")
    assert recalled.match.coverage < 1
    assert recalled.fix is not None
    assert recalled.fix.code == paste.replace(method, "".join(f"    {line}\n" for line in LIKE_FIXED.splitlines()))


def test_an_entry_that_may_not_be_offered_is_no_near_hit(tmp_path: Path) -> None:
    """Quarantined: not SIMILAR, so that a planted entry can't stand between a paste and its review."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(trust="quarantined"))

    assert memory.recall(python(LIKE)).match.status == "NONE"


def test_another_project_is_not_asked_when_recall_is_restricted(tmp_path: Path) -> None:
    """MEMORY_SCOPE=project holds for the near tier."""
    everywhere = empty_memory(tmp_path)
    everywhere.remember(an_experience(scope="theirs"))

    assert everywhere.recall(python(LIKE)).match.tier == "near"
    assert LongTermMemory(everywhere.ledger, scope="mine").recall(python(LIKE)).match.status == "NONE"
    assert LongTermMemory(everywhere.ledger, scope="theirs").recall(python(LIKE)).match.tier == "near"


def test_short_texts_have_the_higher_bar() -> None:
    """Few tokens on either side are soon alike by chance."""
    thresholds = in_force()

    assert thresholds.near_short > thresholds.near
    assert thresholds.lowest(thresholds.short - 1, 500) == thresholds.lowest(500, thresholds.short - 1) == thresholds.near_short
    assert thresholds.lowest(thresholds.short, 500) == thresholds.near


def test_a_short_text_below_its_bar_is_too_short_to_be_sure(memory: LongTermMemory) -> None:
    """NONE, said so, and the past fix is there to read; a longer text of that score gets it."""
    strict = replace(in_force(), near=0.6, near_short=0.95, origin="calibrated")
    put_in_force(memory, strict)

    recalled = memory.recall(python(LIKE))

    assert (recalled.match.status, recalled.fix) == ("NONE", None)
    assert "too short to be sure" in recalled.match.reason
    (related,) = recalled.match.related
    assert "too short to be sure" in related.reason
    assert "team-notes" in related.reason

    put_in_force(memory, replace(strict, short=10))
    assert memory.recall(python(LIKE)).match.tier == "near"


def test_the_thresholds_of_the_ledger_decide(memory: LongTermMemory) -> None:
    """Above its score the same past fix is reading matter."""
    put_in_force(memory, replace(in_force(), near=0.9, near_short=0.9, short=0, origin="calibrated"))

    match = memory.recall(python(LIKE)).match

    assert match.status == "NONE"
    assert "too short" not in match.reason
    assert "0.90 is near" in match.related[0].reason


def test_huge_pastes_are_asked_by_their_largest_functions_only() -> None:
    """Ten thousand lines neither hang nor are compared as a whole."""
    paste = "".join(f"def f{number}(a):\n    b = a + {number}\n    return b\n\n\n" for number in range(2000))

    pieces = list(texts_of(paste, "python"))

    assert len(pieces) == 40
    assert all(piece.end_line - piece.start_line < 5 for piece in pieces)
