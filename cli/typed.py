"""What was typed or pasted at the prompt: when it is finished, and what is in it. Pure text, no terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass

from utils.blocks import typed_block

_COMMAND = re.compile(r"/[a-z]+(?:[ \t].*)?")
_OPENING = re.compile(r"\s*<<[A-Za-z_]\w*\n")


@dataclass(frozen=True)
class Typed:
    """A block of code (LF, may be empty), or a command such as `/quit` without its blanks."""

    text: str
    is_command: bool = False


def is_command(text: str) -> bool:
    """True for one line `/word ...`; code that begins with `//` or `/*` is code."""
    return _COMMAND.fullmatch(text.strip()) is not None


def ends_block(text: str) -> bool:
    """True when the last line is the end mark of the block: `EOF`, or TAG after a first line `<<TAG`."""
    return typed_block(text) is not None


def submitted(text: str) -> Typed:
    """The block without its marks; Esc-Enter and Ctrl-D submit a block that has no end mark."""
    if is_command(text):
        return Typed(text.strip(), is_command=True)
    block = typed_block(text)
    return Typed(_OPENING.sub("", text, count=1) if block is None else block)
