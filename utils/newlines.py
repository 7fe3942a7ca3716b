"""Line ends: find out which a text uses, work with LF inside, and give a changed text the ends of the original.

A line ends with LF, CRLF or a lone CR. Other characters that `str.splitlines` splits at (form feed, U+2028) are text.
"""

from __future__ import annotations

import re
from typing import Literal

Newline = Literal["\n", "\r\n", "\r", "mixed"]

_END = re.compile(r"\r\n|\r|\n")


def newline_of(text: str) -> Newline:
    """The line end that the whole text uses, "mixed" when there are several, LF when there is none."""
    crlf = text.count("\r\n")
    cr = text.count("\r") - crlf
    lf = text.count("\n") - crlf
    if (crlf > 0) + (cr > 0) + (lf > 0) > 1:
        return "mixed"
    if crlf:
        return "\r\n"
    return "\r" if cr else "\n"


def to_lf(text: str) -> str:
    """The text with every line end as LF; the same object when there is no CR."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def restore_newlines(original: str, changed: str) -> str:
    """Give `changed` (LF) the line ends of `original` (as it was read).

    Where the original mixes ends, a line that is still there keeps its own and a new line takes that of the line before
    it. Restoring an unchanged text gives the original back, byte for byte. Whether the last line has an end is up to
    `changed`.
    """
    style = newline_of(original)
    if style == "\n":
        return changed
    if style != "mixed":
        return changed.replace("\n", style)
    return _restore_mixed(original, changed)


def _restore_mixed(original: str, changed: str) -> str:
    """Line by line: the ends of kept lines, and of their neighbours for new ones."""
    from utils.diff import matching_blocks  # late: texts that mix line ends are rare

    ends = _END.findall(original)
    old = to_lf(original).split("\n")
    new = changed.split("\n")
    chosen: list[str | None] = [None] * len(new)
    for old_at, new_at, size in matching_blocks(old, new):
        for step in range(size):
            if old_at + step < len(ends):
                chosen[new_at + step] = ends[old_at + step]
    previous = next((end for end in chosen if end is not None), ends[0])
    parts: list[str] = []
    for line, end in zip(new[:-1], chosen, strict=False):
        # A CR before an empty line's LF would read as one CRLF.
        previous = "\r\n" if previous == "\r" and parts and not line and end == "\n" else end or previous
        parts += (line, previous)
    return "".join(parts) + new[-1]
