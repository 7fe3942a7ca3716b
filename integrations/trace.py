"""The local trace: one JSON line a node, with sizes and hashes, never code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errors import StorageFailedError
from integrations.private import private_folder

ROTATE_AT_BYTES = 5 * 1024 * 1024


class TraceWriter:
    """Appends to `<folder>/trace.jsonl`; beyond 5 MB the file becomes `trace.1.jsonl`, and the one before that goes."""

    def __init__(self, folder: Path, rotate_at_bytes: int = ROTATE_AT_BYTES) -> None:
        self._folder = folder
        self._rotate_at_bytes = rotate_at_bytes

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line. Raises: StorageFailedError."""
        text = json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n"
        try:
            private_folder(self._folder)
            self._rotate()
            descriptor = os.open(self._path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
            try:
                os.write(descriptor, text.encode("ascii"))
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StorageFailedError("The trace could not be written; the disk may be full or CODEMIND_HOME read-only.") from error

    @property
    def _path(self) -> Path:
        """The file that is written to."""
        return self._folder / "trace.jsonl"

    def _rotate(self) -> None:
        """Put a full file aside. Raises: OSError."""
        if self._path.exists() and self._path.stat().st_size >= self._rotate_at_bytes:
            self._path.replace(self._folder / "trace.1.jsonl")
