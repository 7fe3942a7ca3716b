"""Contents of files in a repository, by their ids: one process for all of them. Nothing is converted (no filter, no textconv)."""

from __future__ import annotations

import re
import subprocess
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from integrations.bounded_run import end_group
from integrations.git_pipe import GitPipe, stopped
from integrations.git_program import start_git

MAX_BLOB_BYTES = 1_000_000
"""Larger files are data, or made by a program."""
_KEPT_BYTES = 8_000_000
_ABBREVIATED = re.compile(r"[0-9a-f]{7,64}")
_ID = re.compile(r"[0-9a-f]{40,64}")


class BlobReader:
    """Asks for one blob at a time; the last few stay here, as the file after one commit is the file before the next."""

    def __init__(self, git: str, git_dir: Path, most_bytes: int = MAX_BLOB_BYTES) -> None:
        self._process = start_git(git, git_dir, ["cat-file", "--batch"], stdin=subprocess.PIPE)
        self._sizes = start_git(git, git_dir, ["cat-file", "--batch-check"], stdin=subprocess.PIPE)
        self._pipe, self._size_pipe = GitPipe(self._process), GitPipe(self._sizes)
        self._most = most_bytes
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._known_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End both processes."""
        for process in (self._process, self._sizes):
            with suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]
            end_group(process)

    def read(self, blob: str) -> bytes | None:
        """The content; None for one that is too large, missing, or no blob. Raises GitFailedError."""
        if blob in self._known:
            self._known.move_to_end(blob)
            return self._known[blob]
        if _ID.fullmatch(blob) is None or not self._is_fit(self._ask(self._sizes, self._size_pipe, blob)):
            return None
        header = self._ask(self._process, self._pipe, blob)
        if not self._is_fit(header):
            return None
        content = self._pipe.exactly(int(header[2]))
        self._pipe.skip(1)
        self._keep(blob, content)
        return content

    def has_commit(self, commit: str) -> bool:
        """Whether the commit (an id or its beginning) is here."""
        if _ABBREVIATED.fullmatch(commit) is None:
            return False
        return self._ask(self._sizes, self._size_pipe, f"{commit}^{{commit}}")[1:2] == [b"commit"]

    def _is_fit(self, header: list[bytes]) -> bool:
        """`<id> blob <size>`, and not too large; anything else says what is missing."""
        return len(header) == 3 and header[1] == b"blob" and int(header[2]) <= self._most  # noqa: PLR2004 - the three words

    def _ask(self, process: subprocess.Popen[bytes], pipe: GitPipe, name: str) -> list[bytes]:
        try:
            process.stdin.write(f"{name}\n".encode())  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
        except OSError as error:
            raise stopped(pipe.end()) from error
        return pipe.line().split()

    def _keep(self, blob: str, content: bytes) -> None:
        self._known[blob] = content
        self._known_bytes += len(content)
        while self._known_bytes > _KEPT_BYTES:
            _, gone = self._known.popitem(last=False)
            self._known_bytes -= len(gone)
