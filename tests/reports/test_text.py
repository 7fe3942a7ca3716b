"""The report for people."""

from __future__ import annotations

from dataclasses import replace

from reports.closing import calls_words
from reports.style import Style, style_for
from reports.text import record_text
from schema.experience import Saved
from schema.fix import Check, Fix, Verification
from schema.match import Match, PastFix, Related
from schema.record import TaskRecord, Usage
from tests.reports.sample import CODE, finding

FIXED = CODE.replace("    return", "    if not xs:\n        return 0\n    return")
HERE = "nothing leaves this machine"
RECORD = TaskRecord(
    "1",
    "python",
    "static",
    findings=(finding(),),
    fix=Fix(FIXED, "An empty list gives 0.", "rules", Verification("clean")),
    saved=Saved("added", "3fa2c1d9e8b7aaaa"),
    elapsed_ms=41,
    notes=("static: logic was not checked by a model",),
)


def shown(record: TaskRecord, style: Style | None = None) -> str:
    """The report of a record about CODE."""
    return record_text(record, CODE, path="paste", where=HERE, style=style or Style())


def test_the_whole_report() -> None:
    """Headline, finding, fix as a diff with its evidence level, notes, closing line."""
    assert shown(RECORD) == (
        "Paste 1 (python): 1 finding\n"
        "\n"
        "[1] medium  line 3  bugs/division-by-length\n"
        "  3 |     return total / len(xs)\n"
        "    |            ^^^^^^^^^^^^^^^\n"
        "  len(xs) is 0 for an empty argument.\n"
        "  Do: Return early when it is empty.\n"
        "\n"
        "Fix (level clean: what it mends is gone, nothing new came; nothing was run)\n"
        "An empty list gives 0.\n"
        "--- paste\n"
        "+++ paste (fixed)\n"
        "@@ -1,3 +1,5 @@\n"
        " def mean(xs):\n"
        "     total = sum(xs)\n"
        "+    if not xs:\n"
        "+        return 0\n"
        "     return total / len(xs)\n"
        "\n"
        "- static: logic was not checked by a model\n"
        "NONE: memory knows no such code | fix by the rules, level clean | saved as 3fa2c1d9e8b7 | 41 ms\n"
        "no model call | nothing leaves this machine\n"
    )


def test_a_task_that_failed_before_the_memory_was_asked_says_nothing_of_it() -> None:
    """Nobody knows then whether the code is known."""
    failed = replace(
        RECORD, fix=None, saved=Saved("skipped", why="error"), error={"code": "memory_damaged", "message": "The memory can't be read."}
    )
    assert "NONE" not in shown(failed)
    assert "NONE: nothing stored has this code" in shown(replace(failed, match=Match(reason="nothing stored has this code")))


def test_a_test_command_that_passed_before_too_is_told() -> None:
    """It says nothing about the fix then."""
    verification = Verification("tested", (Check("tests", True, "passes, and passed before the fix too"),))
    assert "Test command: passes, and passed before the fix too\n" in shown(replace(RECORD, fix=Fix(FIXED, "", "rules", verification)))


def test_a_clean_result_says_what_was_not_checked() -> None:
    """Nothing found is not the same as nothing wrong."""
    text = shown(replace(RECORD, findings=(), fix=None, saved=Saved("skipped", why="nothing_found")))
    assert "nothing found" in text
    assert "logic was not checked by a model" in text
    assert "not saved: nothing was found" in text


def test_an_answer_from_memory_says_so() -> None:
    """Status, why, which experience and how far it can be trusted."""
    reason = "same code as your fix of 2026-11-30 09:00"
    match = Match("IDENTICAL", "exact", "3fa2c1d9e8b7aaaa", 1.0, coverage=1.0, trust="plausible", reason=reason)
    text = shown(replace(RECORD, match=match, saved=Saved("duplicate", "3fa2c1d9e8b7aaaa")))
    assert "IDENTICAL: same code as your fix of 2026-11-30 09:00 (3fa2c1d9e8b7, plausible)" in text
    assert "already saved as 3fa2c1d9e8b7" in text


def test_a_hit_on_a_part_says_how_much() -> None:
    """The rest was reviewed like new code."""
    match = Match("SIMILAR", "renamed", "3fa2c1d9e8b7aaaa", 1.0, coverage=0.4)
    assert "SIMILAR: the same code with other names as a past fix, 40% of it (3fa2c1d9e8b7)" in shown(replace(RECORD, match=match))


def test_a_past_fix_that_did_not_carry_over_is_a_suggestion() -> None:
    """It is shown, labelled as not applied, with the reason."""
    past = PastFix("3fa2c1d9e8b7aaaa", "a\n", "b\n", "Because.", "the edited line is missing here")
    text = shown(replace(RECORD, fix=None, suggestion=past))
    assert "not applied: the edited line is missing here" in text
    assert "-a\n+b\n" in text


def test_no_control_character_of_the_code_reaches_the_terminal() -> None:
    """Not in the diff, not in the explanation, not in a note, also in colour."""
    code = CODE.replace("total", "\u202etotal\x1b[2K")
    fix = Fix(code + "x = 1\n", "\x07", "rules", Verification("clean"))
    text = record_text(replace(RECORD, fix=fix, notes=("\x9b",)), code, path="a\x1b]0;b", where=HERE, style=Style())
    assert not set("\x1b\x07\x9b\u202e") & set(text)
    coloured = record_text(replace(RECORD, fix=fix), code, path="a", where=HERE, style=Style(colour=True))
    assert "\x1b[2K" not in coloured


def test_windows_line_ends_make_no_difference_to_the_diff() -> None:
    """The fix has the paste's own ends; only what changed is shown as changed."""
    fix = Fix(FIXED.replace("\n", "\r\n"), "", "rules", Verification("clean"))
    assert shown(replace(RECORD, fix=fix)).count("\n+    ") == 2
    assert "\r" not in shown(replace(RECORD, fix=fix))


def test_colour_is_for_terminals_that_want_it() -> None:
    """NO_COLOR and a dumb terminal turn it off, a pipe never has it."""
    assert style_for(True, 80, {"TERM": "xterm"}).colour
    assert not style_for(True, 80, {"TERM": "xterm", "NO_COLOR": "1"}).colour
    assert not style_for(True, 80, {"TERM": "dumb"}).colour
    assert not style_for(False, 80, {"TERM": "xterm"}).colour


def test_the_calls_of_a_model_are_told_with_tokens_and_cost() -> None:
    """An unknown cost is said to be unknown; calls that brought nothing have no tokens."""
    assert calls_words(Usage()) == "no model call"
    assert calls_words(Usage(1, 0, 0, None)) == "1 model call"
    assert calls_words(Usage(3, 300, 60, None)) == "3 model calls, 360 tokens, cost unknown"
    assert calls_words(Usage(3, 300, 60, 0.00125)) == "3 model calls, 360 tokens, 0.0013 USD"


def _to_read(count: int, score: float | None = 0.71) -> tuple[Related, ...]:
    return tuple(
        Related(f"{number}" * 16, "plausible", "reading matter only", f"Reason {number}.\x1b[2J", score) for number in range(count)
    )


def test_past_fixes_to_read_are_three_at_most() -> None:
    """Of ten that memory lists the most alike are shown, each in a line or two, and nothing from them reaches the terminal raw."""
    text = shown(replace(RECORD, match=Match(related=_to_read(10))))

    assert "Past fixes to read, none of them for this code:\n- 000000000000 (0.71 alike): Reason 0." in text
    assert text.count(" alike)") == 3
    assert "\x1b" not in text


def test_what_is_hardly_alike_is_not_shown() -> None:
    """Nor what was found by a key, nor anything beside an answer: all of it stands in the JSON record."""
    for match in (
        Match(related=_to_read(4, 0.52)),
        Match(related=_to_read(4, None)),
        Match(already_fixed=True, related=_to_read(4)),
        Match(status="SIMILAR", related=_to_read(4)),
    ):
        assert "Past fixes to read" not in shown(replace(RECORD, match=match))
