"""Edits put into a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.finding import TextEdit
from utils.edits import apply_edits

TEXT = "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], TEXT),
        ([TextEdit(2, 1, 2, 4, "2")], "one\n2\nthree\n"),
        ([TextEdit(1, 1, 1, 1, "# ")], "# one\ntwo\nthree\n"),
        ([TextEdit(1, 4, 2, 1, " ")], "one two\nthree\n"),
        ([TextEdit(2, 1, 3, 1, "")], "one\nthree\n"),
        ([TextEdit(4, 1, 4, 1, "four\n")], TEXT + "four\n"),
        ([TextEdit(1, 1, 5, 1, "x")], "x"),
        ([TextEdit(3, 1, 3, 6, "3"), TextEdit(1, 1, 1, 4, "1")], "1\ntwo\n3\n"),
        ([TextEdit(2, 2, 2, 2, "a"), TextEdit(2, 2, 2, 2, "b")], "one\ntabwo\nthree\n"),
        ([TextEdit(2, 1, 2, 4, "2"), TextEdit(2, 1, 2, 1, "#")], "one\n#2\nthree\n"),
    ],
)
def test_edits_change_their_span_only(edits: list[TextEdit], expected: str) -> None:
    """All refer to the unchanged text, in whatever order they come."""
    assert apply_edits(TEXT, edits) == expected


def test_columns_are_code_points() -> None:
    """Neither bytes nor UTF-16 units."""
    assert apply_edits("\U0001f600日x\n", [TextEdit(1, 3, 1, 4, "y")]) == "\U0001f600日y\n"


@pytest.mark.parametrize(
    "edit",
    [
        TextEdit(0, 1, 1, 1, ""),
        TextEdit(1, 0, 1, 1, ""),
        TextEdit(1, 6, 1, 6, ""),
        TextEdit(4, 2, 4, 2, ""),
        TextEdit(6, 1, 6, 1, ""),
        TextEdit(2, 3, 2, 1, ""),
        TextEdit(2, 1, 1, 1, ""),
    ],
)
def test_an_edit_outside_of_the_text_is_refused(edit: TextEdit) -> None:
    """It was made for another text."""
    with pytest.raises(ValueError, match=r"no line|no column|before it begins"):
        apply_edits(TEXT, [edit])


def test_overlapping_edits_are_refused() -> None:
    """Their result would depend on their order."""
    with pytest.raises(ValueError, match="overlap"):
        apply_edits(TEXT, [TextEdit(1, 1, 1, 3, "x"), TextEdit(1, 2, 1, 4, "y")])


@given(st.text("ab\n", max_size=20), st.data())
def test_a_replacement_by_offsets_is_the_same(text: str, data: st.DataObject) -> None:
    """Lines and columns mean what slicing means."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    place = [(text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1) for offset in (start, end)]

    changed = apply_edits(text, [TextEdit(*place[0], *place[1], "X")])

    assert changed == text[:start] + "X" + text[end:]
