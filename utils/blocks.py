"""Cut a stream of lines into pasted blocks, and turn the bytes of a block into text, strictly.

A block ends at a line `EOF` (blanks and CR around it ignored), or at the end of the input. When its first line is exactly
`<<TAG` it ends at a line `TAG` instead, and `EOF` is ordinary text in it. A block of nothing but blank lines is no task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from utils.encoding import PasteError, decode

__all__ = ["END_MARK", "BlockSplitter", "PasteError", "RawBlock", "check_text", "decode_block", "split_blocks", "typed_block"]

END_MARK = "EOF"
DEFAULT_LIMIT = 2_000_000
"""Bytes that a block may have when the caller names no limit."""

_TAG = re.compile(rb"<<([A-Za-z_][A-Za-z0-9_]*)\r?\n?")
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\x0b\x0c"
_MARK_LENGTH = 256
"""Bytes kept of an overlong line, to recognise the end of the block: a tag is shorter."""


@dataclass(frozen=True)
class RawBlock:
    """One block as it was read. `size` counts all its bytes; `content` holds no more than the limit allows.

    `closed` is False when the input ended before the block's end mark did.
    """

    content: bytes
    size: int
    closed: bool = True

    @property
    def cut(self) -> bool:
        """True when the block was larger than the limit, so that its content was dropped."""
        return self.size > len(self.content)


class BlockSplitter:
    """Feed it lines with their ends (or pieces of long lines); it answers with each block that is complete.

    Memory stays within `limit` bytes: of a larger block only the size is kept.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._reset()

    def feed(self, line: bytes) -> RawBlock | None:
        """Take one line, or a piece of one that a later call goes on with (a piece has no LF at its end)."""
        self._line += line[: max(0, _MARK_LENGTH - len(self._line))]
        self._line_size += len(line)
        self._keep(line)
        if not line.endswith(b"\n"):
            return None
        return self._end_line()

    def finish(self) -> list[RawBlock]:
        """The end of the input: what is left as a block, none when it is blank.

        A text whose lines end in CR alone arrives as one line, and only now its end marks are found.
        """
        content = b"".join(self._parts)
        if b"\r" in content.rstrip(b"\r") and b"\n" not in content:
            self._reset()
            return _old_mac_blocks(content, self._limit)
        block = (self._end_line() if self._line_size else None) or self._taken(closed=False)
        return [] if block is None else [block]

    def _reset(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._tag: bytes | None = None
        self._seen_text = False
        self._new_line()

    def _new_line(self) -> None:
        self._line = b""
        self._line_size = 0

    def _keep(self, piece: bytes) -> None:
        """Store a piece, or drop everything once the block is too large."""
        self._size += len(piece)
        if self._size <= self._limit + _MARK_LENGTH:
            self._parts.append(piece)
        else:
            self._parts.clear()

    def _end_line(self) -> RawBlock | None:
        """A line is complete: is it the block's end, or its opening tag?"""
        line, size = self._line, self._line_size
        self._new_line()
        if size <= _MARK_LENGTH and self._is_end(line):
            self._forget_last(size)
            return self._taken(closed=True)
        if not self._seen_text and line.strip(_BLANK):
            self._seen_text = True
            opening = _TAG.fullmatch(line.removeprefix(_BOM)) if size <= _MARK_LENGTH else None
            if opening:
                self._tag = opening.group(1)
                self._parts.clear()
                self._size = 0
        return None

    def _is_end(self, line: bytes) -> bool:
        if self._tag is None:
            return line.strip(_BLANK) == END_MARK.encode()
        return line.rstrip(_BLANK) == self._tag

    def _forget_last(self, size: int) -> None:
        """Take the end mark, which may have come in pieces, off again."""
        self._size -= size
        while size and self._parts:
            last = self._parts.pop()
            if len(last) > size:
                self._parts.append(last[:-size])
                return
            size -= len(last)

    def _taken(self, *, closed: bool) -> RawBlock | None:
        """The block so far, None when it is blank; the splitter starts anew."""
        content, size = b"".join(self._parts), self._size
        self._reset()
        if size > self._limit:
            return RawBlock(b"", size, closed)
        return None if _is_blank(content) else RawBlock(content, size, closed)


def split_blocks(pieces: Iterable[bytes], limit: int = DEFAULT_LIMIT) -> Iterator[RawBlock]:
    """All blocks of a stream, each as soon as it is complete.

    `pieces` are lines or parts of lines, best as `iter(lambda: stream.readline(65536), b"")`: that never holds a long line.
    """
    splitter = BlockSplitter(limit)
    for piece in pieces:
        block = splitter.feed(piece)
        if block is not None:
            yield block
    yield from splitter.finish()


def _old_mac_blocks(content: bytes, limit: int) -> list[RawBlock]:
    splitter = BlockSplitter(limit)
    found = [splitter.feed(line) for line in content.replace(b"\r", b"\n").splitlines(keepends=True)]
    blocks = [block for block in (*found, *splitter.finish()) if block is not None]
    return [RawBlock(block.content.replace(b"\n", b"\r"), block.size, block.closed) for block in blocks]


def decode_block(block: RawBlock | bytes, limit: int = DEFAULT_LIMIT) -> str:
    """The text of a block; a byte order mark stays in it as U+FEFF.

    Raises PasteError when the block is larger than `limit` bytes, binary, or not UTF-8.
    """
    content, size = (block, len(block)) if isinstance(block, bytes) else (block.content, block.size)
    _check_size(max(size, len(content)), limit)
    return decode(content)


def check_text(text: str, limit: int = DEFAULT_LIMIT) -> str:
    """The text itself when it can be a task. Raises PasteError: larger than `limit` bytes, NUL or a lone surrogate."""
    encoded = text.encode("utf-8", "surrogatepass")
    _check_size(len(encoded), limit)
    return decode(encoded)


def typed_block(text: str) -> str | None:
    """What was typed or pasted, without its end mark, when the last line is the end mark; None while it is not.

    An empty text back means that nothing but the mark was there: no task.
    """
    lines = text.split("\n")
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    opening = _TAG.fullmatch(lines[0].encode("utf-8", "surrogatepass"))
    if opening:
        closed = len(lines) > 1 and lines[-1].rstrip() == opening.group(1).decode()
        return _rejoined(lines[1:-1]) if closed else None
    return _rejoined(lines[:-1]) if lines[-1].strip() == END_MARK else None


def _rejoined(lines: list[str]) -> str:
    text = "".join(line + "\n" for line in lines)
    return text if text.strip() else ""


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        message = (
            f"The paste has {_kilobytes(size)} kB and the limit is {limit // 1024} kB: paste the part in question, or raise MAX_PASTE_KB."
        )
        raise PasteError(message)


def _kilobytes(size: int) -> str:
    return f"{-(-size // 1024):,}"


def _is_blank(content: bytes) -> bool:
    """True for nothing but blanks, line ends and a byte order mark, also those beyond ASCII."""
    stripped = content.removeprefix(_BOM).strip(_BLANK)
    return not stripped or not stripped.decode("utf-8", "replace").strip("\ufeff\u200b \t\r\n\u3000\u00a0")
