"""One lock a live session, so that only the task of a dead one is offered again. The system frees it when a process dies."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from errors import StorageFailedError
from integrations.private import private_folder


class SessionLocks:
    """Locks `<folder>/<session>.lock`. Use one object from one thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, FileLock] = {}

    def acquire(self, session_id: str) -> bool:
        """Take the lock; False when a live process (this object included) has it. Raises: StorageFailedError."""
        if session_id in self._held:
            return False
        lock = FileLock(self._path(session_id), mode=0o600)
        try:
            private_folder(self._folder)
            lock.acquire(blocking=False)
        except Timeout:
            return False
        except OSError as error:
            raise StorageFailedError("The lock of the session could not be made; is CODEMIND_HOME writable?") from error
        self._held[session_id] = lock
        return True

    def release(self, session_id: str) -> None:
        """Give the lock back and remove its file; nothing happens when it is not held."""
        lock = self._held.pop(session_id, None)
        if lock is None:
            return
        with suppress(OSError):
            self._path(session_id).unlink(missing_ok=True)
        lock.release()

    def _path(self, session_id: str) -> Path:
        """The lock file."""
        return self._folder / f"{session_id}.lock"
