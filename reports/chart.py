"""A small chart of numbers in the terminal: a column each, in block characters or in plain ASCII."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCKS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
"""From nothing to a full cell, in eighths."""
_ASCII = " .:#"
_TINIEST = 1
"""Steps that a number above zero is worth at least: what happened must be seen."""


def columns(values: Sequence[float], height: int = 4, *, ascii_only: bool = False) -> list[str]:
    """`height` lines, the top first, of one cell a value; the largest fills its column. No value is below zero."""
    signs = _ASCII if ascii_only else _BLOCKS
    steps, most = len(signs) - 1, max(values, default=0)
    scaled = [0 if not value else max(_TINIEST, round(value / most * height * steps)) for value in values]
    rows = [[signs[min(steps, max(0, each - row * steps))] for each in scaled] for row in reversed(range(height))]
    return ["".join(row) for row in rows]


def draws_blocks(encoding: str | None, terminal: str | None, *, no_colour: bool) -> bool:
    """True where block characters can be expected to show: not on a dumb terminal, with NO_COLOR, or in another encoding than Unicode."""
    if terminal == "dumb" or no_colour:
        return False
    try:
        _BLOCKS.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
