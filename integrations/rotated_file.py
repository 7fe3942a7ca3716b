"""A private file that several processes append whole lines to, put aside when it is full: no line is torn, none is lost.

Each line is one write in append mode. Only putting a full file aside takes a lock, and nobody waits for it: who does not get
it writes into whichever file is there.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from integrations.private import private_folder

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
_LINE_END = b"\n"


class RotatedFile:
    """Appends to `path`; beyond `limit_bytes` it becomes `stem.1.suffix`, that `stem.2.suffix`, up to `kept` of them."""

    def __init__(self, path: Path, *, limit_bytes: int, kept: int) -> None:
        self.path = path
        self._limit_bytes = limit_bytes
        self._kept = kept

    def append(self, line: str) -> None:
        """Append one line; its line end is added. Raises: OSError."""
        content = line.encode("utf-8", "backslashreplace") + _LINE_END
        private_folder(self.path.parent)
        if self._is_full(len(content)):
            self._put_aside(len(content))
        descriptor = os.open(self.path, _FLAGS, 0o600)
        try:
            content = _afresh(descriptor) + content
            if os.write(descriptor, content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(descriptor)

    def _is_full(self, coming: int) -> bool:
        """True when so many bytes more would be too many; an empty file takes a line of any length."""
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return False
        return size > 0 and size + coming > self._limit_bytes

    def _put_aside(self, coming: int) -> None:
        """Move the files on, unless another process does so now. Raises: OSError."""
        from filelock import FileLock, Timeout  # late: most processes never meet a full file

        lock = FileLock(self.path.with_name(f"{self.path.name}.lock"), mode=0o600)
        try:
            with lock.acquire(blocking=False):
                if self._is_full(coming):
                    self._move_on()
        except (Timeout, NotImplementedError, PermissionError):
            return  # another one moves them, or they can't be moved (Windows, while one is open): the full file takes the line

    def _move_on(self) -> None:
        for number in range(self._kept, 0, -1):
            source = self.path if number == 1 else self._aside(number - 1)
            if source.exists():
                source.replace(self._aside(number))

    def _aside(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.stem}.{number}{self.path.suffix}")


def _afresh(descriptor: int) -> bytes:
    """A line end when the last line has none: a full disk cut it, and it must not swallow the next one."""
    size = os.fstat(descriptor).st_size
    if not size:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return b"" if os.read(descriptor, 1) == _LINE_END else _LINE_END
