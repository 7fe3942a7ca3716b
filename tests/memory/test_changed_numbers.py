"""A number on the line that a fix changes must be the stored one: another one there may make up for the bug already."""

from __future__ import annotations

import pytest

from memory.fitting import OTHER_NUMBERS
from memory.graft import graft

JOIN = """\
char *join(const char *a, const char *b) {
    char *out = malloc(strlen(a) + strlen(b));
    if (out == NULL) {
        return NULL;
    }
    strcpy(out, a);
    strcat(out, b);
    return out;
}
"""
JOIN_FIXED = JOIN.replace("strlen(b))", "strlen(b) + 1)")
LAST = """\
function last(items) {
  const n = items.length;
  for (let i = 0; i <= n; i++) {
    show(items[i]);
  }
  return items[n];
}
"""
LAST_FIXED = LAST.replace("i <= n", "i < n")
GUARDED = "def mean(values):\n    total = sum(values)\n    return total / len(values)\n"
GUARDED_FIXED = GUARDED.replace("    total", "    if not values:\n        return 0.0\n    total")


def glued(text: str) -> str:
    """The same function under another name: it is only alike."""
    return text.replace("join", "glue").replace("last", "final")


@pytest.mark.parametrize("size", ["2 + strlen(a) + strlen(b)", "1 + strlen(a) + strlen(b)", "strlen(a) + 3 + strlen(b)"])
def test_a_size_that_has_a_number_of_its_own_is_left_alone(size: str) -> None:
    """Nobody can tell whether the stored one is missing."""
    carried = graft(JOIN, JOIN_FIXED, glued(JOIN).replace("strlen(a) + strlen(b)", size), "c")

    assert (carried.code, carried.why_not) == (None, OTHER_NUMBERS)


def test_a_loop_that_begins_at_another_number_is_left_alone() -> None:
    """From one on, `<=` may be right."""
    assert graft(LAST, LAST_FIXED, glued(LAST).replace("i = 0", "i = 1"), "javascript").why_not == OTHER_NUMBERS


def test_the_same_numbers_and_others_elsewhere_are_no_obstacle() -> None:
    """Only the changed line is compared, and what stands in strings is no number."""
    more = glued(JOIN).replace("    strcpy", "    log_size(64);\n    strcpy")
    assert graft(JOIN, JOIN_FIXED, more, "c").code == more.replace("strlen(b))", "strlen(b) + 1)")
    same = glued(LAST).replace("show(items[i])", "show(items[i], 7)")
    assert graft(LAST, LAST_FIXED, same, "javascript").code == same.replace("i <= n", "i < n")


def test_whole_new_lines_change_no_line() -> None:
    """What they stand between may have any numbers."""
    paste = "def average(values):\n    total = sum(values, 5)\n    return total / len(values)\n"

    carried = graft(GUARDED, GUARDED_FIXED, paste, "python")

    assert carried.code == paste.replace("    total =", "    if not values:\n        return 0.0\n    total =")
