"""The screen of a terminal that obeys no control sequence at all: TERM=dumb, as in an editor's shell."""

from __future__ import annotations

from prompt_toolkit.output.plain_text import PlainTextOutput

from utils.terminal import visible


class PlainOutput(PlainTextOutput):
    """As its base, which hands on what a paste holds as it is."""

    def write(self, data: str) -> None:
        """Write text in which nothing is a control sequence."""
        super().write(visible(data.replace("\r\n", "\n")).replace("\n", "\r\n"))
