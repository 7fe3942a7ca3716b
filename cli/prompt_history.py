"""What the up arrow recalls: in this session everything, from earlier ones commands only.

The file CODEMIND_HOME/history holds at most 1,000 commands, one a line, secrets replaced. Pasted code never reaches it. A
file that can't be read or written costs nothing but the memory of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History

from cli.typed import is_command

HISTORY_FILE = "history"
MOST_LINES = 1_000
_MOST_BYTES = 512 * 1024
"""No history of ours is longer; of a file that is, the end is read."""
_MOST_CHARACTERS = 1_000
"""A longer line was not typed."""


class SessionHistory(History):
    """Blocks and commands of this session, on top of the commands of earlier ones. `folder` None: nothing is read or written."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder

    def keep(self, text: str) -> bool:
        """Have a text that was not submitted at hand in this session; False when there is none."""
        if not text.strip():
            return False
        self._loaded_strings.insert(0, text)
        return True

    def load_history_strings(self) -> Iterable[str]:
        """The commands of earlier sessions, the newest first."""
        return [] if self._folder is None else reversed(_lines(self._folder / HISTORY_FILE))

    def store_string(self, string: str) -> None:
        """Add a command to the file; code is not written."""
        if self._folder is None or not is_command(string):
            return
        from utils.redact import redact  # late: nobody has typed anything when the prompt shows

        line = redact(string.strip()).text
        if line.isprintable() and len(line) <= _MOST_CHARACTERS:
            with suppress(OSError):
                _write(self._folder, [*_lines(self._folder / HISTORY_FILE), line][-MOST_LINES:])


def _lines(path: Path) -> list[str]:
    """The commands in the file, the oldest first, of a bounded part at its end; whatever else stands there is passed over."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _MOST_BYTES))
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    found = [line for line in text.split("\n") if len(line) <= _MOST_CHARACTERS and line.isprintable() and is_command(line)]
    return found[-MOST_LINES:]


def _write(folder: Path, lines: list[str]) -> None:
    """Replace the file in one step, readable by its owner only. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = folder / HISTORY_FILE
    if target.exists() and not os.access(target, os.W_OK):
        return  # The user made it read-only.
    beside = folder / f"{HISTORY_FILE}.{os.getpid()}"
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
