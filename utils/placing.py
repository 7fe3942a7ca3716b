"""Put a changed piece of code back into the text that it was taken from, when there is exactly one place for it.

Lines decide, blank lines around the piece aside. A piece that stands indented in the text (a method that was pasted without its
class) keeps that indent; lines that the change keeps stay as they are in the text, to the blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from utils.diff import matching_blocks


@dataclass(frozen=True)
class Placed:
    """`text` with the piece in its place (lines `start_line`.., 1-based, `indent` before each), or why there is none."""

    text: str
    outcome: Literal["placed", "done", "missing", "ambiguous"]
    start_line: int = 0
    indent: str = ""
    places: int = 0


@dataclass(frozen=True)
class _Place:
    at: int
    indent: str


def place(text: str, before: str, after: str) -> Placed:
    """Replace `before` in `text` by `after` (all with LF ends).

    `done`: `after` stands there already. `ambiguous`: `before` stands there several times (`places`). `missing`: it does not.
    """
    if text == before:
        return Placed(after, "placed", 1, places=1)
    lines, old, new = text.split("\n"), _trimmed(before), _trimmed(after)
    found, done = _find(lines, old), _find(lines, new)
    if done and (not found or len(new) > len(old)):
        return Placed(text, "done", done[0].at + 1, done[0].indent, len(done))
    if not found:
        return Placed(text, "missing")
    if len(found) > 1:
        return Placed(text, "ambiguous", found[0].at + 1, places=len(found))
    (where,) = found
    own = lines[where.at : where.at + len(old)]
    replaced = [*lines[: where.at], *_in_place(own, old, new, where.indent), *lines[where.at + len(old) :]]
    return Placed("\n".join(replaced), "placed", where.at + 1, where.indent, 1)


def _trimmed(code: str) -> list[str]:
    """The lines from the first to the last that is not blank."""
    lines = code.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    return lines[first:]


def _find(lines: Sequence[str], block: Sequence[str]) -> list[_Place]:
    """Every place at which the block stands, overlapping ones too."""
    if not block:
        return []
    places = []
    for at in range(len(lines) - len(block) + 1):
        indent = _indent_of(lines[at], block[0])
        if indent is not None and all(_same(lines[at + offset], line, indent) for offset, line in enumerate(block)):
            places.append(_Place(at, indent))
    return places


def _indent_of(line: str, wanted: str) -> str | None:
    """What stands before `wanted` on the line, when that is nothing but blanks."""
    if not line.endswith(wanted):
        return None
    lead = line[: len(line) - len(wanted)]
    return None if lead.strip(" \t") else lead


def _same(line: str, wanted: str, indent: str) -> bool:
    return line == indent + wanted if wanted.strip() else not line.strip()


def _in_place(own: Sequence[str], old: Sequence[str], new: Sequence[str], indent: str) -> list[str]:
    """The new lines as they will stand in the text: kept ones are the text's own."""
    result = [indent + line if line.strip() else line for line in new]
    for old_at, new_at, size in matching_blocks(old, new):
        result[new_at : new_at + size] = own[old_at : old_at + size]
    return result
