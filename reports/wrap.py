"""Sentences in lines of a given number of terminal cells."""

from __future__ import annotations

from utils.terminal import cell_width, clip, visible


def wrap(text: str, width: int) -> list[str]:
    """Visible lines of at most `width` cells, broken at blanks and, where a word is longer than a line, inside it."""
    lines: list[str] = []
    line = ""
    for word in visible(text).split():
        joined = f"{line} {word}" if line else word
        if cell_width(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, width)
        lines.extend(full)
    return [*lines, line] if line else lines


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces that each fit; at least one character a piece, however narrow the line."""
    pieces = []
    while cell_width(word) > width:
        # One more cell than there is room for: `clip` ends what it cuts with an ellipsis, which is taken off again.
        piece = clip(word, width + 1)[:-1] or word[:1]
        pieces.append(piece)
        word = word[len(piece) :]
    return [*pieces, word]
