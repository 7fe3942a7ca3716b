"""What the user has dismissed, rejected or chosen, in the nodes."""

from __future__ import annotations

from dataclasses import replace

from langgraph.runtime import Runtime

from errors import MemoryLockedError
from nodes.session.fixer import fixer
from nodes.session.ignoring import IGNORED_REASON
from nodes.session.manager import manager
from nodes.session.retrieve_memory import retrieve_memory
from nodes.session.reviewer import reviewer
from nodes.session.save_experience import save_experience
from schema.experience import Experience, Saved
from schema.fix import REJECTED_NOTE
from schema.ports import FixOutcome, FixRequest, Inspection, Recalled
from schema.source import Source
from schema.usage import Usage
from state import Context
from tests.fakes import (
    FIXED,
    FakeFixer,
    FakeInspector,
    FakeMemory,
    FakeReviewer,
    FakeVerdicts,
    a_context,
    a_finding,
    a_fix,
    a_match,
    a_state,
    a_task,
    verified,
)

FIRST, SECOND = a_finding(1, "bugs/first", fingerprint="first"), a_finding(2, "bugs/second", fingerprint="second")


def runtime(**changes: object) -> Runtime[Context]:
    """A runtime with fakes."""
    return Runtime(context=a_context(**changes))


async def test_a_dismissed_finding_is_set_apart_before_the_worst_are_kept() -> None:
    """It takes no place from those that are reported."""
    ports = {"inspector": FakeInspector(lambda _: [FIRST, SECOND]), "verdicts": FakeVerdicts("first"), "max_findings": 1}

    update = await retrieve_memory(a_state(), runtime(**ports))

    assert [found["rule_id"] for found in update["findings"]] == ["bugs/second"]
    assert [found["rule_id"] for found in update["ignored"]] == ["bugs/first"]
    assert not any("cut" in note for note in update["notes"])


async def test_a_past_fix_of_dismissed_findings_only_is_not_offered() -> None:
    """The user said that nothing is wrong there."""
    recalled = Recalled(a_match(), a_fix(origin="memory"), (FIRST,))

    update = await retrieve_memory(a_state(), runtime(memory=FakeMemory(recalled), verdicts=FakeVerdicts("first")))

    assert (update["match_status"], update["match"]["reason"], update["fix"]) == ("NONE", IGNORED_REASON, None)


async def test_a_past_fix_of_more_than_that_is_offered() -> None:
    """One of its findings is still wanted."""
    recalled = Recalled(a_match(), a_fix(origin="memory"), (FIRST, SECOND))

    update = await retrieve_memory(a_state(), runtime(memory=FakeMemory(recalled), verdicts=FakeVerdicts("first")))

    assert update["match_status"] == "IDENTICAL"
    assert update["fix"] is not None


async def test_verdicts_that_can_t_be_read_hide_nothing() -> None:
    """The finding is reported, and the failure is the task's."""
    verdicts = FakeVerdicts("first", error=MemoryLockedError("process 7 holds it"))

    update = await retrieve_memory(a_state(), runtime(inspector=FakeInspector(lambda _: [FIRST]), verdicts=verdicts))

    assert len(update["findings"]) == 1
    assert update["error"] == {"code": "memory_locked", "message": "process 7 holds it", "exit_code": 3}


async def test_the_reviewer_knows_what_was_dismissed_and_it_is_set_apart_again() -> None:
    """So that a model that finds the same defect is heard as saying the same."""
    asked = FakeReviewer([a_finding(2, "model/bug", fingerprint="new")])
    state = a_state(findings=[SECOND.as_plain()], ignored=[FIRST.as_plain()])

    update = await reviewer(state, runtime(reviewer=asked, verdicts=FakeVerdicts("first")))

    assert asked.requests[0].findings == (FIRST, SECOND)
    assert [found["rule_id"] for found in update["findings"]] == ["bugs/second", "model/bug"]
    assert [found["rule_id"] for found in update["ignored"]] == ["bugs/first"]


async def test_the_fixer_is_told_what_to_leave_alone() -> None:
    """It inspects the text anew, and would find it."""
    asked = FakeFixer(a_fix())

    await fixer(a_state(findings=[SECOND.as_plain()], ignored=[FIRST.as_plain()]), runtime(fixer=asked))

    assert asked.requests[0].findings == (SECOND,)
    assert asked.requests[0].ignored == (FIRST,)


async def test_a_rejected_fix_is_not_offered_whoever_made_it() -> None:
    """No fix, the sentence that says why, and nothing is saved; also past the memory."""
    memory = FakeMemory()
    memory.judge(None, accepted=False, source=a_task().source, fixed_code=FIXED)
    state = a_state(task=a_task(use_memory=False).as_plain(), findings=[FIRST.as_plain()])

    update = await fixer(state, runtime(fixer=FakeFixer(a_fix(origin="model")), memory=memory))
    saving = await save_experience({**state, **update}, runtime(memory=memory))

    assert (update["fix"], update["rejected"]) == (None, True)
    assert update["notes"][-1] == REJECTED_NOTE
    assert (saving["saved"]["status"], saving["saved"]["why"]) == ("skipped", "rejected")


async def test_another_fix_than_the_rejected_one_is_offered() -> None:
    """The verdict was on a fix, not on the code."""
    memory = FakeMemory()
    memory.judge(None, accepted=False, source=a_task().source, fixed_code="something else\n")

    update = await fixer(a_state(), runtime(fixer=FakeFixer(a_fix()), memory=memory))

    assert update["fix"] is not None
    assert REJECTED_NOTE not in update["notes"]


class LeavingFixer:
    """Says that its fix would be one that was rejected, as the static fixer does."""

    async def fix(self, request: FixRequest) -> FixOutcome:
        """No fix."""
        return FixOutcome(None, rejected=True)


async def test_a_fixer_that_left_a_rejected_fix_out_has_it_said() -> None:
    """The sentence is the same."""
    update = await fixer(a_state(), runtime(fixer=LeavingFixer()))

    assert (update["fix"], update["rejected"], update["notes"]) == (None, True, [REJECTED_NOTE])


async def test_chosen_findings_are_all_there_is_to_mend() -> None:
    """Memory is not asked, nothing is inspected, and the manager sends them straight to the fixer."""
    inspector, memory = FakeInspector(lambda _: [SECOND]), FakeMemory(Recalled(a_match(), a_fix()))
    task = a_task(chosen=(FIRST.as_plain(),))
    ports = runtime(inspector=inspector, memory=memory, fixer=FakeFixer(a_fix()))

    update = await retrieve_memory(a_state(task=task.as_plain()), ports)
    routed = await manager({**a_state(task=task.as_plain()), **update}, ports)  # type: ignore[typeddict-item]  # a part of the state over a whole one

    assert (update["findings"], update["match_status"]) == ([FIRST.as_plain()], "NONE")
    assert (inspector.seen, memory.test_cmds) == ([], [])
    assert routed == {"next_worker": "fixer"}


async def test_a_fix_that_mends_some_says_which_it_leaves() -> None:
    """In lines of the paste; the one that is gone is not named."""
    inspector = FakeInspector(lambda text: [SECOND] if text == FIXED else [FIRST, SECOND])
    task = a_task(line_map=((11, 0), (12, 0)))

    update = await fixer(
        a_state(task=task.as_plain(), findings=[FIRST.as_plain(), SECOND.as_plain()]),
        runtime(inspector=inspector, fixer=FakeFixer(a_fix())),
    )

    assert update["notes"][-1] == "Not mended: 1 finding has no fix yet (line 12)."


async def test_a_line_that_was_changed_for_another_finding_keeps_its_own() -> None:
    """Its evidence is another now; what is said of it is the same."""
    both = [replace(FIRST, rule_id="bugs/default"), replace(FIRST, message="`a` is not used")]
    changed = replace(both[1], evidence="    if not values:")
    inspector = FakeInspector(lambda text: [changed] if text == FIXED else both)

    update = await fixer(
        a_state(findings=[found.as_plain() for found in both]),
        runtime(inspector=inspector, fixer=FakeFixer(a_fix())),
    )

    assert update["notes"][-1] == f"Not mended: 1 finding has no fix yet (line {FIRST.start_line})."


async def test_an_unchanged_line_elsewhere_is_no_left_over() -> None:
    """It was not among the findings (ignored, or cut) and says the same as the one that is gone."""
    elsewhere = replace(FIRST, start_line=2, end_line=2, evidence="    return sum(values) / len(values)")
    inspector = FakeInspector(lambda text: [SECOND, elsewhere] if text == FIXED else [FIRST, SECOND, elsewhere])

    update = await fixer(
        a_state(findings=[FIRST.as_plain(), SECOND.as_plain()]),
        runtime(inspector=inspector, fixer=FakeFixer(a_fix())),
    )

    assert update["notes"][-1] == f"Not mended: 1 finding has no fix yet (line {SECOND.start_line})."


async def test_a_fix_that_mends_everything_has_nothing_to_add() -> None:
    """Nor has one that was not made."""
    state = a_state(findings=[FIRST.as_plain(), SECOND.as_plain()])

    mended = await fixer(state, runtime(fixer=FakeFixer(a_fix())))
    unfixed = await fixer(state, runtime(inspector=FakeInspector(lambda _: [FIRST, SECOND]), fixer=FakeFixer(None)))

    assert (mended["notes"], unfixed["notes"]) == (["tried"], ["tried"])


async def test_tests_that_passed_before_the_fix_prove_nothing() -> None:
    """The level is what it is, and the reason says what is missing."""
    memory = FakeMemory()
    same = a_fix(verification=verified("tested", tests=True, passed_before=True))

    await save_experience(a_state(fix=same.as_plain()), runtime(memory=memory))

    kept = memory.kept[0]
    assert (kept.trust, kept.verification.level) == ("plausible", "tested")
    assert kept.trust_reason == "the test command passes, but it passed before the fix too"


async def test_a_remembered_fix_that_mends_the_tests_here_is_confirmed() -> None:
    """Of exactly this code; one that was carried over is only counted."""
    for status, confirmed in (("IDENTICAL", 1), ("SIMILAR", 0)):
        memory = FakeMemory()
        fix = a_fix(origin="memory", verification=verified("tested", tests=True)).as_plain()
        match = a_match(status)  # type: ignore[arg-type]  # a plain word, for a short test
        state = a_state(match=match.as_plain(), fix=fix, long_term_context={"fix": fix, "example": None})

        await save_experience(state, runtime(memory=memory))

        assert (len(memory.used), len(memory.confirmed)) == (1, confirmed)


async def test_what_making_a_fix_cost_is_remembered_with_it() -> None:
    """All calls of the task: plan and review, too."""
    memory = FakeMemory()

    await save_experience(a_state(fix=a_fix().as_plain(), usage=Usage(3, 900, 120, 0.5).as_plain()), runtime(memory=memory))

    assert memory.kept[0].cost == Usage(3, 900, 120, 0.5)


async def test_a_fix_that_is_kept_aside_is_shown_with_the_reason() -> None:
    """The note stands after those that are there."""

    class Careful(FakeMemory):
        """Keeps everything aside."""

        def remember(self, experience: Experience) -> Saved:
            return replace(super().remember(experience), aside="its fix adds network access")

    update = await save_experience(a_state(fix=a_fix().as_plain(), notes=["first"]), runtime(memory=Careful()))

    assert update["notes"] == ["first", "kept aside: its fix adds network access; /accept (or `memory approve`) lets it be offered"]
    assert "aside" not in update["saved"]


async def test_silenced_findings_go_to_the_reviewer_as_evidence() -> None:
    """They are in the state, in no finding, and in a note."""
    inspection = Inspection((FIRST,), ("ruff",), (), (SECOND,))
    state = a_state()

    class Silenced(FakeInspector):
        """One finding, and one that a comment silences."""

        def inspect(self, source: Source) -> Inspection:
            return inspection

    update = await retrieve_memory(state, runtime(inspector=Silenced()))
    reviewing = FakeReviewer()
    await reviewer({**state, **update}, runtime(reviewer=reviewing))  # type: ignore[typeddict-item]

    assert [found["rule_id"] for found in update["findings"]] == ["bugs/first"]
    assert [found.rule_id for found in reviewing.requests[0].silenced] == ["bugs/second"]
    assert "1 finding is silenced by a comment in the code (noqa)" in update["notes"]
