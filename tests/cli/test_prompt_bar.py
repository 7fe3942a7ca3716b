"""The line below the prompt."""

from __future__ import annotations

import pytest

from cli.prompt_bar import bar
from cli.tally import Status

BUSY = Status("m-1", "", memories=1_204, cost_usd=0.0312, calls=7, calls_spared=12, spared_usd=0.0049)


def test_before_anything_is_known_it_says_where_code_goes() -> None:
    """From the settings alone."""
    assert bar("static", "", None, 80) == "static: code stays here"
    assert bar("m-1", "api.example.com", None, 80) == "m-1: code -> api.example.com"


def test_memories_cost_and_what_was_spared() -> None:
    """In this order, as far as there is room."""
    line = "m-1: code -> api.example.com | 1,204 memories | 7 calls, $0.03 | memory spared 12 calls, $0.0049"
    assert bar("m-1", "api.example.com", BUSY, 120) == line


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    """Never zero; a memory that can't be read has no number."""
    status = Status("m-1", "", memories=None, cost_usd=None, calls=1, calls_spared=1, spared_usd=None)
    assert bar("m-1", "h", status, 80) == "m-1: code -> h | 1 call, cost unknown | memory spared 1 call"


def test_answers_that_spared_no_call_are_counted_as_answers() -> None:
    """A static session has no call to spare."""
    status = Status("static", "", memories=2, cost_usd=0.0, calls=0, calls_spared=0, spared_usd=0.0, answers=3)
    assert bar("static", "", status, 80) == "static: code stays here | 2 memories | 3 answers from memory"


@pytest.mark.parametrize("width", range(1, 100))
def test_it_never_wraps(width: int) -> None:
    """Parts are left out whole; the first is cut when even that is too long."""
    line = bar("a-model-with-a-name", "host.example.com", BUSY, width)
    assert len(line) <= width
    assert all(part in bar("a-model-with-a-name", "host.example.com", BUSY, 300) for part in line.removesuffix("…").split(" | "))


def test_a_model_name_moves_no_cursor() -> None:
    """It comes from the settings, and is text."""
    assert bar("m\x1b[2J", "", None, 80) == "m\\x1b[2J: code stays here"
