"""One fix of several edits (a line inserted, one deleted, one moved, a sign replaced, a name brought along), in each language."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from memory.graft import graft
from memory.transfer import transfer

EXAMPLES = Path(__file__).parent / "transfers"
LANGUAGES = sorted(path.stem for path in EXAMPLES.glob("*.txt"))


@cache
def example(language: str) -> dict[str, str]:
    """Its four texts: `buggy`, `fixed`, `paste` (other names, other layout, comments) and what is `expected` of the paste."""
    parts = re.split(r"^=== (\w+)\n", (EXAMPLES / f"{language}.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_there_is_an_example_for_each_language() -> None:
    """Thirteen of them."""
    assert len(LANGUAGES) == 13
    assert all(set(example(language)) == {"buggy", "fixed", "paste", "expected"} for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_edits_are_carried_over(language: str) -> None:
    """In the paste's names, steps and comments, to the byte. The fix's own `size` gets a number: the paste has a `size` already."""
    told = example(language)

    carried = transfer(told["buggy"], told["fixed"], told["paste"], language)

    assert carried.code == told["expected"], carried.why_not


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_graft_on_the_same_code_is_the_transfer(language: str) -> None:
    """The alignment of two texts that are the same up to names is the one of the transfer."""
    told = example(language)

    assert graft(told["buggy"], told["fixed"], told["paste"], language).code == told["expected"]
