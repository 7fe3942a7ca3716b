"""Standard input, output and error as one value, so that a test can hand in its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO, TextIO

from errors import CodeMindError, InputInvalidError, StorageFailedError
from reports.style import Style, style_for
from reports.wrap import wrap
from utils.terminal import visible

_OURS = "codemind: "
_NARROWEST = 20
CHUNK = 65_536
"""Bytes asked for at a time; what has come is served at once, a full chunk is not waited for."""


class ReaderGoneError(Exception):
    """Nobody reads our output any more: the program ends, silently."""


@dataclass(frozen=True)
class Console:
    """`read` returns the next bytes of standard input as soon as there are some, and b"" at its end."""

    read: Callable[[], bytes]
    stdout: TextIO
    stderr: TextIO
    interactive: bool = False
    """True when input comes from a terminal."""
    paints: bool = False
    """True when output goes to a terminal."""
    columns: Callable[[], int] = lambda: 80
    """Width of the terminal now: it may be resized."""
    environment: dict[str, str] = field(default_factory=dict)

    def style(self) -> Style:
        """Colours and width of what is written now."""
        return style_for(self.paints, self.columns(), self.environment)

    def out(self, text: str) -> None:
        """Write to standard output and flush. Raises ReaderGoneError, StorageFailedError."""
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except BrokenPipeError as gone:
            raise ReaderGoneError from gone
        except OSError as error:
            raise StorageFailedError("the output could not be written; is the disk full, or standard output closed?") from error

    def note(self, text: str) -> None:
        """Write a line to standard error; where that is a terminal, a sentence of ours in lines that fit. A closed one stops nothing."""
        try:
            if text.startswith(_OURS) and _is_terminal(self.stderr):
                width = max(_NARROWEST, self.columns())
                text = "\n".join(line for part in text.split("\n") for line in wrap(part, width) or [""])
            self.stderr.write(text + "\n")
            self.stderr.flush()
        except (OSError, ValueError):
            return

    def complain(self, error: CodeMindError) -> None:
        """The one line of an expected failure."""
        self.note(f"codemind: {error.code}: {one_line(error.message)}")


def one_line(text: str) -> str:
    """Visible text without line ends: a file may have them in its name."""
    return visible(text).replace("\n", "\\n").replace("\t", " ")


def real_console() -> Console:
    """The process's own streams. What they can't show is written with backslashes: no traceback, and no letters of another encoding.

    Input is read as UTF-8, so a stream of another encoding (`PYTHONIOENCODING=latin-1`, an old locale) gets ASCII, which all of them have.
    """
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            is_unicode = stream.encoding.lower().replace("_", "-") in ("utf-8", "utf8")
            stream.reconfigure(encoding="utf-8" if is_unicode else "ascii", errors="backslashreplace")
    return Console(
        read=_read_stdin,
        stdout=sys.stdout,
        stderr=sys.stderr,
        interactive=_is_terminal(sys.stdin),
        paints=_is_terminal(sys.stdout),
        columns=_columns,
        environment=dict(os.environ),
    )


def _open_closed_streams() -> None:
    """Put something in place of standard streams that were closed, lest the next file that is opened be taken for one.

    What stands in for standard output can't be written to: that the report is lost must be noticed.
    """
    for name, mode, flags in (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))


def of_bytes(given: BinaryIO, stdout: TextIO, stderr: TextIO, environment: dict[str, str]) -> Console:
    """A console on streams that are no terminal."""
    return Console(read=lambda: given.read(CHUNK), stdout=stdout, stderr=stderr, environment=environment)


def _read_stdin() -> bytes:
    """Read past Python's buffered reader: a daemon thread that waits in it can't be left behind at exit."""
    try:
        return os.read(0, CHUNK)
    except OSError as error:
        raise InputInvalidError("standard input can't be read; give a file, or paste code") from error


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def _columns() -> int:
    """Of the terminal that output goes to, else of the one that errors go to."""
    for descriptor in (1, 2):
        with suppress(OSError):
            return os.get_terminal_size(descriptor).columns or 80
    return 80
