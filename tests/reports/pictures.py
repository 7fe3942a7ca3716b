"""Reports as a terminal shows them: written to pyte, a terminal emulator, and read off its screen."""

from __future__ import annotations

import re
from itertools import groupby

import pyte

from reports.style import Style
from reports.text import record_text
from schema.record import TaskRecord

HERE = "nothing leaves this machine"
SGR = re.compile(r"\x1b\[[0-9;]*m")
_TALL = 400
"""Rows: a screen with all of its history."""


def report(record: TaskRecord, code: str, columns: int, *, colour: bool) -> str:
    """What is written to a terminal of that width."""
    style = Style(colour=colour, width=columns, terminal=True)
    return record_text(record, code, path="paste", where=HERE, style=style)


def screen_of(text: str, columns: int, rows: int = _TALL) -> pyte.Screen:
    """The terminal after the text was written to it."""
    screen = pyte.Screen(columns, rows)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    return screen


def rows_of(screen: pyte.Screen) -> list[str]:
    """What stands on the screen, without blank ends."""
    rows = [row.rstrip() for row in screen.display]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def painted_rows(screen: pyte.Screen) -> list[str]:
    """The same with colours written out: `{magenta|return} x`, bold as `{*|...}`."""
    return [_painted(screen, number) for number, _ in enumerate(rows_of(screen))]


def _painted(screen: pyte.Screen, number: int) -> str:
    cells = [screen.buffer[number][column] for column in range(screen.columns)]
    parts = []
    for look, run in groupby(cells, _look):
        text = "".join(cell.data for cell in run)
        parts.append(f"{{{look}|{text}}}" if look else text)
    return "".join(parts).rstrip()


def _look(cell: pyte.screens.Char) -> str:
    words = [cell.fg] * (cell.fg != "default") + ["*"] * cell.bold
    return " ".join(words)
