"""Which changed lines of a text became which lines of its fix, so that a word of one statement is never held for a word of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

Line = Sequence[str]

ALIKE = 0.6
"""Two lines that share so much are one line, changed."""
ALIKE_WITH_HEAD = 0.3
"""The same, when both begin with the same word: a `return` mostly becomes a `return`."""
WORTH_MATCHING = 0.3
"""Lines between such pairs that share less are other lines."""
MOST_PAIRS = 4_000
"""More than so many possible pairs are too many to compare: then the words decide alone."""


def paired_lines(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[slice, slice]]:
    """Stretches of lines of both texts whose words may be matched with each other, rising."""
    if len(old) * len(new) > MOST_PAIRS:
        yield slice(0, len(old)), slice(0, len(new))
        return
    at = (0, 0)
    for first, second in [*_best_pairs(old, new), (len(old), len(new))]:
        rest, other = old[at[0] : first], new[at[1] : second]
        if len(rest) == len(other) == 1 or _share(_joined(rest), _joined(other)) >= WORTH_MATCHING:
            yield slice(at[0], first), slice(at[1], second)
        if first < len(old):
            yield slice(first, first + 1), slice(second, second + 1)
        at = (first + 1, second + 1)


def _best_pairs(old: Sequence[Line], new: Sequence[Line]) -> list[tuple[int, int]]:
    """The pairs of lines, rising on both sides, that are most alike together."""
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    worth = [[_worth(first, second) for second in new] for first in old]
    for first in range(len(old) - 1, -1, -1):
        for second in range(len(new) - 1, -1, -1):
            paired = worth[first][second] + best[first + 1][second + 1] if worth[first][second] else 0.0
            best[first][second] = max(paired, best[first + 1][second], best[first][second + 1])
    pairs, first, second = [], 0, 0
    while first < len(old) and second < len(new):
        if worth[first][second] and best[first][second] == worth[first][second] + best[first + 1][second + 1]:
            pairs.append((first, second))
            first, second = first + 1, second + 1
        elif best[first][second] == best[first + 1][second]:
            first += 1
        else:
            second += 1
    return pairs


def _worth(first: Line, second: Line) -> float:
    """0 for lines that are not the same line, changed."""
    share, has_head = _share(first, second), first[:1] == second[:1]
    return share + 0.5 * has_head if share >= (ALIKE_WITH_HEAD if has_head else ALIKE) else 0.0


def _share(first: Line, second: Line) -> float:
    """0 to 1: the share of words that both have."""
    common = sum((Counter(first) & Counter(second)).values())
    return 2 * common / max(1, len(first) + len(second))


def _joined(lines: Sequence[Line]) -> Line:
    return [word for line in lines for word in line]
