"""From quotes to lines: found, told apart, or not placed at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.anchors import Anchors, Place, Quoted

CODE = """def first(xs):
    return xs[0]

def last_index(xs):
    # return len(xs)
    count = len(xs)
    return len(xs)

def size_of(xs):
    return len(xs)

def total(rows):
    subtotal = 3
    return  sum( rows )
"""


def lines_of(*findings: Quoted, code: str = CODE) -> list[int | None]:
    """The first line of each finding."""
    return [None if place is None else place.start_line for place in Anchors(code, "python").place_all(findings)]


def place_of(quote: str, code: str = CODE) -> Place:
    """The place of a quote that stands there once."""
    (place,) = Anchors(code, "python").place_all([Quoted(quote)])
    assert place is not None
    return place


def test_a_quote_has_the_lines_and_columns_of_what_it_quotes() -> None:
    """Columns are code points and the end is exclusive."""
    place = place_of("naïve['é']", "# x\n𝒳 = naïve['é'] + 1\n")
    assert (place.start_line, place.start_column, place.end_line, place.end_column) == (2, 5, 2, 15)


def test_a_quote_of_several_lines_spans_them() -> None:
    """Evidence is the whole lines, exactly."""
    anchors = Anchors(CODE, "python")
    (place,) = anchors.place_all([Quoted("count = len(xs)\n    return len(xs)")])
    assert place is not None
    assert (place.start_line, place.end_line) == (6, 7)
    assert anchors.evidence(place) == "    count = len(xs)\n    return len(xs)"


@pytest.mark.parametrize(
    "quote",
    [
        "return sum(rows)",
        "return sum(\n  rows\n)",
        "`return  sum( rows )`",
        "```python\nreturn  sum( rows )\n```",
        "  return  sum( rows )\n",
    ],
)
def test_whitespace_and_markdown_do_not_hide_a_place(quote: str) -> None:
    """A model lays out anew and wraps."""
    assert lines_of(Quoted(quote)) == [14]


@pytest.mark.parametrize("quote", ["return len(ys)", "", "   ", "}", "...", "len(xs", "ndex(xs)", "def last_index(xs): ... return"])
def test_what_is_not_there_or_says_nothing_has_no_place(quote: str) -> None:
    """No line is invented, and no word is cut in two. (`len(xs` stands in several places.)"""
    assert lines_of(Quoted(quote)) == [None]


def test_the_named_function_tells_equal_lines_apart() -> None:
    """The message says which one is meant."""
    assert lines_of(Quoted("return len(xs)", "`size_of` is wrong for None")) == [10]
    assert lines_of(Quoted("return len(xs)", "last_index() is one too far")) == [7]


def test_plain_words_do_not_outvote_a_name_in_backticks() -> None:
    """`first` is a function here and an English word everywhere."""
    code = "def first(xs):\n    return len(xs)\n\ndef size_of(xs):\n    return len(xs)\n"
    assert lines_of(Quoted("return len(xs)", "first check for None in `size_of`"), code=code) == [5]


def test_names_around_one_place_tell_it_apart() -> None:
    """The message speaks of `count`, which only one of the functions has."""
    assert lines_of(Quoted("return len(xs)", "`count` was computed and is not used")) == [7]


def test_evidence_of_the_caller_tells_places_apart() -> None:
    """A linter reports one of them."""
    anchors = Anchors(CODE, "python")
    (place,) = anchors.place_all([Quoted("return len(xs)")], lambda index, place: place.start_line == 10)
    assert place is not None
    assert place.start_line == 10


def test_code_goes_before_the_same_words_in_a_comment() -> None:
    """Nobody reports a comment when the code says the same."""
    assert lines_of(Quoted("x = 1 / n"), code="# x = 1 / n\nx = 1 / n\n") == [2]


def test_a_quote_that_could_be_anywhere_has_no_place() -> None:
    """Two functions, no word that tells: not guessed."""
    assert lines_of(Quoted("return len(xs)", "wrong")) == [None]


def test_the_same_quote_as_often_as_it_stands_there_is_taken_in_order() -> None:
    """Two findings for two places."""
    code = "a = 1 / n\nb = 2\na = 1 / n\n"
    assert lines_of(Quoted("a = 1 / n", "divides by zero"), Quoted("a = 1 / n", "divides by zero"), code=code) == [1, 3]


def test_a_very_common_quote_has_no_place() -> None:
    """It says nothing."""
    assert lines_of(Quoted("x", "wrong"), code="x\n" * 500) == [None]


@given(st.text(alphabet="ab1 \n(.", min_size=1, max_size=40), st.data())
def test_every_place_holds_its_quote(code: str, data: st.DataObject) -> None:
    """Whatever the text: what is found is there, blanks aside."""
    start = data.draw(st.integers(0, len(code) - 1))
    quote = code[start : data.draw(st.integers(start + 1, len(code)))]
    for place in Anchors(code, "text").matches(quote):
        assert "".join(code[place.start : place.end].split()) == "".join(quote.split())
        lines = code.split("\n")
        assert lines[place.start_line - 1][place.start_column - 1] == code[place.start]
        assert lines[place.end_line - 1][place.end_column - 2] == code[place.end - 1]
