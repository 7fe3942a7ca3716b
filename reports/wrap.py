"""Sentences in lines of a given number of terminal cells."""

from __future__ import annotations

from utils.terminal import cell_width, fold, visible


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
        *full, line = fold(word, width)
        lines.extend(full)
    return [*lines, line] if line else lines
