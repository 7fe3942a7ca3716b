"""Diffs with real line numbers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.diff import changed_lines, diff_lines, matching_blocks, unified

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "    d"]), max_size=14).map("\n".join)


@given(TEXTS, TEXTS)
def test_matches_are_equal_lines_in_rising_order(before: str, after: str) -> None:
    """Every match pairs equal lines, and matches don't cross."""
    old, new = before.split("\n"), after.split("\n")
    at = (0, 0)
    for old_at, new_at, size in matching_blocks(old, new):
        assert (old_at, new_at) >= at
        assert old_at >= at[0]
        assert new_at >= at[1]
        assert old[old_at : old_at + size] == new[new_at : new_at + size]
        at = (old_at + size, new_at + size)


@given(TEXTS, TEXTS)
def test_a_diff_holds_both_texts(before: str, after: str) -> None:
    """Numbers are right: each line stands where the diff says."""
    old, new = before.split("\n"), after.split("\n")
    for line in diff_lines(before, after):
        if line.kind != "@":
            assert line.old_line is None or old[line.old_line - 1] == line.text
            assert line.new_line is None or new[line.new_line - 1] == line.text


@settings(max_examples=25, deadline=None)
@given(TEXTS, TEXTS)
def test_patch_agrees(tmp_path_factory: pytest.TempPathFactory, before: str, after: str) -> None:
    """`git apply` turns the one text into the other."""
    folder: Path = tmp_path_factory.mktemp("patch")
    (folder / "x.txt").write_bytes(before.encode())
    diff = unified(before, after, "x.txt")
    if not diff or not before or not after:
        return  # An empty file is a new or deleted one to Git, which needs other headings.
    subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=folder, input=diff.encode(), check=True, capture_output=True)

    assert (folder / "x.txt").read_bytes().decode() == after


def test_a_diff_looks_like_one() -> None:
    """Headings, context, and the remark about a missing newline."""
    assert unified("a\nb\nc", "a\nx\nc", "f.py") == (
        "--- a/f.py\n+++ b/f.py\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n\\ No newline at end of file\n"
    )


def test_equal_texts_have_no_diff() -> None:
    """Nothing to show."""
    assert unified("a\n", "a\n") == ""
    assert diff_lines("a\n", "a\n") == []


def test_changed_lines_are_numbered_on_both_sides() -> None:
    """1-based numbers of what is gone and what came."""
    assert changed_lines("a\nb\nc\n", "a\nx\ny\nc\n") == ({2}, {2, 3})


def test_a_long_text_with_scattered_changes_is_matched_line_by_line() -> None:
    """Unique lines are anchors: 10,000 lines with 100 changes lose only those."""
    old = [f"line {number}" if number % 2 else "same" for number in range(10_000)]
    new = [line if number % 100 else f"new {number}" for number, line in enumerate(old)]

    assert sum(size for _, _, size in matching_blocks(old, new)) == 9_900


def test_long_texts_without_anchors_still_end() -> None:
    """Lines that all repeat on both sides are given up, not compared pair by pair."""
    assert matching_blocks(["a", "b"] * 2000, ["c", "d"] * 2000) == []
