"""Tabs and spaces mixed in Python's indentation, told as the tokenizer of CPython tells it: a tab is 8 columns, and also 1."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

_TAB = 8
_COMMON_STEP = 4


class Level(NamedTuple):
    """One open block: its indentation, and its width with tabs of 8 columns and of 1."""

    text: str
    wide: int
    narrow: int


def mixed_lines(lines: Sequence[str], skipped: Container[int]) -> dict[int, str | None]:
    """Line number -> the indentation it was meant to have, in the style of its neighbours; None when that can't be told.

    `skipped`: lines (1-based) that begin inside of a string, a bracket or after a backslash.
    """
    levels = [Level("", 0, 0)]
    mixed: dict[int, str | None] = {}
    for number, line in enumerate(lines, 1):
        rest = line.lstrip(" \t\f")
        if number in skipped or not rest or rest.startswith("#"):
            continue
        level = _level(line[: len(line) - len(rest)])
        if not _fits(level, levels):
            meant = _meant(level, levels)
            mixed[number] = None if meant is None else meant.text
            level = levels[-1] if meant is None else meant
        while len(levels) > 1 and levels[-1].wide > level.wide:
            levels.pop()
        if level.wide > levels[-1].wide:
            levels.append(level)
    return mixed


def _level(indent: str) -> Level:
    wide = narrow = 0
    for character in indent:
        if character == "\t":
            wide, narrow = (wide // _TAB + 1) * _TAB, narrow + 1
        elif character == " ":
            wide, narrow = wide + 1, narrow + 1
        else:
            wide = narrow = 0
    return Level(indent, wide, narrow)


def _fits(level: Level, levels: list[Level]) -> bool:
    """Deeper in both measures, or equal in both to an open block. A dedent that mixes nothing is not ours to tell."""
    top = levels[-1]
    if level.wide > top.wide:
        return level.narrow > top.narrow
    same = next((known for known in levels if known.wide == level.wide), None)
    if same is not None:
        return same.narrow == level.narrow
    return not _mixes(level, levels)


def _mixes(level: Level, levels: list[Level]) -> bool:
    used = {character for known in levels for character in known.text}
    return bool(used - set(level.text)) and bool(set(level.text) - used)


def _meant(level: Level, levels: list[Level]) -> Level | None:
    """The open block of the same width, with tabs of 8 columns, else with steps of 4."""
    same = next((known for known in levels if known.wide == level.wide), None)
    if same is not None:
        return same
    depth, odd = divmod(level.narrow, _COMMON_STEP) if "\t" not in level.text else (level.narrow, 0)
    return levels[depth] if not odd and depth < len(levels) else None
