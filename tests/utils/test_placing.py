"""Changed code goes back to the one place that it came from, or nowhere."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cli.harness import KEEP, KEPT
from utils.placing import place

LINES = st.lists(st.sampled_from(["a", "b", "  c", "", "d = 1"]), min_size=1, max_size=6)


def indented(code: str, indent: str) -> str:
    """Each line that is not blank behind `indent`."""
    return "".join(indent + line if line.strip() else line for line in code.splitlines(keepends=True))


def test_a_whole_text_is_replaced_as_a_whole() -> None:
    """To the last line end, also where only that changes."""
    assert place("x = 1", "x = 1", "x = 1\n").text == "x = 1\n"


def test_a_block_is_replaced_and_all_around_it_stays() -> None:
    """Blank lines and a missing last line end of what was pasted don't matter."""
    placed = place(f"import os\n\n\n{KEEP}\n\nx = 1\n", f"\n{KEEP.rstrip()}", f"\n{KEPT.rstrip()}\n")
    assert placed.text == f"import os\n\n\n{KEPT}\n\nx = 1\n"
    assert (placed.outcome, placed.start_line) == ("placed", 4)


def test_an_indented_block_keeps_its_indent() -> None:
    """A method that was pasted without its class; a tab is an indent too."""
    for indent in ("    ", "\t"):
        placed = place(f"class A:\n{indented(KEEP, indent)}", KEEP, KEPT)
        assert placed.text == f"class A:\n{indented(KEPT, indent)}"
        assert placed.indent == indent


def test_blank_lines_of_the_text_keep_their_blanks() -> None:
    """What the change does not touch is the text's own."""
    placed = place(
        "class A:\n    def f(self):\n        a()\n    \n        b()\n",
        "def f(self):\n    a()\n\n    b()\n",
        "def f(self):\n    a()\n\n    c()\n",
    )
    assert placed.text == "class A:\n    def f(self):\n        a()\n    \n        c()\n"


def test_two_places_are_no_place() -> None:
    """Overlapping ones and ones with other indents count."""
    assert place("a\na\na\n", "a\na\n", "b\n").places == 2
    placed = place("if x:\n    a()\na()\n", "a()\n", "b()\n")
    assert (placed.outcome, placed.places) == ("ambiguous", 2)


def test_a_text_without_the_block_is_left() -> None:
    """Almost the same is not the same."""
    text = "def keep(x, seen=[]):\n    seen.append(y)\n"
    assert place(text, KEEP, KEPT) == place(text, "nothing like it\n", "x\n")
    assert place(text, KEEP, KEPT).outcome == "missing"


def test_what_was_placed_is_not_placed_again() -> None:
    """Also when the change only adds lines, so that the old block is still to be seen in the new one."""
    added = KEEP + "    # done\n"
    once = place(f"x = 1\n{KEEP}y = 2\n", KEEP, added)
    again = place(once.text, KEEP, added)
    assert (again.outcome, again.text) == ("done", once.text)


def test_a_change_that_only_takes_lines_away_is_placed() -> None:
    """What it leaves stands in the text already, as a part of the block."""
    placed = place("x = 1\na()\nb()\ny = 2\n", "a()\nb()\n", "a()\n")
    assert (placed.outcome, placed.text) == ("placed", "x = 1\na()\ny = 2\n")


def test_a_blank_block_is_found_nowhere() -> None:
    """An empty paste has no place."""
    assert place("x = 1\n", "\n\n", "y = 1\n").outcome == "missing"


@given(LINES, LINES, LINES, LINES)
def test_placing_back_gives_the_text_again(head: list[str], old: list[str], new: list[str], tail: list[str]) -> None:
    """Where a block could be placed and is found once more, the way back leads to the text."""
    text = "\n".join([*head, "[", *old, "]", *tail])
    before, after = "\n".join(["[", *old, "]"]), "\n".join(["[", *new, "]"])
    there = place(text, before, after)
    assert there.outcome in {"placed", "done"}
    if before != after and there.outcome == "placed":
        assert there.text == "\n".join([*head, "[", *new, "]", *tail])
        assert place(there.text, after, before).text == text
