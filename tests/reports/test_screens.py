"""Reports on terminals of several widths, compared with what was once found to read well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.style import Style
from reports.text import record_text
from schema.fix import Check, Fix, Verification
from schema.match import Match, PastFix
from tests.conftest import Golden
from tests.reports.gallery import PICTURES
from tests.reports.pictures import SGR, painted_rows, report, rows_of, screen_of
from tests.reports.sample import finding
from utils.terminal import cell_width, visible

SCREENS = Path(__file__).resolve().parent.parent / "golden" / "screens"
WIDTHS = (80, 40, 30, 20)


@pytest.mark.parametrize("columns", [80, 40, 30])
@pytest.mark.parametrize("name", PICTURES)
def test_a_report_reads_well(name: str, columns: int, golden: Golden) -> None:
    """Without colours, as it stands on the screen; rewritten by `make golden`."""
    picture = PICTURES[name]
    screen = screen_of(report(picture.record, picture.code, columns, colour=False), columns)
    golden(SCREENS / f"{name}-{columns}.txt", "\n".join(rows_of(screen)) + "\n")


@pytest.mark.parametrize("name", ["three-findings", "similar-transfer", "cjk-emoji", "hostile", "tabs"])
def test_colours_say_what_is_what(name: str, golden: Golden) -> None:
    """Severities, keywords, strings, what is gone and what is new."""
    picture = PICTURES[name]
    screen = screen_of(report(picture.record, picture.code, 80, colour=True), 80)
    golden(SCREENS / f"{name}-colour.txt", "\n".join(painted_rows(screen)) + "\n")


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", PICTURES)
def test_colours_change_no_character(name: str, columns: int) -> None:
    """The screen says the same with and without them, so nothing moves: not beside wide characters, not under them."""
    picture = PICTURES[name]
    coloured, plain = (screen_of(report(picture.record, picture.code, columns, colour=colour), columns) for colour in (True, False))
    assert rows_of(coloured) == rows_of(plain)


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", PICTURES)
def test_no_line_overflows(name: str, columns: int, colour: bool) -> None:
    """Every line fits the window."""
    picture = PICTURES[name]
    lines = SGR.sub("", report(picture.record, picture.code, columns, colour=colour)).split("\n")
    assert [line for line in lines if cell_width(line) > columns] == []


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", PICTURES)
def test_a_terminal_obeys_nothing_but_our_colours(name: str, columns: int) -> None:
    """What is left without them is text: no escape, no bell, no C1 byte, no override of direction."""
    picture = PICTURES[name]
    text = report(picture.record, picture.code, columns, colour=True)
    rest = SGR.sub("", text)
    assert visible(rest) == rest
    assert "\t" not in rest
    assert set(SGR.findall(text)) <= {f"\x1b[{code}m" for code in ("0", "1", "2", "1;31", "31", "32", "35", "36")}


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_painted_on_a_background(name: str) -> None:
    """The same report is read on light and on dark terminals."""
    picture = PICTURES[name]
    screen = screen_of(report(picture.record, picture.code, 80, colour=True), 80)
    assert {cell.bg for row in screen.buffer.values() for cell in row.values()} == {"default"}


HARD = st.text(alphabet="ab \t\n\r\x1b[;m\x9b\x07\u202e\u2028数é\u0301🎉\u200d\ud800\"'#/*", max_size=120)


@settings(deadline=None)
@given(code=HARD, fixed=HARD, words=HARD, place=st.tuples(st.integers(1, 10**6), st.integers(1, 90)), columns=st.sampled_from(WIDTHS))
def test_whatever_is_reported_fits_and_is_obeyed_by_no_terminal(
    code: str, fixed: str, words: str, place: tuple[int, int], columns: int
) -> None:
    """Any code, any fix, any words of a model, on lines and in columns that may not exist."""
    line, column = place
    found = finding(line, code, (column, column + 5), message=words, suggestion=words, end_line=line + code.count("\n"))
    record = replace(
        PICTURES["three-findings"].record,
        findings=(found, replace(found, rule_id="rules/" + words)),
        fix=Fix(fixed, words, "model", Verification("parses", (Check("tests", False, words),))),
        suggestion=PastFix("3fa2", code, fixed, words, words),
        notes=(words,),
        match=Match(reason=words),
    )
    for colour in (True, False):
        written = record_text(record, code, path="paste" if line % 2 else words, where=words, style=Style(colour, columns, True))
        rest = SGR.sub("", written)
        assert visible(rest) == rest
        assert "\t" not in rest
        assert [row for row in rest.split("\n") if cell_width(row) > columns] == []
