"""Sentences on narrow and wide terminals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.wrap import wrap
from utils.terminal import cell_width


@pytest.mark.parametrize("width", [40, 80])
@given(text=st.text(alphabet="ab 数値é\u0301", max_size=200))
def test_no_wrapped_line_is_too_long(width: int, text: str) -> None:
    """Whatever the mix of scripts, and no character but blanks is lost."""
    lines = wrap(text, width)
    assert all(cell_width(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_nothing_is_no_line() -> None:
    """An empty sentence takes no room."""
    assert wrap("", 40) == []
