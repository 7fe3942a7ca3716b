"""The log: our own fixed sentences with numbers and names in them; never code, provider text, a key or an address.

Modules log to `logging.getLogger("codemind.<package>")`. One handler at the root writes what they say, redacted. Of what other
libraries log only warnings are kept, and of those only who warned and which exception it was: their text quotes what they were
given. With that handler in place nothing is printed on the terminal, and no library sets up a handler of its own.
"""

from __future__ import annotations

import logging
import re
from datetime import datetime
from pathlib import Path

from integrations.rotated_file import RotatedFile
from integrations.trace import NOT_WRITTEN
from utils.redact import redact
from utils.terminal import visible

OWN = "codemind"
FILE_NAME = "codemind.log"
LIMIT_BYTES = 1024 * 1024
KEPT = 2
"""Full files that are kept beside the one that is written: 3 MB in all."""
LONGEST_LINE = 2_000
_LOGGER_NAME = re.compile(r"[A-Za-z_][\w.-]{0,79}")


class Logbook(logging.Handler):
    """Writes to `<folder>/codemind.log`. What can't be written is dropped: `take_note` says so once."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES, kept: int = KEPT) -> None:
        super().__init__()
        self.folder = folder
        self._file = RotatedFile(folder / FILE_NAME, limit_bytes=limit_bytes, kept=kept)
        self._has_failed = False
        self._note = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record's line; raises nothing."""
        if not _is_own(record) and record.levelno < logging.WARNING:
            return
        try:
            self._file.append(_line(record))
        except OSError:
            self._note = self._note if self._has_failed else NOT_WRITTEN
            self._has_failed = True

    def take_note(self) -> str:
        """The sentence about a log that can't be written, the first time it is asked for after that; else empty."""
        note, self._note = self._note, ""
        return note


class Silence(logging.NullHandler):
    """Stands in the logbook's place when nothing may be written."""


def open_logbook(folder: Path, level: str) -> bool:
    """Log into `folder` from now on; `level` is info or debug. False when that was so already."""
    logging.getLogger(OWN).setLevel(level.upper())
    present = current_logbook()
    if present is not None and present.folder == folder:
        return False
    _install(Logbook(folder))
    return True


def keep_silent() -> None:
    """Write nothing from now on, and let nothing be printed either."""
    _install(Silence())


def current_logbook() -> Logbook | None:
    """The one that is written to."""
    return next((handler for handler in logging.getLogger().handlers if isinstance(handler, Logbook)), None)


def _install(handler: logging.Handler) -> None:
    """Put it in the place of an earlier one; handlers of others (a test's) stay."""
    root = logging.getLogger()
    for other in [*root.handlers]:
        if isinstance(other, Logbook | Silence):
            root.removeHandler(other)
    root.addHandler(handler)
    logging.captureWarnings(True)


def _is_own(record: logging.LogRecord) -> bool:
    return record.name == OWN or record.name.startswith(f"{OWN}.")


def _line(record: logging.LogRecord) -> str:
    """Time, level, process, logger, message: one line, redacted before it is cut."""
    moment = datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds")
    said = _own_words(record) if _is_own(record) else _foreign_words(record)
    text = visible(redact(said).text).replace("\n", "\\n").replace("\t", " ")
    return f"{moment} {record.levelname} {record.process} {text}"[:LONGEST_LINE]


def _own_words(record: logging.LogRecord) -> str:
    try:
        message = record.getMessage()
    except (TypeError, ValueError):
        message = "a message that does not fit its values"
    return f"{record.name}: {message}"


def _foreign_words(record: logging.LogRecord) -> str:
    """Who warned, and the exception's class: the text may hold a prompt, an address or a key."""
    kind = record.exc_info[0] if record.exc_info else None
    name = record.name if _LOGGER_NAME.fullmatch(record.name) else "a library"
    return f"{name}: {'a warning' if kind is None else kind.__qualname__}"
