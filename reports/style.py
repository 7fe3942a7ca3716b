"""Colours of the text report: ANSI codes on a terminal, nothing elsewhere.

Of the sixteen colours only those that are readable on light and on dark backgrounds: no yellow, white or bright one, no blue,
and never a background.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_CODES = {
    "critical": "1;31",
    "high": "31",
    "medium": "35",
    "low": "36",
    "info": "2",
    "added": "32",
    "removed": "31",
    "place": "36",
    "strong": "1",
    "faint": "2",
    "keyword": "35",
    "string": "36",
    "number": "36",
    "comment": "2",
}


@dataclass(frozen=True)
class Style:
    """`colour` says whether codes are written; `width` is the line length in cells that text is wrapped to.

    On a `terminal` code is folded to the width too, and tabs are blanks; elsewhere its lines stay whole.
    """

    colour: bool = False
    width: int = 100
    terminal: bool = False

    def paint(self, kind: str, text: str) -> str:
        """`text` in the colour of a severity or of `added`, `removed`, `place`, `strong`, `faint`, ...; no kind is no colour."""
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if self.colour and kind and text else text


def style_for(is_terminal: bool, columns: int, environment: Mapping[str, str]) -> Style:
    """Colour only on a terminal, and not when NO_COLOR is set or the terminal is dumb."""
    colour = is_terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
    return Style(colour=colour, width=max(20, columns) if is_terminal else 100, terminal=is_terminal)
