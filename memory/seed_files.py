"""Seed files as they are read: looked through as a whole before a line is stored, then line by line, so that size costs no memory.

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
from pathlib import Path
from typing import BinaryIO, cast

from errors import InputInvalidError, StorageFailedError

MAX_LINE_BYTES = 8_000_000
_CHUNK = 1 << 20
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
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
    """A file by its path. Raises InputInvalidError: missing, a folder, empty, binary, UTF-16."""
    try:
        with path.open("rb") as file:
            chunks = iter(lambda: file.read(_CHUNK), b"")
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                digest, size = _checked(chunks, str(path), None)
                file.seek(0)
                yield SeedText(file, path.name.encode("utf-8", "backslashreplace").decode(), digest, size)
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


def read_lines(file: BinaryIO, most: int = MAX_LINE_BYTES) -> Iterator[bytes]:
    """The lines of a file, one at a time; of one longer than `most` bytes only its beginning, which has no line end then."""
    first = True
    while raw := file.readline(most):
        rest = raw
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = file.readline(most)
        yield raw.removeprefix(codecs.BOM_UTF8) if first else raw
        first = False


def _checked(chunks: Iterable[bytes], name: str, copy: BinaryIO | None) -> tuple[str, int]:
    """Hash and size; what is read is written to `copy` too. Raises InputInvalidError for what can't be JSON lines.

    A byte that is no UTF-8 is the fault of its line, which is counted as bad when it is read.
    """
    digest, has_content, size = hashlib.sha256(), False, 0
    for chunk in chunks:
        if b"\x00" in chunk or (not size and chunk.startswith(_UTF16_MARKS)):
            raise InputInvalidError(f"{name} is binary or UTF-16 (it holds NUL bytes): what is learnt from are JSON lines in UTF-8.")
        has_content = has_content or bool(chunk.removeprefix(codecs.BOM_UTF8).strip())
        digest.update(chunk)
        size += len(chunk)
        _write(copy, chunk)
    if not has_content:
        raise InputInvalidError(f"{name} is empty: there is nothing to learn.")
    return digest.hexdigest(), size


def _write(copy: BinaryIO | None, chunk: bytes) -> None:
    try:
        if copy is not None:
            copy.write(chunk)
    except OSError as error:
        reason = (error.strerror or "no access").lower()
        raise StorageFailedError(f"The temporary folder can't hold what comes through the pipe: {reason}. Give it as a file.") from error
