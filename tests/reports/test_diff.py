"""Fixes as diffs."""

from __future__ import annotations

from reports.diff import LONG_LINE, MOST_DIFF_LINES, diff_lines
from reports.style import Style
from tests.reports.pictures import SGR
from utils.terminal import cell_width

TERMINAL = Style(width=40, terminal=True)


def test_headings_name_what_was_compared() -> None:
    """A paste is in no file; a file stands there as Git writes it."""
    assert diff_lines("a\n", "b\n", "paste", Style())[:2] == ["--- paste", "+++ paste (fixed)"]
    assert diff_lines("a\n", "b\n", "src/a.py", Style())[:2] == ["--- a/src/a.py", "+++ b/src/a.py"]


def test_equal_texts_have_no_diff() -> None:
    """Also when only their line ends differ."""
    assert diff_lines("a\n", "a\r\n", "paste", Style()) == []


def test_a_pipe_gets_whole_lines_with_their_tabs() -> None:
    """So that `patch` can read them."""
    line = "\tx = " + "a" * 200
    assert diff_lines("", line + "\n", "a.py", Style())[3] == "+" + line


def test_a_terminal_gets_rows_that_fit() -> None:
    """What a line goes on with stands behind an ellipsis; together the rows are the line, a tab as four blanks."""
    rows = diff_lines("", "\tx = " + "数" * 60 + "\n", "paste", TERMINAL)[3:]
    assert all(cell_width(row) <= 40 for row in rows)
    assert [row[0] for row in rows] == ["+", "…", "…", "…"]
    assert "".join(row[1:] for row in rows) == "    x = " + "数" * 60


def test_of_a_very_long_line_the_change_is_shown() -> None:
    """The same on both sides, wherever it is, with a word on how much is left out."""
    before, after = "a" * 5_000 + "OLD" + "b" * 5_000, "a" * 5_000 + "NEW" + "b" * 5_000
    gone, came = diff_lines(before, after, "paste", Style())[3::2][:2]
    assert "aaaOLDbbb" in gone
    assert "aaaNEWbbb" in came
    assert gone.startswith("-… (4940 more characters) ")
    assert came.endswith("… (4823 more characters)")
    assert len(came) < LONG_LINE


def test_a_long_diff_is_cut_and_says_so() -> None:
    """Nobody reads four hundred lines on a screen."""
    many = "".join(f"{number}\n" for number in range(1_000))
    assert diff_lines("", many, "paste", Style())[-1] == f"… {1_001 - MOST_DIFF_LINES} more lines of this diff"


def test_what_is_gone_has_one_colour() -> None:
    """What came and what stayed are read as code."""
    rows = diff_lines("if a: pass\nreturn 1\n", "if b: pass\nreturn 1\n", "paste", Style(True, 80, True), "python")
    assert rows[3] == "\x1b[31m-\x1b[0m\x1b[31mif a: pass\x1b[0m"
    assert rows[4].startswith("\x1b[32m+\x1b[0m\x1b[35mif\x1b[0m\x1b[32m b: \x1b[0m\x1b[35mpass\x1b[0m")
    assert rows[5] == " \x1b[35mreturn\x1b[0m \x1b[36m1\x1b[0m"


def test_a_missing_last_line_end_is_told() -> None:
    """As Git does."""
    rows = diff_lines("a", "b\n", "paste", Style(True, 80, True))
    assert [SGR.sub("", row) for row in rows[3:]] == ["-a", "\\ No newline at end of file", "+b"]


def test_the_heading_of_a_rooted_path_has_one_slash() -> None:
    """As Git writes it: `git apply` refuses two."""
    assert diff_lines("a\n", "b\n", "/src/a.py", Style())[:2] == ["--- a/src/a.py", "+++ b/src/a.py"]
