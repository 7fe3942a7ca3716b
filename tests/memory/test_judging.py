"""Accepting and rejecting fixes, taking that back, and trust that tests have earned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memory import admin
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from schema.experience import Saved
from tests.fakes import verified
from tests.memory.recalls import RELAID, RENAMED, UNRELATED, empty_memory, python, small_memory
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, an_experience

RENAMED_FIXED = "def average(numbers):\n    n = len(numbers)\n    if n == 0:\n        return 0.0\n    return sum(numbers) / n\n"
Act = Callable[[Ledger, str], object]
NEAR = "def mean(values):\n    print('mean')\n    return sum(values) / len(values)\n"


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    """One imported fix of `mean`."""
    return small_memory(tmp_path)


def the_only(memory: LongTermMemory) -> int:
    """The number of the one alternative."""
    return admin.list_experiences(memory.ledger)[0].best.id


def test_an_accepted_fix_is_proved(memory: LongTermMemory) -> None:
    """And says by whom."""
    judged = memory.judge(the_only(memory), accepted=True)

    best = admin.list_experiences(memory.ledger)[0].best
    assert judged is not None
    assert (best.trust, best.accepted) == ("proved", 1)
    assert best.trust_reason.startswith("accepted by you on ")


@pytest.mark.parametrize("code", [MEAN, RELAID, RENAMED, NEAR])
def test_a_rejected_fix_is_offered_to_no_code(memory: LongTermMemory, code: str) -> None:
    """Neither for the same code, nor carried over to other names, nor to code that is only like it."""
    assert memory.recall(python(code)).fix is not None

    memory.judge(the_only(memory), accepted=False)

    recalled = memory.recall(python(code))
    assert (recalled.match.status, recalled.fix, recalled.example) == ("NONE", None, None)


def test_the_reason_says_who_rejected_it(memory: LongTermMemory) -> None:
    """And how to have it back."""
    memory.judge(the_only(memory), accepted=False)

    match = memory.recall(python(MEAN)).match

    short = admin.list_experiences(memory.ledger)[0].id[:12]
    assert match.reason == f"you rejected the stored fix: `codemind memory approve {short}` brings it back"
    assert [related.trust for related in match.related] == ["rejected"]


@pytest.mark.parametrize("accepted", [True, False])
def test_a_verdict_can_be_taken_back(memory: LongTermMemory, accepted: bool) -> None:
    """Trust, reason, counters and what recall offers are as before."""
    before = admin.list_experiences(memory.ledger)

    judged = memory.judge(the_only(memory), accepted=accepted, source=python(MEAN), fixed_code=MEAN_FIXED)
    assert judged is not None
    assert memory.take_back(judged)

    assert admin.list_experiences(memory.ledger) == before
    assert memory.recall(python(MEAN)).match.status == "IDENTICAL"
    assert not memory.is_rejected(python(MEAN), MEAN_FIXED)


def test_a_later_verdict_overrules_an_earlier_one(memory: LongTermMemory) -> None:
    """Rejected, then accepted, is accepted; taken back in turn, the first is in force again."""
    first = memory.judge(the_only(memory), accepted=False)
    second = memory.judge(the_only(memory), accepted=True)
    assert first is not None
    assert second is not None
    assert memory.recall(python(MEAN)).match.trust == "proved"

    memory.take_back(second)
    assert memory.recall(python(MEAN)).match.status == "NONE"
    memory.take_back(first)
    assert memory.recall(python(MEAN)).match.trust == "plausible"


def test_a_rejected_fix_is_known_whoever_makes_it_again(memory: LongTermMemory) -> None:
    """Layout and comments do not make it another fix; another fix is no rejected one, nor is the same change of other code."""
    memory.judge(the_only(memory), accepted=False)

    assert memory.is_rejected(python(MEAN), MEAN_FIXED)
    assert memory.is_rejected(python(RELAID), "# mine\n" + MEAN_FIXED)
    assert not memory.is_rejected(python(MEAN), MEAN_OTHER_FIX)
    assert not memory.is_rejected(python(UNRELATED), MEAN_FIXED)


TWO, TWO_FIXED = (f"import os\n\n\n{code}\n\ndef last():\n    return os.name\n" for code in (MEAN, MEAN_FIXED))


@pytest.mark.parametrize(
    ("code", "fixed", "other"),
    [
        (RENAMED, RENAMED_FIXED, MEAN_OTHER_FIX.replace("mean", "average").replace("values", "numbers")),
        (TWO, TWO_FIXED, TWO_FIXED.replace("os.name", "os.sep")),
        (TWO, TWO_FIXED, TWO.replace(MEAN, MEAN_OTHER_FIX)),
    ],
)
def test_a_rejected_fix_is_known_under_other_names_and_in_a_longer_text(memory: LongTermMemory, code: str, fixed: str, other: str) -> None:
    """A rule may make it there, too. Another fix is none of it, nor is one that changes more; and one that is accepted there stays."""
    memory.judge(the_only(memory), accepted=False)

    assert memory.is_rejected(python(code), fixed)
    assert not memory.is_rejected(python(code), other)
    memory.judge(None, accepted=True, source=python(code), fixed_code=fixed)
    assert not memory.is_rejected(python(code), fixed)


def test_a_fix_rejected_in_a_longer_text_is_known_by_itself(tmp_path: Path) -> None:
    """The function alone is the same code; of several that are the same but for names, one that may be offered speaks for all."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(TWO, TWO_FIXED))
    memory.judge(the_only(memory), accepted=False)

    assert memory.is_rejected(python(MEAN), MEAN_FIXED)
    memory.remember(an_experience(*(code.replace("values", "others") for code in (MEAN, MEAN_FIXED))))
    assert not memory.is_rejected(python(RENAMED), RENAMED_FIXED)


def test_a_rejected_transfer_is_rejected_for_the_code_that_it_was_shown_for(memory: LongTermMemory) -> None:
    """The rules may make for the paste what memory had carried over to it: that is the same fix."""
    memory.judge(the_only(memory), accepted=False, source=python(RENAMED), fixed_code=RENAMED_FIXED)

    assert memory.is_rejected(python(RENAMED), RENAMED_FIXED)
    assert not memory.is_rejected(python(RENAMED), RENAMED)
    imported = memory.remember(an_experience(RENAMED, RENAMED_FIXED))
    assert (imported.status, imported.why) == ("skipped", "rejected")
    assert len(admin.list_experiences(memory.ledger)) == 1


@pytest.mark.parametrize("act", [admin.approve, admin.forget])
def test_what_was_said_of_a_transfer_goes_with_the_experience_that_it_came_from(memory: LongTermMemory, act: Act) -> None:
    """Approving it brings the transfer back, too; forgetting it leaves no row."""
    memory.judge(the_only(memory), accepted=False, source=python(RENAMED), fixed_code=RENAMED_FIXED)

    act(memory.ledger, admin.list_experiences(memory.ledger)[0].id)

    assert not memory.is_rejected(python(RENAMED), RENAMED_FIXED)
    with memory.ledger.reading() as connection:
        assert connection.execute("SELECT count(*) FROM verdicts").fetchone() == (0,)


def test_a_fix_that_is_not_stored_can_be_judged(tmp_path: Path) -> None:
    """With code and fix there is something to judge; with neither there is not."""
    memory = empty_memory(tmp_path)

    assert memory.judge(None, accepted=False) is None
    assert memory.judge(7, accepted=False) is None
    judged = memory.judge(None, accepted=False, source=python(MEAN), fixed_code=MEAN_FIXED)

    assert judged is not None
    assert memory.is_rejected(python(MEAN), MEAN_FIXED)
    assert memory.take_back(judged)
    assert not memory.is_rejected(python(MEAN), MEAN_FIXED)


def test_approving_brings_a_rejected_fix_back(memory: LongTermMemory) -> None:
    """As plausible; the verdict on it is gone, too."""
    memory.judge(the_only(memory), accepted=False, source=python(MEAN), fixed_code=MEAN_FIXED)

    count = admin.approve(memory.ledger, admin.list_experiences(memory.ledger)[0].id)

    assert count == 1
    assert memory.recall(python(MEAN)).match.trust == "plausible"
    assert not memory.is_rejected(python(MEAN), MEAN_FIXED)


def test_approving_a_quarantined_fix_leaves_a_rejected_one(memory: LongTermMemory) -> None:
    """They were withheld for different reasons."""
    memory.judge(the_only(memory), accepted=False)
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX, trust="quarantined"))

    admin.approve(memory.ledger, admin.list_experiences(memory.ledger)[0].id)

    trusts = {each.fixed_code: each.trust for each in admin.list_experiences(memory.ledger)[0].alternatives}
    assert trusts == {MEAN_FIXED: "rejected", MEAN_OTHER_FIX: "plausible"}


def test_another_fix_of_rejected_code_can_be_learnt_and_is_offered(memory: LongTermMemory) -> None:
    """The rejected one is not learnt again, from an import neither."""
    memory.judge(the_only(memory), accepted=False)

    same = memory.remember(an_experience(kind="session"))
    other = memory.remember(an_experience(fixed=MEAN_OTHER_FIX, kind="session"))

    assert (same.status, same.why) == ("skipped", "rejected")
    assert other.status == "updated"
    fix = memory.recall(python(MEAN)).fix
    assert fix is not None
    assert fix.code == MEAN_OTHER_FIX


def test_forgetting_leaves_no_verdict(memory: LongTermMemory) -> None:
    """No row of the table speaks of the code or its fix."""
    memory.judge(the_only(memory), accepted=False, source=python(MEAN), fixed_code=MEAN_FIXED)

    admin.forget(memory.ledger, admin.list_experiences(memory.ledger)[0].id)

    with memory.ledger.reading() as connection:
        assert connection.execute("SELECT count(*) FROM verdicts").fetchone() == (0,)


def test_tests_that_failed_before_the_fix_prove_the_stored_fix_of_exactly_this_code(memory: LongTermMemory) -> None:
    """In another layout, too; the level is kept. A carried-over fix proves nothing of the stored one."""
    evidence = verified("tested", tests=True)
    renamed = memory.recall(python(RENAMED)).match
    assert not memory.confirm(python(RENAMED), renamed, evidence)
    assert memory.recall(python(MEAN)).match.trust == "plausible"

    changed = memory.confirm(python(RELAID), memory.recall(python(RELAID)).match, evidence)

    best = admin.list_experiences(memory.ledger)[0].best
    assert changed
    assert (best.trust, best.verification.level) == ("proved", "tested")
    assert best.trust_reason == "passed your tests, which failed before it"
    assert not memory.confirm(python(MEAN), memory.recall(python(MEAN)).match, evidence)


def test_tests_that_passed_before_the_fix_prove_nothing(memory: LongTermMemory) -> None:
    """The level says what was run; the trust does not follow from it."""
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX, kind="session", verification=verified("tested", tests=True, passed_before=True)))

    stored = next(each for each in admin.list_experiences(memory.ledger)[0].alternatives if each.fixed_code == MEAN_OTHER_FIX)
    assert (stored.trust, stored.verification.level) == ("plausible", "tested")


def test_an_accepted_verdict_survives_undo_of_nothing(memory: LongTermMemory) -> None:
    """What `/undo` of a duplicate says is no write, so nothing of the verdict goes."""
    memory.judge(the_only(memory), accepted=True)

    assert not memory.undo(Saved("duplicate", "x", None, the_only(memory)))
    assert memory.recall(python(MEAN)).match.trust == "proved"
