"""Long code in windows that a model can be shown one at a time, cut where functions begin, each with the end of the one before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from utils.syntax import blocks

MAX_CHARACTERS: Final = 40_000
"""Of code in one call: ten to thirteen thousand tokens, which leaves room in a context of 32k for findings, plan and the answer."""
MAX_LINES: Final = 1_000
MIN_CHARACTERS: Final = 2_000
"""A context that does not hold this much code is not worth asking."""
OVERLAP_LINES: Final = 30
"""Lines that two windows share at most: the function before the border, or a third of this where none is that short."""
HEAD_LINES: Final = 40
HEAD_CHARACTERS: Final = 2_000


@dataclass(frozen=True)
class Window:
    """The lines `first` to `last` of a code, 1-based and inclusive."""

    text: str
    first: int
    last: int

    def holds(self, start_line: int, end_line: int) -> bool:
        """True when it shows some of these lines."""
        return start_line <= self.last and self.first <= end_line


@dataclass(frozen=True)
class Cut:
    """All windows of a code, and the lines that are longer than a window."""

    windows: tuple[Window, ...]
    too_long: tuple[int, ...] = ()


def cut(code: str, language: str, limit: int = MAX_CHARACTERS, start: int = 1) -> Cut:
    """The code from the line `start` on, in windows of at most `limit` characters and MAX_LINES lines; one when it fits."""
    lines = code.split("\n")
    if start == 1 and len(code) <= limit and len(lines) <= MAX_LINES:
        return Cut((Window(code, 1, len(lines)),))
    borders = {block.start_line: block.depth for block in blocks(code, language)}
    windows: list[Window] = []
    too_long: list[int] = []
    first = start
    while first <= len(lines):
        if len(lines[first - 1]) >= limit:
            too_long.append(first)
            first += 1
            continue
        last = _end(lines, first, limit, borders)
        if windows and last <= windows[-1].last:
            first = windows[-1].last + 1  # lines so long that the overlap would be all of it
            continue
        windows.append(Window("\n".join(lines[first - 1 : last]), first, last))
        is_done = last == len(lines) or len(lines[last]) >= limit
        first = last + 1 if is_done else max(first + 1, _overlapping(last, borders))
    return Cut(tuple(one for one in windows if one.text.strip()), tuple(too_long))


def _end(lines: list[str], first: int, limit: int, borders: Mapping[int, int]) -> int:
    """The last line of a window: before the outermost function that begins in its second half, else at a blank line, else the last."""
    last, size = first - 1, 0
    while last < len(lines) and last - first + 1 < MAX_LINES and size + len(lines[last]) + 1 <= limit:
        size += len(lines[last]) + 1
        last += 1
    if last == len(lines):
        return last
    half = first + (last - first) // 2
    heads = [line for line in range(half + 1, last + 2) if line in borders]
    if heads:
        return min(heads, key=lambda line: (borders[line], -line)) - 1
    return max((line for line in range(half, last + 1) if not lines[line - 1].strip()), default=last)


def _overlapping(last: int, borders: Mapping[int, int]) -> int:
    """Where the next window begins: at a function that ends at the border, when it is short."""
    heads = [line for line in range(last + 2 - OVERLAP_LINES, last + 1) if line in borders]
    return min(heads, key=lambda line: (borders[line], -line), default=last + 1 - OVERLAP_LINES // 3)


def head_of(code: str) -> str:
    """How the code begins: imports and constants."""
    return "\n".join(code[:HEAD_CHARACTERS].split("\n")[:HEAD_LINES])


def named_lines(spans: Iterable[tuple[int, int]]) -> str:
    """`lines 3, 1201-3000`; what touches is one."""
    joined: list[list[int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], last)
        else:
            joined.append([first, last])
    named = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in joined)
    return f"line{'' if len(joined) == 1 and joined[0][0] == joined[0][1] else 's'} {named}"
