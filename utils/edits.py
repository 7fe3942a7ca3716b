"""Text edits put into a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Edit(Protocol):
    """A span (1-based lines and code-point columns, end exclusive) and what it becomes; see `schema.finding.TextEdit`."""

    @property
    def start_line(self) -> int:
        """First line of the span."""

    @property
    def start_column(self) -> int:
        """Column in the first line."""

    @property
    def end_line(self) -> int:
        """Last line of the span."""

    @property
    def end_column(self) -> int:
        """Column behind the span."""

    @property
    def text(self) -> str:
        """What the span becomes."""


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """`text` (LF line ends) with all edits put in; insertions at one place keep their order.

    Raises: ValueError when an edit lies outside of the text, ends before it begins, or overlaps another.
    """
    starts = line_starts(text)
    spans = sorted(((*span_of(edit, starts, len(text)), edit.text) for edit in edits), key=lambda span: span[:2])
    pieces: list[str] = []
    position = 0
    for start, end, replacement in spans:
        if start < position:
            raise ValueError("two edits overlap")
        pieces += [text[position:start], replacement]
        position = end
    return "".join([*pieces, text[position:]])


def line_starts(text: str) -> list[int]:
    """Offset of the first character of each line; a text that ends in a line end has an empty last line."""
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def span_of(edit: Edit, starts: Sequence[int], length: int) -> tuple[int, int]:
    """Offsets of an edit. Raises: ValueError when it lies outside of the text."""
    start = offset_of(edit.start_line, edit.start_column, starts, length)
    end = offset_of(edit.end_line, edit.end_column, starts, length)
    if end < start:
        raise ValueError("an edit ends before it begins")
    return start, end


def offset_of(line: int, column: int, starts: Sequence[int], length: int) -> int:
    """Offset of a place. The line behind the last one, column 1, is the end of the text. Raises: ValueError."""
    if line == len(starts) + 1 and column == 1:
        return length
    if not 1 <= line <= len(starts) or column < 1:
        raise ValueError(f"no line {line}, column {column} in the text")
    limit = starts[line] if line < len(starts) else length + 1
    offset = starts[line - 1] + column - 1
    if offset >= limit:
        raise ValueError(f"no column {column} in line {line}")
    return offset
