"""Line diffs with real line numbers, in near linear time also for long texts.

Equal heads and tails are set aside, then lines that occur once on both sides serve as anchors (patience diff, B. Cohen),
and only what lies between two anchors is compared by `difflib`. Lines end at LF; other separators are text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

NO_NEWLINE = "\\ No newline at end of file"

_SMALL = 250_000
"""Product of the two lengths up to which difflib is fast enough (some 30 ms)."""

Match = tuple[int, int, int]


@dataclass(frozen=True)
class DiffLine:
    """One line of a diff. Numbers are 1-based and None on the side where the line does not exist.

    `kind` is " " (kept), "-" (old), "+" (new) or "@" (a hunk's heading; `text` is the heading, the numbers its first lines).
    """

    kind: Literal[" ", "-", "+", "@"]
    text: str
    old_line: int | None
    new_line: int | None
    unfinished: bool = False
    """True for a text's last line when no LF ends it."""


def matching_blocks(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """Runs of equal lines as (index in old, index in new, length), rising, not touching each other on both sides."""
    matches: list[Match] = []
    # A stack, not recursion: a text may have any number of anchors.
    spans = [(0, len(old), 0, len(new))]
    while spans:
        old_from, old_to, new_from, new_to = spans.pop()
        head = _common_head(old, new, (old_from, old_to, new_from, new_to))
        if head:
            matches.append((old_from, new_from, head))
        tail = _common_tail(old, new, (old_from + head, old_to, new_from + head, new_to))
        if tail:
            matches.append((old_to - tail, new_to - tail, tail))
        middle = (old_from + head, old_to - tail, new_from + head, new_to - tail)
        matches += _match_middle(old, new, middle, spans)
    return _joined(sorted(matches))


def diff_lines(before: str, after: str, context: int = 3) -> list[DiffLine]:
    """The changed lines with `context` kept lines around, hunks headed as in a unified diff; empty when equal."""
    if before == after:
        return []
    old, new = _lines(before), _lines(after)
    shown: list[DiffLine] = []
    for hunk in _hunks(_opcodes(old, new), context):
        shown += _hunk_lines(hunk, old, new)
    return shown


def unified(before: str, after: str, name: str = "paste") -> str:
    """A unified diff that `patch -p1` reads, with LF ends; empty when the texts are equal."""
    shown = diff_lines(before, after)
    if not shown:
        return ""
    lines = [f"--- a/{name}", f"+++ b/{name}"]
    for line in shown:
        lines += [line.text] if line.kind == "@" else [line.kind + line.text]
        if line.unfinished:
            lines.append(NO_NEWLINE)
    return "\n".join(lines) + "\n"


def changed_lines(before: str, after: str) -> tuple[set[int], set[int]]:
    """1-based numbers of the old lines that are gone and of the new lines that came."""
    gone: set[int] = set()
    came: set[int] = set()
    for tag, old_from, old_to, new_from, new_to in _opcodes(_bare_lines(before), _bare_lines(after)):
        if tag != "equal":
            gone.update(range(old_from + 1, old_to + 1))
            came.update(range(new_from + 1, new_to + 1))
    return gone, came


def _lines(text: str) -> list[str]:
    """The lines with their ends: a last line without one differs from the same line with one."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _bare_lines(text: str) -> list[str]:
    return [line.removesuffix("\n") for line in _lines(text)]


_Span = tuple[int, int, int, int]
_Opcode = tuple[str, int, int, int, int]


def _common_head(old: Sequence[str], new: Sequence[str], span: _Span) -> int:
    """How many lines at the start of the span are equal."""
    old_from, old_to, new_from, new_to = span
    size = 0
    while old_from + size < old_to and new_from + size < new_to and old[old_from + size] == new[new_from + size]:
        size += 1
    return size


def _common_tail(old: Sequence[str], new: Sequence[str], span: _Span) -> int:
    """How many lines at the end of the span are equal."""
    old_from, old_to, new_from, new_to = span
    size = 0
    while old_to - size > old_from and new_to - size > new_from and old[old_to - size - 1] == new[new_to - size - 1]:
        size += 1
    return size


def _match_middle(old: Sequence[str], new: Sequence[str], span: _Span, spans: list[_Span]) -> list[Match]:
    """Match what lies between head and tail: directly when it is small, else push the gaps between anchors."""
    old_from, old_to, new_from, new_to = span
    sizes = (old_to - old_from, new_to - new_from)
    if not all(sizes):
        return []
    if sizes[0] * sizes[1] <= _SMALL:
        matcher = SequenceMatcher(None, old[old_from:old_to], new[new_from:new_to], autojunk=False)
        return [(old_from + a, new_from + b, size) for a, b, size in matcher.get_matching_blocks() if size]
    anchors = _anchors(old, new, span)
    if not anchors:
        return []
    start = (old_from, new_from)
    for old_at, new_at in [*anchors, (old_to, new_to)]:
        spans.append((start[0], old_at, start[1], new_at))
        start = (old_at + 1, new_at + 1)
    return [(old_at, new_at, 1) for old_at, new_at in anchors]


def _anchors(old: Sequence[str], new: Sequence[str], span: _Span) -> list[tuple[int, int]]:
    """Lines that occur once on each side, in the longest order both sides share."""
    old_from, old_to, new_from, new_to = span
    old_count, new_count = Counter(old[old_from:old_to]), Counter(new[new_from:new_to])
    new_place = {new[at]: at for at in range(new_from, new_to) if new_count[new[at]] == 1}
    pairs = [(at, new_place[old[at]]) for at in range(old_from, old_to) if old_count[old[at]] == 1 and old[at] in new_place]
    return _longest_rising(pairs)


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest chain of pairs that rises on both sides; the first numbers rise already."""
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        depth = bisect_left(ends, place)
        before.append(chosen[depth - 1] if depth else -1)
        # A slice of one element: replaces the entry, or appends when depth is the length.
        ends[depth : depth + 1] = [place]
        chosen[depth : depth + 1] = [number]
    chain: list[tuple[int, int]] = []
    at = chosen[-1] if chosen else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _joined(matches: list[Match]) -> list[Match]:
    """Neighbouring runs as one."""
    joined: list[Match] = []
    for old_at, new_at, size in matches:
        if joined and joined[-1][0] + joined[-1][2] == old_at and joined[-1][1] + joined[-1][2] == new_at:
            joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + size)
        else:
            joined.append((old_at, new_at, size))
    return joined


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[_Opcode]:
    """As difflib's get_opcodes, with 0-based half-open ranges; every change is a "replace"."""
    old_at = new_at = 0
    for old_next, new_next, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        if old_next > old_at or new_next > new_at:
            yield "replace", old_at, old_next, new_at, new_next
        if size:
            yield "equal", old_next, old_next + size, new_next, new_next + size
        old_at, new_at = old_next + size, new_next + size


def _hunks(opcodes: Iterator[_Opcode], context: int) -> Iterator[list[_Opcode]]:
    """Changes with their context; two changes share a hunk when their contexts touch."""
    hunk: list[_Opcode] = []
    for tag, old_from, old_to, new_from, new_to in opcodes:
        if tag == "replace":
            hunk.append((tag, old_from, old_to, new_from, new_to))
            continue
        lead = min(context, old_to - old_from)
        if hunk and hunk[-1][0] == "replace":
            if old_to - old_from <= 2 * context:
                hunk.append((tag, old_from, old_to, new_from, new_to))
                continue
            yield [*hunk, (tag, old_from, old_from + lead, new_from, new_from + lead)]
        hunk = [(tag, old_to - lead, old_to, new_to - lead, new_to)]
    if any(tag == "replace" for tag, *_ in hunk):
        yield _trimmed_end(hunk, context)


def _trimmed_end(hunk: list[_Opcode], context: int) -> list[_Opcode]:
    """The last hunk with at most `context` kept lines at its end."""
    tag, old_from, old_to, new_from, _ = hunk[-1]
    if tag == "replace" or old_to - old_from <= context:
        return hunk
    return [*hunk[:-1], (tag, old_from, old_from + context, new_from, new_from + context)]


def _hunk_lines(hunk: list[_Opcode], old: list[str], new: list[str]) -> list[DiffLine]:
    """The heading and the lines of one hunk."""
    body: list[DiffLine] = []
    for tag, old_from, old_to, new_from, new_to in hunk:
        if tag == "equal":
            body += [_diff_line(" ", old[at], at + 1, new_from + at - old_from + 1) for at in range(old_from, old_to)]
        else:
            body += [_diff_line("-", old[at], at + 1, None) for at in range(old_from, old_to)]
            body += [_diff_line("+", new[at], None, at + 1) for at in range(new_from, new_to)]
    old_from, new_from = hunk[0][1], hunk[0][3]
    old_size = sum(line.old_line is not None for line in body)
    new_size = sum(line.new_line is not None for line in body)
    heading = f"@@ -{_range(old_from, old_size)} +{_range(new_from, new_size)} @@"
    return [DiffLine("@", heading, old_from + 1, new_from + 1), *body]


def _diff_line(kind: Literal[" ", "-", "+"], line: str, old_line: int | None, new_line: int | None) -> DiffLine:
    return DiffLine(kind, line.removesuffix("\n"), old_line, new_line, unfinished=not line.endswith("\n"))


def _range(start: int, size: int) -> str:
    """A range of a hunk heading: 1-based, the line before when it is empty."""
    first = start + 1 if size else start
    return str(first) if size == 1 else f"{first},{size}"
