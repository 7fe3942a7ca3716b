"""Text for a terminal: nothing in it can move the cursor, reorder or hide text, and it fits a width given in cells.

Widths follow `wcwidth`: a CJK character or an emoji takes two cells, a combining mark none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

ELLIPSIS = "…"
TAB_CELLS = 4
_SHORT = 200
"""Characters of a line that are always measured; longer ones only when they can fit (four code points a cell)."""

_C0 = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_SURROGATES = "\ud800-\udfff"
_UNSEEN = re.compile(f"[{_C0}{_BIDI}{_INVISIBLE}{_SURROGATES}]")
_BYTE = 0x100
_WIDE_PICTURES = 0x2190
"""No emoji stands before the arrows: a joiner behind a smaller character is not part of a picture."""


def visible(text: str) -> str:
    """The text with every character that a terminal obeys or hides spelled out: `\\x1b`, `<U+202E>`, `\\ud800`.

    Tab and LF stay, and so does the joiner inside an emoji. Idempotent: the spelling is plain ASCII.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _UNSEEN.sub(_spelled, text)


def in_one_line(text: str) -> str:
    """As `visible`, for names: line ends are spelled out too, and a tab is a blank."""
    return visible(text).replace("\n", "\\n").replace("\t", " ")


def _spelled(match: re.Match[str]) -> str:
    """One unseen character in plain ASCII."""
    character = match.group()
    code = ord(character)
    if character == "\u200d" and _joins_pictures(match.string, match.start()):
        return character
    if code < _BYTE:
        return f"\\x{code:02x}"
    if "\ud800" <= character <= "\udfff":
        return f"\\u{code:04x}"
    return f"<U+{code:04X}>"


def _joins_pictures(text: str, at: int) -> bool:
    """True for a zero-width joiner between two emoji."""
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    return bool(before and after) and min(ord(before), ord(after)) >= _WIDE_PICTURES and not _UNSEEN.match(after)


def cell_width(text: str) -> int:
    """Cells that one line of `visible` text takes; a tab counts as TAB_CELLS, a control character as none."""
    if text.isascii():
        return len(text) + (TAB_CELLS - 1) * text.count("\t")
    return sum(width for _, width in _clusters(text))


def clip(text: str, width: int) -> str:
    """At most `width` cells of the line, ending in an ellipsis when something was cut off. Never splits a character."""
    if len(text) <= max(_SHORT, 4 * width) and cell_width(text) <= width:
        return text
    return _head(text, width - 1) + ELLIPSIS if width > 0 else ""


def clip_around(line: str, column: int, width: int) -> tuple[str, int]:
    """At most `width` cells of a long line around the 1-based code-point `column`, and where that column is now.

    A third of the width stands before the column. An ellipsis marks each side on which something was cut off.
    """
    if len(line) <= width and cell_width(line) <= width:
        return line, column
    at = max(0, min(column - 1, len(line)))
    lead = _tail(line[max(0, at - width) : at], max(0, width // 3 - 1))
    start = at - len(lead)
    if start <= 1:
        return clip(line, width), column
    return ELLIPSIS + clip(line[start : start + 4 * width], max(0, width - 1)), len(lead) + 2


def fold(text: str, width: int) -> list[str]:
    """A long line in pieces of at most `width` cells that make the whole again; never splits a character, never is empty."""
    if cell_width(text) <= width:
        return [text]
    pieces, piece, room = [], "", width
    for cluster, cells in _clusters(text):
        if cells > room and piece:
            pieces.append(piece)
            piece, room = "", width
        piece += cluster
        room -= cells
    return [*pieces, piece]


def _head(text: str, width: int) -> str:
    """As many characters from the start as fit in `width` cells."""
    taken: list[str] = []
    for cluster, cells in _clusters(text):
        width -= cells
        if width < 0:
            break
        taken.append(cluster)
    return "".join(taken)


def _tail(text: str, width: int) -> str:
    """As many characters from the end as fit in `width` cells."""
    taken: list[str] = []
    for cluster, cells in reversed(list(_clusters(text))):
        width -= cells
        if width < 0:
            break
        taken.append(cluster)
    return "".join(reversed(taken))


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """Characters as a user sees them (an emoji with its joiners is one), each with its width in cells."""
    if text.isascii():
        yield from ((character, TAB_CELLS if character == "\t" else 1) for character in text)
        return
    # Imported here: only text beyond ASCII needs the tables (10 ms).
    from wcwidth import iter_graphemes, wcswidth

    for cluster in iter_graphemes(text):
        yield cluster, TAB_CELLS if cluster == "\t" else max(0, wcswidth(cluster))
