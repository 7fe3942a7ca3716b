"""How findings are shown to people."""

from __future__ import annotations

from reports.findings import findings_text, grouped, numbers_text
from reports.style import Style
from tests.reports.sample import finding
from utils.terminal import cell_width


def test_a_finding_stands_beside_its_line() -> None:
    """Severity, line number, the code, carets under the span, message, suggestion."""
    assert findings_text([finding()], Style()) == (
        "[1] medium  line 3  bugs/division-by-length\n"
        "  3 |     return total / len(xs)\n"
        "    |            ^^^^^^^^^^^^^^^\n"
        "  len(xs) is 0 for an empty argument.\n"
        "  Do: Return early when it is empty.\n"
    )


def test_equal_findings_are_grouped() -> None:
    """Three hundred of a kind are one block that says how many and where the first are."""
    many = [finding(line=4 * number) for number in range(1, 301)]
    text = findings_text(many, Style())
    assert text.count("bugs/division-by-length") == 1
    assert "300 of this kind: also on lines 8, 12, 16, 20, 24, 28, 32, 36 and 291 more." in text


def test_findings_have_the_numbers_of_the_record() -> None:
    """What /fix and /ignore call them: their order there, wherever a group puts them."""
    kind = [finding(line=line) for line in (1, 4, 5, 6, 7)]
    others = [finding(line=line, rule_id=f"bugs/other-{line}") for line in (2, 3)]
    text = findings_text([kind[0], *others, *kind[1:]], Style())
    assert [row.split("  ")[0] for row in text.splitlines() if row.startswith("[")] == ["[1, 4-7] medium", "[2] medium", "[3] medium"]


def test_numbers_are_told_shortly() -> None:
    """Runs are joined, a long list is cut."""
    assert numbers_text([3, 4, 5, 6, 7]) == "3-7"
    assert numbers_text([1, 3, 4, 9]) == "1, 3-4, 9"
    assert numbers_text(range(1, 20, 2)) == "1, 3, 5, 7, …"


def test_a_narrow_terminal_has_the_rule_on_a_row_of_its_own() -> None:
    """A pipe has one line, however long."""
    narrow = findings_text([finding()], Style(width=30, terminal=True)).splitlines()
    assert narrow[:2] == ["[1] medium  line 3", "    bugs/division-by-length"]
    assert findings_text([finding()], Style(width=30)).splitlines()[0] == "[1] medium  line 3  bugs/division-by-length"


def test_code_lines_are_coloured_as_part_of_the_code() -> None:
    """A line within a text is no code; a line that was not found in the code is read by itself."""
    code = 'x = """\nreturn 1\n"""\n'
    style = Style(colour=True, terminal=True)
    inside = findings_text([finding(2, "return 1", (1, 7))], style, code, "python").splitlines()[1]
    assert inside.endswith("\x1b[36mreturn 1\x1b[0m")
    elsewhere = findings_text([finding(1, "return 1", (1, 7))], style, code, "python").splitlines()[1]
    assert elsewhere.endswith("\x1b[35mreturn\x1b[0m \x1b[36m1\x1b[0m")


def test_few_findings_of_a_kind_stay_apart() -> None:
    """Two places are two things to look at."""
    assert len(grouped([finding(line=1), finding(line=9)])) == 2


def test_a_very_long_line_is_shortened_around_the_column() -> None:
    """Minified code: the place is seen, the line fits, the carets stand under it."""
    line = "a" * 5_000 + "HERE" + "b" * 5_000
    shown = findings_text([finding(text=line, columns=(5_001, 5_005))], Style(width=60)).split("\n")
    assert all(len(row) <= 60 for row in shown)
    assert shown[1][shown[2].index("^") : shown[2].rindex("^") + 1] == "HERE"


def test_carets_stand_under_wide_characters() -> None:
    """Cells are counted, not characters; a tab is four blanks."""
    shown = findings_text([finding(text="\t数値 = x", columns=(2, 4))], Style(width=40)).split("\n")
    assert cell_width(shown[1][: shown[1].index("数")]) == shown[2].index("^")
    assert shown[2].count("^") == 4


def test_control_characters_are_made_visible() -> None:
    """No escape sequence and no direction override of the paste reaches the terminal."""
    text = findings_text([finding(text="x = 1 # \x1b]0;owned\x07 \u202e", message="\x1b[2Kgone", path="a\x1b[1m.py")], Style())
    assert not set("\x1b\x07\u202e") & set(text)


def test_long_evidence_is_cut() -> None:
    """Four lines of a long span are enough to find it."""
    spanning = finding(text="\n".join(f"line{number}" for number in range(10)), end_line=12)
    assert "… 6 more lines" in findings_text([spanning], Style())
