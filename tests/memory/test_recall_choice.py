"""Several stored fixes of the same code: which one is offered, and which text is the right one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from memory.ledger import Ledger
from memory.recall import LongTermMemory
from schema.fix import Verification
from tests.memory.recalls import RENAMED, FakeVerifier, PickyVerifier, empty_memory, python
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, Clock, an_experience

GUTTED = "def mean(values):\n    return 0\n"
PASTES = (MEAN, RENAMED, "import os\n\n" + MEAN + "\ndef other(name):\n    return os.stat(name)\n")


def test_an_own_verified_fix_goes_before_a_newer_import(tmp_path: Path) -> None:
    """Evidence counts, not the date of an import."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(kind="session", verification=Verification("clean")))
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX))

    fix = memory.recall(python(MEAN)).fix

    assert fix is not None
    assert fix.code == MEAN_FIXED


@pytest.mark.parametrize("paste", PASTES, ids=["whole", "renamed", "among others"])
@pytest.mark.parametrize("count", [1, 20])
def test_imports_that_throw_the_code_away_do_not_hide_a_good_fix(tmp_path: Path, paste: str, count: int) -> None:
    """However many newer ones there are: a repair keeps most of the code."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX))
    for number in range(count):
        memory.remember(an_experience(fixed=GUTTED.replace("0", str(number))))

    fix = memory.recall(python(paste)).fix

    assert fix is not None
    assert "raise ValueError" in fix.code


@pytest.mark.parametrize(
    ("paste", "unwanted"),
    [(RENAMED, MEAN_FIXED.replace("mean", "average").replace("values", "numbers")), (PASTES[2], PASTES[2].replace(MEAN, MEAN_FIXED))],
    ids=["renamed", "among others"],
)
def test_a_refused_fix_of_a_similar_paste_gives_way_to_the_next(tmp_path: Path, paste: str, unwanted: str) -> None:
    """Where there is a choice, each is checked before one is proposed."""
    memory = LongTermMemory(Ledger(tmp_path / "ledger.sqlite3", clock=Clock()), PickyVerifier(unwanted))
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX))
    memory.remember(an_experience(fixed=MEAN_FIXED))

    recalled = memory.recall(python(paste))

    assert recalled.fix is not None
    assert "raise ValueError" in recalled.fix.code
    assert recalled.fix.verification.level == "none"


def test_of_imports_the_one_that_reaches_the_highest_level_is_offered(tmp_path: Path) -> None:
    """A newer import that only parses does not go before one that takes the finding away."""

    class LevelVerifier(FakeVerifier):
        """Clean for one text, parses for the others."""

        def verify(self, before: object, after: str, **_: object) -> Verification:
            return Verification("clean" if after == MEAN_FIXED else "parses")

    memory = LongTermMemory(Ledger(tmp_path / "ledger.sqlite3", clock=Clock()), LevelVerifier())
    memory.remember(an_experience(fixed=MEAN_FIXED))
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX))

    fix = memory.recall(python(MEAN)).fix

    assert fix is not None
    assert fix.code == MEAN_FIXED


def test_a_chain_of_fixes_is_followed_step_by_step(tmp_path: Path) -> None:
    """A fixed text that was mended again is a bug, too: the later fix is not lost."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(MEAN, MEAN_FIXED))
    memory.remember(an_experience(MEAN_FIXED, MEAN_OTHER_FIX))

    assert memory.recall(python(MEAN)).match.status == "IDENTICAL"
    assert memory.recall(python(MEAN_FIXED)).match.status == "IDENTICAL"
    assert memory.recall(python(MEAN_OTHER_FIX)).match.already_fixed


@pytest.mark.parametrize("steps", [[MEAN, MEAN_FIXED], [MEAN, MEAN_FIXED, MEAN_OTHER_FIX]], ids=["to and fro", "three texts"])
def test_in_a_circle_of_fixes_the_step_with_the_least_evidence_is_dropped(tmp_path: Path, steps: list[str]) -> None:
    """A text is never mended to and fro: the user's own fix stands against an import that takes it back."""
    memory = empty_memory(tmp_path)
    for code, fixed in pairwise(steps):
        memory.remember(an_experience(code, fixed, kind="session", verification=Verification("clean")))
    memory.remember(an_experience(steps[-1], steps[0]))

    last = memory.recall(python(steps[-1]))

    assert (last.match.status, last.match.already_fixed, last.fix) == ("NONE", True, None)
    assert memory.recall(python(steps[0])).match.status == "IDENTICAL"
