"""Seed files as they are read: checked as a whole before a line is stored, then line by line, so that size costs no memory.

What can't be read twice (a pipe, standard input) is kept in a temporary file without a name meanwhile.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from errors import InputInvalidError, StorageFailedError

MAX_LINE_BYTES = 8_000_000
_CHUNK = 1 << 20
_SPOOL_BYTES = 16 << 20
"""A stream up to this size is kept in memory."""


@dataclass(frozen=True)
class SeedText:
    """A checked file at its beginning; `hash` is the sha256 of its `size` bytes, `name` what is said to come from it."""

    file: BinaryIO
    name: str
    hash: str
    size: int


@contextmanager
def open_seeds(path: Path) -> Iterator[SeedText]:
    """A file by its path. Raises InputInvalidError: missing, a folder, empty, binary, not UTF-8."""
    try:
        with path.open("rb") as file:
            chunks = iter(lambda: file.read(_CHUNK), b"")
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                digest, size = _checked(chunks, str(path), None)
                file.seek(0)
                yield SeedText(file, path.name, digest, size)
            else:
                with keep_stream(chunks, str(path)) as text:
                    yield text
    except OSError as error:
        raise InputInvalidError(f"{path} can't be read: {(error.strerror or 'no access').lower()}.") from error


@contextmanager
def keep_stream(chunks: Iterable[bytes], name: str) -> Iterator[SeedText]:
    """What comes from a pipe, to its end. Raises as `open_seeds`, and StorageFailedError when the disk can't hold it."""
    with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
        kept = cast("BinaryIO", spool)
        digest, size = _checked(chunks, name, kept)
        kept.seek(0)
        yield SeedText(kept, name, digest, size)


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, one at a time; of a line that is far too long only its beginning, which has no line end then."""
    first = True
    while raw := file.readline(MAX_LINE_BYTES):
        rest = raw
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE_BYTES)
        yield raw.removeprefix(codecs.BOM_UTF8) if first else raw
        first = False


def _checked(chunks: Iterable[bytes], name: str, copy: BinaryIO | None) -> tuple[str, int]:
    """Hash and size; what is read is written to `copy` too. Raises InputInvalidError for what can't be JSON lines."""
    digest, decoder = hashlib.sha256(), codecs.getincrementaldecoder("utf-8")()
    has_content, size, line = False, 0, 1
    for chunk in chain(chunks, [b""]):
        if b"\x00" in chunk:
            raise InputInvalidError(f"{name} is binary or UTF-16 (it holds NUL bytes): seeds are JSON lines in UTF-8.")
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            at = line + error.object[: error.start].count(b"\n")
            raise InputInvalidError(f"{name} is not UTF-8 (line {at}): convert it first.") from None
        has_content = has_content or bool(chunk.removeprefix(codecs.BOM_UTF8).strip())
        digest.update(chunk)
        size, line = size + len(chunk), line + chunk.count(b"\n")
        _write(copy, chunk)
    if not has_content:
        raise InputInvalidError(f"{name} is empty: nothing to seed.")
    return digest.hexdigest(), size


def _write(copy: BinaryIO | None, chunk: bytes) -> None:
    try:
        if copy is not None:
            copy.write(chunk)
    except OSError as error:
        reason = (error.strerror or "no access").lower()
        raise StorageFailedError(f"The temporary folder can't hold what comes through the pipe: {reason}. Give it as a file.") from error
