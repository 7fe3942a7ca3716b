"""Imports whose shape hides something or buries the reader: code out of sight, lines without end, a fix many times the size of the bug."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

_FEW_BLANKS = 16 * " "
_BLANKS = re.compile(r"[ \t]{16,}")
_GULF = 60
"""Blanks within a line after which nobody looks for more: no table in code is so wide."""
_FAR_RIGHT = re.compile(rf"\S[ \t]{{{_GULF},}}\S|^[ \t]{{160,}}\S", re.MULTILINE)
_FAR_DOWN = 40
"""Blank lines after which nobody looks for more."""
_LONG_LINE = 1_500
_GROWTH = 6
"""So many times the size of the buggy code a fix may have, and ..."""
_FREE_GROWTH = 6_000
"""... so many characters more."""
_MOST_WORDS = 8_000
"""Characters of an explanation: of 1,824 real ones the longest has a tenth."""


def odd_shapes(buggy: str, fixed: str, explanation: str) -> Iterator[str]:
    """Why the import must be looked at for its shape, the worst first."""
    if len(_FAR_RIGHT.findall(fixed)) > len(_FAR_RIGHT.findall(buggy)):
        yield "its fix holds code far to the right, out of sight"
    if _deepest_gap(fixed) > max(_FAR_DOWN, _deepest_gap(buggy)):
        yield "its fix holds code below many blank lines, out of sight"
    longest, known = (max(map(len, text.split("\n"))) for text in (fixed, buggy))
    if longest > _LONG_LINE and longest > 2 * known:
        yield f"its fix adds a line of {longest} characters"
    if len(fixed) > _GROWTH * len(buggy) + _FREE_GROWTH:
        yield f"its fix is {len(fixed) // max(1, len(buggy))} times as long as the buggy code"
    if len(explanation) > _MOST_WORDS:
        yield f"its explanation has {len(explanation)} characters"


def without_gaps(text: str) -> str:
    """The text without blank lines and with no more than a few blanks in a row: patterns then need not search through them."""
    return "\n".join(line for line in _BLANKS.sub(_FEW_BLANKS, text).split("\n") if line.strip())


def _deepest_gap(text: str) -> int:
    """The most blank lines in a row between lines that say something."""
    runs = [len(list(lines)) for is_blank, lines in groupby(text.strip().split("\n"), key=lambda line: not line.strip()) if is_blank]
    return max(runs, default=0)
