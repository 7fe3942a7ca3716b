"""Line ends: taken off, put back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.newlines import newline_of, restore_newlines, to_lf

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
LINES = st.text(alphabet="ab 平\t\f\u2028", max_size=4)


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\nb", "\n"),
        ("a\r\nb\r\n", "\r\n"),
        ("a\rb", "\r"),
        ("a\r\nb\n", "mixed"),
        ("a\rb\n", "mixed"),
        ("a\r\r\n", "mixed"),
    ],
)
def test_the_style_is_told(text: str, style: str) -> None:
    """One style, or "mixed"."""
    assert newline_of(text) == style


@given(st.lists(st.tuples(LINES, ENDS)), LINES)
def test_restoring_an_unchanged_text_gives_it_back(lines: list[tuple[str, str]], rest: str) -> None:
    """Whatever the mixture, byte for byte. A CR that meets a LF is one CRLF."""
    original = "".join(line + end for line, end in lines) + rest

    assert restore_newlines(original, to_lf(original)) == original


def test_kept_lines_keep_their_ends_and_new_ones_take_their_neighbours() -> None:
    """A mixture is not mended: only what the fix changes is new."""
    assert restore_newlines("a\r\nb\nc\r\n", "a\nnew\nb\nc\n") == "a\r\nnew\r\nb\nc\r\n"


def test_a_changed_crlf_text_is_crlf_throughout() -> None:
    """Also its new lines, and a last line without an end stays without."""
    assert restore_newlines("a\r\nb", "a\nx\nb") == "a\r\nx\r\nb"


@given(st.lists(st.tuples(LINES, ENDS), min_size=1), st.lists(LINES))
def test_only_line_ends_are_touched(lines: list[tuple[str, str]], changed: list[str]) -> None:
    """Taking the ends off again gives the changed text."""
    original = "".join(line + end for line, end in lines)
    text = "\n".join(changed)

    assert to_lf(restore_newlines(original, text)) == text
