"""memory.wording: what an explanation quotes is said in the paste's names."""

from __future__ import annotations

from memory.wording import in_own_names

STORED = "def mean(numbers):\n    return sum(numbers) / len(numbers)\n"
PASTE = "def average(prices):\n    # of a basket\n    return sum(prices) / len(prices)\n"


def test_quoted_code_gets_the_names_of_the_paste() -> None:
    """Only between backticks: prose stays prose."""
    said = in_own_names("Check numbers first: `if len(numbers) == 0: return 0`.", STORED, PASTE, "python")
    assert said == "Check numbers first: `if len(prices) == 0: return 0`."


def test_other_code_leaves_the_words_alone() -> None:
    """Without the same tokens there is no map."""
    assert in_own_names("`len(numbers)` may be 0", STORED, "x = 1\n", "python") == "`len(numbers)` may be 0"
    assert in_own_names("no quote", STORED, PASTE, "python") == "no quote"
