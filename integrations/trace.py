"""The local trace: one JSON line a node, with sizes and hashes, never code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errors import StorageFailedError
from integrations.rotated_file import RotatedFile
from utils.redact import redact

ROTATE_AT_BYTES = 5 * 1024 * 1024
NOT_WRITTEN = "The log and the trace could not be written; the disk may be full or CODEMIND_HOME read-only."
"""Said once for both: they lie in one folder."""


class TraceWriter:
    """Appends to `<folder>/trace.jsonl`; beyond 5 MB the file becomes `trace.1.jsonl`, and the one before that goes."""

    def __init__(self, folder: Path, rotate_at_bytes: int = ROTATE_AT_BYTES) -> None:
        self._file = RotatedFile(folder / "trace.jsonl", limit_bytes=rotate_at_bytes, kept=1)

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line. A task's id is the user's own text: a secret in it is replaced. Raises: StorageFailedError."""
        text = json.dumps(line, ensure_ascii=True, separators=(",", ":"))
        try:
            self._file.append(redact(text).text)
        except OSError as error:
            raise StorageFailedError(NOT_WRITTEN) from error
