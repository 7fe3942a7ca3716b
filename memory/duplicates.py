"""Stored pairs that are the same up to the names of locals, code and fix: the renamed keys of both sides agree."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from memory.records import COLUMNS, StoredAlternative, alternative_of, to_lf
from utils.tokens import exact_stream

_GROUPS = """
SELECT group_concat(b.alternative) FROM keys b
JOIN keys f ON f.alternative = b.alternative AND f.part = 0 AND f.kind = 'renamed' AND f.side = 'fixed'
JOIN alternatives a ON a.seq = b.alternative
WHERE b.part = 0 AND b.kind = 'renamed' AND b.side = 'buggy' AND a.trust IN ('proved', 'plausible')
GROUP BY b.hash, f.hash HAVING count(*) > 1 ORDER BY min(b.alternative)
"""
_ONE = f"SELECT {COLUMNS} FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE a.seq = ?"  # noqa: S608 - constants only


def duplicates(connection: sqlite3.Connection) -> Iterator[list[StoredAlternative]]:
    """Groups of two or more offered fixes that are one, the best of each first. Texts of one group at a time are in memory."""
    for (numbers,) in connection.execute(_GROUPS).fetchall():
        members = [alternative_of(connection.execute(_ONE, (int(number),)).fetchone()) for number in str(numbers).split(",")]
        waiting = sorted(members, key=_standing)
        while len(waiting) > 1:
            best, rest = waiting[0], waiting[1:]
            same = [each for each in rest if is_same_pair(best, each)]
            if same:
                yield [best, *same]
            waiting = [each for each in rest if each not in same]


def _standing(stored: StoredAlternative) -> tuple[tuple[int, ...], int]:
    """Best evidence first, as `rank` has it without age; of equals the oldest, so that seeding again changes nothing in the end."""
    return tuple(-int(each) for each in stored.rank()[:-2]), stored.id


def is_same_pair(first: StoredAlternative, second: StoredAlternative) -> bool:
    """True when one renaming of locals makes code *and* fix of the second from those of the first.

    The renamed keys number the locals of each side anew, so two fixes that put the same names in other places can have equal ones.
    """
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    return all(
        _is_renamed(exact_stream(to_lf(one), first.language), exact_stream(to_lf(other), second.language), forth, back)
        for one, other in ((first.code, second.code), (first.fixed_code, second.fixed_code))
    )


def _is_renamed(first: Sequence[str], second: Sequence[str], forth: dict[str, str], back: dict[str, str]) -> bool:
    """True when the names that differ are mapped as in `forth` and `back`, which learn those that are new."""
    if len(first) != len(second):
        return False
    differing = ((one, other) for one, other in zip(first, second, strict=True) if one != other)
    return all(forth.setdefault(one, other) == other and back.setdefault(other, one) == one for one, other in differing)
