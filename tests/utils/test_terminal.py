"""Text that a terminal can show without being led astray."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.terminal import cell_width, clip, clip_around, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("\x1b[2K\x07", "\\x1b[2K\\x07"),
        ("\x9b31m\x7f\r", "\\x9b31m\\x7f\\x0d"),
        ("a\u202eb\u2066", "a<U+202E>b<U+2066>"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "<U+E0041>"),
        ("取平均 é 🙂", "取平均 é 🙂"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("a\u200db", "a<U+200D>b"),
    ],
)
def test_what_a_terminal_would_obey_or_hide_is_spelled_out(text: str, shown: str) -> None:
    """Controls, bidi marks, invisible characters; tab, LF and pictures stay."""
    assert visible(text) == shown


@given(st.text())
def test_nothing_unseen_remains(text: str) -> None:
    """No control but tab and LF, nothing that can't be encoded; and doing it twice changes nothing."""
    shown = visible(text)

    assert all(character in "\t\n" or (ord(character) >= 32 and not 127 <= ord(character) < 160) for character in shown)
    assert not any("\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069" for character in shown)
    shown.encode()
    assert visible(shown) == shown


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("取平", 4), ("é", 1), ("e\u0301", 1), ("🙂", 2), ("\t", 4), ("", 0)])
def test_width_is_counted_in_cells(text: str, width: int) -> None:
    """Two for a Chinese character or a picture, none for a combining mark."""
    assert cell_width(text) == width


@given(st.text(alphabet="ab取平🙂e\u0301", max_size=40), st.integers(0, 20))
def test_a_clipped_text_fits(text: str, width: int) -> None:
    """Never wider than asked; a text that fits is not touched."""
    assert cell_width(clip(text, width)) <= width
    if cell_width(text) <= width:
        assert clip(text, width) == text


@given(st.text(alphabet="ab取平🙂", max_size=80), st.integers(1, 90), st.integers(6, 30))
def test_a_window_shows_the_character_at_the_column(line: str, column: int, width: int) -> None:
    """The column that comes back points at the same character, and the window fits."""
    column = min(column, len(line) + 1)
    shown, at = clip_around(line, column, width)

    assert cell_width(shown) <= width
    if column <= len(line):
        assert shown[at - 1] == line[column - 1]


def test_a_minified_line_is_shortened_on_both_sides() -> None:
    """300 kB become one screen line around the column."""
    line = "a" * 150_000 + "!" + "b" * 150_000
    shown, at = clip_around(line, 150_001, 60)

    assert shown[at - 1] == "!"
    assert (shown[0], shown[-1], len(shown)) == ("…", "…", 60)
