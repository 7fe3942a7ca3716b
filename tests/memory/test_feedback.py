"""What users say of fixes and do with them decides what is offered next, in every tier of recall."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory import admin
from memory.recall import LongTermMemory
from memory.records import StoredAlternative
from memory.revising import revise, take_back_revision
from schema.experience import Experience, Provenance
from schema.fix import Verification
from schema.revision import Revision
from schema.usage import Usage
from tests.fakes import verified
from tests.memory.recalls import RENAMED, UNRELATED, empty_memory, python
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, an_experience

RENAMED_FIXED = MEAN_FIXED.replace("mean", "average").replace("values", "numbers")
NEAR = "def mean(values):\n    print('mean')\n    return sum(values) / len(values)\n"
TWO = f"{UNRELATED}\n\n{MEAN}"
NEAR_TWO = f"{UNRELATED}\n\n{NEAR}"
OWN = "def mean(values):\n    return sum(values) / len(values) if values else 0.0\n"


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    """One imported fix of `mean`."""
    made = empty_memory(tmp_path)
    made.remember(an_experience())
    return made


def alternatives(memory: LongTermMemory, code: str = MEAN) -> dict[str, StoredAlternative]:
    """The stored fixes of a code by what they make of it."""
    return {each.fixed_code: each for found in admin.list_experiences(memory.ledger) for each in found.alternatives if each.code == code}


def offered(memory: LongTermMemory, code: str) -> str:
    """What recall makes of a code; empty for nothing."""
    fix = memory.recall(python(code)).fix
    return "" if fix is None else fix.code


def edited(memory: LongTermMemory, fixed: str = OWN, code: str = MEAN, corrected: tuple[int, ...] | None = None) -> Revision:
    """The user's edit of the stored fix."""
    experience = Experience("python", code, fixed, "Mine.", Provenance("session", ref="s"), verification=verified("parses"), trust="proved")
    ids = tuple(each.id for each in alternatives(memory).values()) if corrected is None else corrected
    return revise(memory.ledger, experience, ids)


@pytest.mark.parametrize("code", [MEAN, RENAMED, TWO, NEAR, NEAR_TWO])
def test_a_fix_rejected_for_a_code_is_not_offered_for_it_again(memory: LongTermMemory, code: str) -> None:
    """Exact, renamed, a function of a longer text, alike, and a function that is alike: although the stored fix keeps its trust."""
    region = memory.recall(python(code)).match.regions[0]
    part = "\n".join(code.split("\n")[region.start_line - 1 : region.end_line])
    stored = region.alternative_id if region.tier == "exact" else None  # of the very code the stored fix is the one that is judged
    memory.judge(stored, accepted=False, source=python(part), fixed_code=region.fixed_code or "")

    recalled = memory.recall(python(code))

    assert (recalled.match.status, recalled.fix, recalled.example, recalled.match.regions) == ("NONE", None, None, ())
    assert "rejected" in recalled.match.reason
    assert not recalled.match.already_fixed
    assert [each.experience_id for each in recalled.match.related] == [region.experience_id]


def test_what_is_rejected_here_only_is_offered_elsewhere(memory: LongTermMemory) -> None:
    """The stored fix is right for its own code; it comes behind others from then on. Taken back, it is as before."""
    before = alternatives(memory)[MEAN_FIXED]
    judged = memory.judge(before.id, accepted=False, source=python(NEAR), fixed_code=offered(memory, NEAR), here_only=True)
    assert judged is not None

    after = alternatives(memory)[MEAN_FIXED]
    assert (after.trust, after.trust_reason, after.rejected) == (before.trust, before.trust_reason, 1)
    assert after.rank() < before.rank()
    assert offered(memory, NEAR) == ""
    assert offered(memory, MEAN) == MEAN_FIXED

    assert memory.take_back(judged)
    assert alternatives(memory)[MEAN_FIXED] == before
    assert offered(memory, NEAR)


def test_another_fix_is_offered_in_place_of_the_one_that_is_rejected_here(memory: LongTermMemory) -> None:
    """Of two stored fixes of the same code up to names, the one that the user has not rejected for these names."""
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX))
    first = offered(memory, RENAMED)
    memory.judge(None, accepted=False, source=python(RENAMED), fixed_code=first)

    second = offered(memory, RENAMED)

    assert second
    assert second != first


def test_approving_brings_back_what_was_rejected_for_one_code(memory: LongTermMemory) -> None:
    """Nothing waits, and the verdicts that came from this experience are gone."""
    stored = alternatives(memory)[MEAN_FIXED]
    memory.judge(stored.id, accepted=False, source=python(NEAR), fixed_code=offered(memory, NEAR), here_only=True)

    assert admin.approve(memory.ledger, stored.experience_id) == 1
    assert offered(memory, NEAR)


def test_of_two_that_are_equally_alike_the_accepted_one_is_offered(tmp_path: Path) -> None:
    """Twice: whichever was stored first."""
    twin = MEAN.replace("mean", "middle")
    for accepted in (MEAN, twin):
        memory = empty_memory(tmp_path / accepted[4:8])
        memory.remember(an_experience(MEAN, MEAN_FIXED))
        memory.remember(an_experience(twin, twin.replace("len(values)", "max(1, len(values))")))
        (stored,) = alternatives(memory, accepted).values()
        memory.judge(stored.id, accepted=True)

        match = memory.recall(python(NEAR.replace("mean", "centre"))).match

        assert match.tier == "near"
        assert match.regions[0].experience_id == stored.experience_id


@pytest.mark.parametrize("code", [MEAN, RENAMED, NEAR, TWO])
def test_an_edit_is_offered_before_the_fix_that_it_corrects(memory: LongTermMemory, code: str) -> None:
    """For that code, with other names, in a longer text, and for what is alike."""
    edited(memory)

    assert "if values else 0.0" in offered(memory, code).replace("numbers", "values")
    stored = alternatives(memory)
    assert [(stored[fixed].trust, stored[fixed].accepted, stored[fixed].corrected) for fixed in (OWN, MEAN_FIXED)] == [
        ("proved", 1, 0),
        ("plausible", 0, 1),
    ]
    assert stored[OWN].trust_reason.startswith("edited by you on ")
    assert stored[MEAN_FIXED].trust_reason.startswith("corrected by you on ")


def test_an_edit_comes_before_a_fix_that_was_proved_accepted_and_pinned(memory: LongTermMemory) -> None:
    """Its pin goes over to the edit. Taken back, everything is as it was."""
    stored = alternatives(memory)[MEAN_FIXED]
    for _ in range(3):
        memory.judge(stored.id, accepted=True)
    with memory.ledger.writing() as connection:
        connection.execute("UPDATE alternatives SET pinned = 1")
    before = admin.list_experiences(memory.ledger)

    revision = edited(memory)

    assert revision.took_pin
    assert offered(memory, MEAN) == OWN
    assert (alternatives(memory)[OWN].pinned, alternatives(memory)[MEAN_FIXED].pinned) == (True, False)
    assert take_back_revision(memory.ledger, revision)
    assert admin.list_experiences(memory.ledger) == before


def test_an_edit_of_a_function_of_a_longer_text_comes_before_the_fix_of_the_function(memory: LongTermMemory) -> None:
    """Although the corrected fix is of the function as a whole, and the edit one of a part of its text."""
    edited(memory, f"{UNRELATED}\n\n{OWN}", TWO)

    assert offered(memory, MEAN) == OWN


def test_what_a_corrected_fix_made_of_the_code_is_not_called_fixed(memory: LongTermMemory) -> None:
    """The edit's is; taken back, the other is again."""
    revision = edited(memory)

    assert memory.recall(python(OWN)).match.already_fixed
    assert not memory.recall(python(MEAN_FIXED)).match.already_fixed
    take_back_revision(memory.ledger, revision)
    assert memory.recall(python(MEAN_FIXED)).match.already_fixed


def test_an_edit_that_is_a_known_fix_accepts_that_fix(memory: LongTermMemory) -> None:
    """Nothing is stored twice; a fix that was rejected before is wanted now. Taken back, it is rejected again."""
    memory.remember(an_experience(fixed=MEAN_OTHER_FIX))
    first, other = alternatives(memory)[MEAN_FIXED], alternatives(memory)[MEAN_OTHER_FIX]
    memory.judge(other.id, accepted=False, source=python(MEAN), fixed_code=MEAN_OTHER_FIX)

    revision = edited(memory, MEAN_OTHER_FIX, corrected=(first.id,))

    assert offered(memory, MEAN) == MEAN_OTHER_FIX
    assert len(alternatives(memory)) == 2
    assert take_back_revision(memory.ledger, revision)
    assert alternatives(memory)[MEAN_OTHER_FIX].trust == "rejected"
    assert offered(memory, MEAN) == MEAN_FIXED


def test_an_edit_of_forgotten_code_is_not_kept(memory: LongTermMemory) -> None:
    """Whatever is done with it; nothing else changes."""
    stored = alternatives(memory)[MEAN_FIXED]
    admin.forget(memory.ledger, stored.experience_id)

    revision = edited(memory, corrected=(stored.id,))

    assert (revision.judged, revision.saved.status) == (None, "skipped")
    assert admin.list_experiences(memory.ledger) == []
    assert not take_back_revision(memory.ledger, revision)


def test_an_edit_has_cost_what_the_edited_fix_had_cost(tmp_path: Path) -> None:
    """Its use spares the same calls."""
    memory = empty_memory(tmp_path)
    memory.remember(replace(an_experience(kind="session"), cost=Usage(3, 900, 120, 0.5)))

    edited(memory)

    assert alternatives(memory)[OWN].cost == Usage(3, 900, 120, 0.5)


def test_an_edit_is_in_the_history(memory: LongTermMemory) -> None:
    """With what it corrected, and that it was taken back."""
    stored = alternatives(memory)[MEAN_FIXED]
    take_back_revision(memory.ledger, edited(memory))

    with memory.ledger.reading() as connection:
        rows = connection.execute("SELECT action, detail FROM events WHERE experience = ?", (stored.experience_id,)).fetchall()
    assert rows[-3:] == [("edited", "updated"), ("edited", "corrected"), ("taken back", "edited")]


def test_the_edit_of_an_import_of_one_s_own_is_checked_like_any_other(memory: LongTermMemory) -> None:
    """A level without evidence is stored as it is."""
    experience = Experience("python", MEAN, OWN, "Mine.", Provenance("session"), verification=Verification("parses"), trust="proved")
    revise(memory.ledger, experience, ())

    assert alternatives(memory)[OWN].verification.level == "parses"
    assert alternatives(memory)[MEAN_FIXED].corrected == 0
