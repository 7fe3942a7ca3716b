"""Move the gaps of an alignment to where a reader sees them: around whole statements.

A shortest edit often has several places for the same gap: `a(); b(); b();` against `a(); b();` may lack the first `b();`, the second, or
`; b()`. All are equally short; the one that begins and ends with a statement is the one that somebody wrote. (Git's diff slides its
hunks for the same reason.)
"""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int, int]
_Side = Sequence[bool]

CLOSING = frozenset({")", "]", "}", "end", "fi", "done", "esac"})
"""Words that end a block or a bracket, in any language."""


def slide(pairs: Sequence[Pair], words: tuple[Sequence[str], Sequence[str]], starts: tuple[_Side, _Side]) -> list[Pair]:
    """The pairs (place in the first text, place in the second), rising on both sides, with each gap of one side at its best place.

    `words`: what each text says at each place, equal at paired places. `starts`: where a statement may begin, or a block end.
    """
    slid = list(pairs)
    for side in (0, 1):
        number = 1
        while number < len(slid):
            other = 1 - side
            if slid[number][side] > slid[number - 1][side] + 1 and slid[number][other] == slid[number - 1][other] + 1:
                _slide_gap(slid, number, side, words[side], starts[side])
            number += 1
    return slid


def _slide_gap(pairs: list[Pair], number: int, side: int, words: Sequence[str], starts: _Side) -> None:
    """Move the gap of one side before `pairs[number]` to the nearest place with the best ends."""
    low, high = pairs[number - 1][side] + 1, pairs[number][side]
    best, chosen = _quality(low, high, words, starts), 0
    for direction in (-1, 1):
        shift = 0
        while _may_shift(pairs, number, side, words, shift, direction):
            shift += direction
            quality = _quality(low + shift, high + shift, words, starts)
            if quality > best:
                best, chosen = quality, shift
    for step in range(abs(chosen)):
        if chosen < 0:
            _move(pairs, number - 1 - step, side, high - 1 - step)
        else:
            _move(pairs, number + step, side, low + step)


def _may_shift(pairs: list[Pair], number: int, side: int, words: Sequence[str], shift: int, direction: int) -> bool:
    """True when the gap, already moved by `shift`, can go one further: the pair beside it finds the same word at the gap's other end."""
    low, high = pairs[number - 1][side] + 1 + shift, pairs[number][side] + shift
    beside = number - 1 + shift if direction < 0 else number + shift
    place, target = (low - 1, high - 1) if direction < 0 else (high, low)
    if not 0 <= beside < len(pairs) or pairs[beside][side] != place:
        return False
    neighbour = beside + 1 if direction < 0 else beside - 1
    is_joined = abs(pairs[neighbour][1 - side] - pairs[beside][1 - side]) == 1
    return is_joined and words[place] == words[target]


def _quality(low: int, high: int, words: Sequence[str], starts: _Side) -> int:
    """One point for a gap that begins with a statement, one when another follows it or the block ends there."""
    return int(starts[low] and words[low] not in CLOSING) + int(high >= len(starts) or starts[high])


def _move(pairs: list[Pair], number: int, side: int, place: int) -> None:
    other = pairs[number][1 - side]
    pairs[number] = (place, other) if side == 0 else (other, place)
