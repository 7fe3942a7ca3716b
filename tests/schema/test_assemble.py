"""Records and sets of findings, without a graph."""

from __future__ import annotations

from schema.assemble import exit_code_of, recall_record
from schema.finding_sets import keep_worst, merge_findings
from schema.fix import NO_SANDBOX, NOT_RUN, Check, Verification
from schema.ports import Inspection, Recalled
from tests.fakes import a_finding, a_fix, a_match, a_task, verified


def test_a_recall_record_has_what_memory_said() -> None:
    """Its fix once it is verified, its findings, and what was seen beside them."""
    recalled = Recalled(a_match(), a_fix(origin="memory"), (a_finding(1, "bugs/other"),))

    record = recall_record(a_task(notes=("prepared",)), recalled, Inspection((a_finding(),), ("linter",)), elapsed_ms=7)

    assert record.route == ("retrieve_memory",)
    assert record.fix == a_fix(origin="memory")
    assert [found.start_line for found in record.findings] == [1, 2]
    assert record.notes == ("prepared", "checked by linter", "static: logic was not checked by a model")
    assert (record.saved.status, record.saved.why) == ("skipped", "no_save")
    assert (record.elapsed_ms, record.exit_code) == (7, 0)


def test_a_recall_record_without_an_inspection_says_nothing_about_one() -> None:
    """Nothing was checked, and nothing claims to have been."""
    assert recall_record(a_task(), Recalled(a_match("NONE"))).notes == ()


def test_an_unverified_fix_is_not_offered() -> None:
    """Whatever memory proposes."""
    recalled = Recalled(a_match("SIMILAR"), a_fix(verification=Verification("none")))

    assert recall_record(a_task(), recalled).fix is None


def test_a_failing_memory_is_in_the_record() -> None:
    """Code, message and exit status."""
    record = recall_record(a_task(), None, failure={"code": "memory_locked", "message": "m", "exit_code": 3})

    assert record.error == {"code": "memory_locked", "message": "m"}
    assert (record.exit_code, record.saved.why, record.match.status) == (3, "error", "NONE")


def test_nothing_reviewed_is_status_3() -> None:
    """Without an error too."""
    assert (exit_code_of(None), exit_code_of(None, reviewed=False)) == (0, 3)


def test_the_same_rule_on_the_same_line_is_one_finding() -> None:
    """The one just seen stays; the rest of memory's is added, in the order of the text."""
    seen, stored = a_finding(2, source="ruff:X"), a_finding(2, source="memory:e1")

    assert merge_findings([seen], [stored, a_finding(1)]) == (a_finding(1), seen)


def test_the_worst_are_kept_in_the_order_of_the_text() -> None:
    """And the number that was cut is known."""
    several = [a_finding(3, severity="high"), a_finding(1, severity="low"), a_finding(2, severity="critical")]

    kept, cut = keep_worst(several, 2)

    assert ([found.start_line for found in kept], cut) == ([2, 3], 1)
    assert keep_worst(several, 3)[1] == 0


def test_a_test_that_could_not_run_did_not_fail() -> None:
    """Only a command that ran says something about the fix."""
    assert verified(tests=False).tests_failed
    assert not verified(tests=True).tests_failed
    assert not Verification("clean", (Check("tests", False, f"{NO_SANDBOX}: why"),)).tests_failed
    assert not Verification("none", (Check("tests", False, f"{NOT_RUN}: the fix is refused"),)).tests_failed
    assert Verification("clean", (Check("tests", False, f"{NO_SANDBOX}: why"),)).no_sandbox


def test_a_language_that_could_not_be_told_has_no_name() -> None:
    """`knows unknown` says nothing to anybody."""
    record = recall_record(a_task(language="unknown"), Recalled(a_match("NONE")), Inspection(()))

    assert record.notes[0] == "no rule or linter here knows this language: its logic was not checked"
