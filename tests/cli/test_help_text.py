"""What the session says about itself, in terminals of any width."""

from __future__ import annotations

import pytest

from cli.help_text import HELP, WELCOME, fitted


@pytest.mark.parametrize("width", [24, 40, 80, 200])
@pytest.mark.parametrize("text", [WELCOME, HELP])
def test_lines_are_broken_between_words(text: str, width: int) -> None:
    """No line is wider than the terminal, and no word is lost or broken."""
    lines = fitted(text, width).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == text.split()


def test_what_a_command_does_stays_in_its_column() -> None:
    """Lines that go on are indented below the first."""
    assert "\n/undo     take back the last save of\n          this session\n" in fitted(HELP, 40)
