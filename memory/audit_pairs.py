"""What an audit finds by comparing keys: the same pair twice, one fix of several codes, fixes that are themselves remembered as bugs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from memory.admin import load_experiences
from memory.audit_concern import SHORT, Concern, at_fix
from memory.duplicates import duplicates
from memory.records import StoredAlternative

_SAME_FIX = """
SELECT group_concat(DISTINCT e.id) FROM alternatives a JOIN experiences e ON e.seq = a.experience
WHERE a.trust IN ('proved', 'plausible') GROUP BY a.fix_key HAVING count(DISTINCT a.experience) > 1 ORDER BY min(a.seq)
"""
_LEADS = """
SELECT a.seq, e.id, o.id FROM alternatives a JOIN experiences e ON e.seq = a.experience JOIN experiences o ON o.id = a.fix_key
WHERE a.trust IN ('proved', 'plausible') AND EXISTS
    (SELECT 1 FROM alternatives b WHERE b.experience = o.seq AND b.trust IN ('proved', 'plausible')) ORDER BY a.seq
"""
"""Fixes that are the buggy code of an experience: the exact key of the fixed side is its id."""
_LISTED = 20


def of_duplicates(connection: sqlite3.Connection) -> Iterator[Concern]:
    """One row a group; what `memory compact` merges, it is left to."""
    for best, *others in duplicates(connection):
        ids = tuple(dict.fromkeys(each.experience_id for each in others))
        why = f"code and fix are the same as those of {_named(ids)}, names of locals aside"
        yield Concern("duplicate", best.experience_id, None, f"{len(others) + 1} times", why, "codemind memory compact", ids)


def of_same_fixes(connection: sqlite3.Connection) -> Iterator[Concern]:
    """Several codes that become the same: two bugs of one place, or one entry too many."""
    for (ids,) in connection.execute(_SAME_FIX).fetchall():
        first, *others = str(ids).split(",")
        why = f"its fix is also that of {_named(others)}: fine for two bugs of one place; else one is too many"
        yield Concern("same fix", first, None, f"{len(others) + 1} codes", why, f"codemind memory show {first[:SHORT]}", tuple(others))


def of_chains(connection: sqlite3.Connection) -> Iterator[Concern]:
    """Fixes that are remembered as buggy code: in a circle one of them is wrong, else the later one goes further."""
    leads = [(int(seq), str(start), str(end)) for seq, start, end in connection.execute(_LEADS)]
    for circle in circles(leads):
        yield _circle(connection, circle)
    in_circles = {seq for circle in circles(leads) for seq, _, _ in circle}
    for seq, start, end in leads:
        if seq not in in_circles:
            _, number, count = _placed(connection, start, seq)
            why = f"its fix is itself remembered as buggy, in {end[:SHORT]}: that fix may be the one to offer here"
            command = f"codemind memory reject {at_fix(start, number, count)}"
            yield Concern("chain", start, number if count > 1 else None, "its fix is a known bug", why, command, (end,))


def circles(leads: Iterable[tuple[int, str, str]]) -> list[list[tuple[int, str, str]]]:
    """The steps (number, from, to) that lead round, those that hang together in one group."""
    left = list(leads)
    while True:
        starts, ends = {start for _, start, _ in left}, {end for _, _, end in left}
        kept = [lead for lead in left if lead[1] in ends and lead[2] in starts]
        if len(kept) == len(left):
            break
        left = kept
    groups: list[tuple[set[str], list[tuple[int, str, str]]]] = []
    for lead in left:
        joined = [group for group in groups if {lead[1], lead[2]} & group[0]]
        merged = ({lead[1], lead[2]}.union(*(names for names, _ in joined)), [*(each for _, own in joined for each in own), lead])
        groups = [*(group for group in groups if group not in joined), merged]
    return [steps for _, steps in groups]


def _circle(connection: sqlite3.Connection, circle: list[tuple[int, str, str]]) -> Concern:
    """Named by the step with the least evidence."""
    placed = [(_placed(connection, start, seq), start) for seq, start, _ in circle]
    (_, number, count), weakest = min(placed, key=lambda each: each[0][0].rank())
    others = tuple(dict.fromkeys(start for _, start in placed if start != weakest))
    why = f"its fix leads over {_named(others)} back to this code: one of them is wrong, and this one has the least evidence"
    command = f"codemind memory reject {at_fix(weakest, number, count)}"
    return Concern("circle", weakest, number if count > 1 else None, f"{len(circle)} fixes in a circle", why, command, others)


def _placed(connection: sqlite3.Connection, key: str, seq: int) -> tuple[StoredAlternative, int, int]:
    """A fix, its number as `memory show` prints it, and of how many."""
    (found,) = load_experiences(connection, [key])
    stored = next(each for each in found.alternatives if each.id == seq)
    return stored, found.numbers[seq], len(found.alternatives)


def _named(ids: Iterable[str]) -> str:
    short = [key[:SHORT] for key in ids]
    more = f" and {len(short) - _LISTED} more" if len(short) > _LISTED else ""
    return ", ".join(short[:_LISTED]) + more if short else "itself"
