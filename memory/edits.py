"""What a fix left as it was: a monotone matching of the fixed text's elements with those of the buggy text.

Whole lines are matched before tokens, so that an inserted line never borrows a word of the line below it. Which tokens are matched
decides about layout and comments only: what is written out is always the fixed token stream.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.line_pairs import paired_lines
from memory.script import Script
from utils.diff import matching_blocks

_SAYING = frozenset({"name", "keyword", "string", "number"})

Matching = tuple[int | None, ...]
"""For each element of one text the index of the other's element, rising; None where there is none."""


def match_fixed(buggy: Script, fixed: Script) -> Matching:
    """For each element of the fixed text the element of the buggy text that it is. A line that is moved is matched with nothing."""
    found: list[int | None] = [None] * len(fixed.elements)
    old_lines, new_lines = _lines(buggy), _lines(fixed)
    blocks = matching_blocks([_said(buggy, line) for line in old_lines], [_said(fixed, line) for line in new_lines])
    for old, new, size in blocks:
        for step in range(size):
            for mine, theirs in zip(new_lines[new + step], old_lines[old + step], strict=True):
                found[mine] = theirs
    moved = moved_lines(buggy, fixed, found)
    arrived, at = set(moved.values()), (0, 0)
    for old, new, size in [*blocks, (len(old_lines), len(new_lines), 0)]:
        gone = [line for line in old_lines[at[0] : old] if line[0] not in moved]
        came = [line for line in new_lines[at[1] : new] if line[0] not in arrived]
        for part, other in paired_lines(_words(buggy, gone), _words(fixed, came)):
            _match_tokens(buggy, fixed, _joined(gone[part]), _joined(came[other]), found)
        at = (old + size, new + size)
    return tuple(found)


def moved_lines(buggy: Script, fixed: Script, matching: Sequence[int | None]) -> dict[int, int]:
    """For each element of a line that the fix only moves, old place to new; whole lines that say something, each once."""
    kept = {origin for origin in matching if origin is not None}
    gone: dict[str, list[list[int]]] = {}
    for line in _lines(buggy):
        if not kept.intersection(line) and any(buggy.elements[index].token.kind in _SAYING for index in line):
            gone.setdefault(_said(buggy, line), []).append(line)
    moved: dict[int, int] = {}
    for line in _lines(fixed):
        waiting = gone.get(_said(fixed, line)) if all(matching[index] is None for index in line) else None
        if waiting:
            moved.update(zip(waiting.pop(0), line, strict=True))
    return moved


def _match_tokens(buggy: Script, fixed: Script, old: Sequence[int], new: Sequence[int], found: list[int | None]) -> None:
    """Match what can be matched between two changed stretches."""
    old_keys = [buggy.elements[index].key for index in old]
    new_keys = [fixed.elements[index].key for index in new]
    for start, begin, size in matching_blocks(old_keys, new_keys):
        for step in range(size):
            found[new[begin + step]] = old[start + step]


def _lines(script: Script) -> list[list[int]]:
    """Element indices of each line that holds any."""
    lines: list[list[int]] = []
    for index, element in enumerate(script.elements):
        if element.begins or not lines:
            lines.append([])
        lines[-1].append(index)
    return lines


def _words(script: Script, lines: Sequence[Sequence[int]]) -> list[list[str]]:
    return [[script.elements[index].key for index in line] for line in lines]


def _said(script: Script, line: Sequence[int]) -> str:
    return "\x00".join(script.elements[index].key for index in line)


def _joined(lines: Sequence[Sequence[int]]) -> list[int]:
    return [index for line in lines for index in line]
