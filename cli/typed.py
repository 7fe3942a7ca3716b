"""What was typed or pasted at the prompt: when it is finished, and what is in it. Pure text, no terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass

from utils.blocks import typed_block

_COMMAND = re.compile(r"/[a-z]+(?:[ \t].*)?")
_OPENING = re.compile(r"\s*<<[A-Za-z_]\w*\n")
_WORDS = {"help": "/help", "quit": "/quit", "exit": "/quit"}
"""What people type to ask for help or to leave, where no slash says that it is a command."""


@dataclass(frozen=True)
class Typed:
    """A block of code (LF, may be empty), or a command such as `/load a.py` without its outer blanks."""

    text: str
    is_command: bool = False

    @property
    def name(self) -> str:
        """The command's name, slash and all."""
        return self.text.split(maxsplit=1)[0]

    @property
    def rest(self) -> str:
        """What stands behind the command's name."""
        return self.text[len(self.name) :].strip()


def is_command(text: str) -> bool:
    """True for one line `/word ...`, or help, quit, exit alone; code that begins with `//` or `/*` is code."""
    line = text.strip()
    return line in _WORDS or _COMMAND.fullmatch(line) is not None


def ends_block(text: str) -> bool:
    """True when the last line is the end mark of the block: `EOF`, or TAG after a first line `<<TAG`."""
    return typed_block(text) is not None


def submitted(text: str) -> Typed:
    """The block without its marks; Esc-Enter and Ctrl-D submit a block that has no end mark."""
    if is_command(text):
        line = text.strip()
        return Typed(_WORDS.get(line, line), is_command=True)
    block = typed_block(text)
    return Typed(_OPENING.sub("", text, count=1) if block is None else block)
