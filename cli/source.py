"""The text that `fix` and `recall` work on: a file, or all of standard input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.console import Console
from cli.edge import PASTE, Origin
from errors import InputInvalidError
from wiring_memory import read_source

if TYPE_CHECKING:
    from wiring_memory import SourceFile

STDIN = "-"
_MOST_BYTES = 64 << 20
"""Of standard input; beyond that it is not read to its end only to be refused."""


@dataclass(frozen=True)
class Text:
    """What was read. `file` is None for standard input."""

    content: bytes | str
    path: str = PASTE
    file: SourceFile | None = None

    def origin(self, task_id: str) -> Origin:
        """Where a task with this text comes from."""
        return Origin(task_id, self.path)


def text_of(name: str, console: Console) -> Text:
    """Read it whole. Raises InputInvalidError."""
    if name == STDIN:
        return Text(_all_of(console))
    file = read_source(name)
    return Text(file.raw.decode(file.encoding), name, file)


def _all_of(console: Console) -> bytes:
    chunks = []
    size = 0
    while chunk := console.read():
        chunks.append(chunk)
        size += len(chunk)
        if size > _MOST_BYTES:
            raise InputInvalidError("standard input is too large: paste the part in question")
    return b"".join(chunks)
