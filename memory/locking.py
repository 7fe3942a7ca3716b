"""One writer at a time: a lock file beside the ledger, and the name of whoever holds it.

A second writer waits, and past its limit is told who it waited for. The lock is the operating system's (`filelock`): a
killed holder frees it. The holder's name is written beside the lock file, because waiting processes truncate the lock
file itself when they open it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from errors import MemoryLockedError
from memory.storage_errors import storage_failure

_POLL_S = 0.02
_COMMAND_CHARACTERS = 120


@dataclass(frozen=True)
class Holder:
    """Who holds a lock; `since` is empty when it isn't known."""

    pid: int
    command: str
    since: str = ""

    def sentence(self) -> str:
        """For a message: `process 12 (memory seed), since 2026-11-30 09:00:00 UTC`."""
        return f"process {self.pid} ({self.command})" + (f", since {self.since}" if self.since else "")


@contextmanager
def write_lock(path: Path, timeout_s: float, clock: Callable[[], datetime]) -> Iterator[None]:
    """Hold the lock at `path`; its folder must exist.

    Raises MemoryLockedError, naming the holder, after `timeout_s`; StorageFailedError when no lock file can be made.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(str(path), timeout=timeout_s, mode=0o600, poll_interval=_POLL_S)
    try:
        lock.acquire()
    except Timeout:
        raise locked_error(read_holder(path), timeout_s) from None
    except OSError as error:
        raise storage_failure(error, path) or error from error
    try:
        _write_holder(path, clock())
        yield
    finally:
        with suppress(OSError):
            _holder_path(path).unlink()
        lock.release()


def locked_error(holder: Holder | None, timeout_s: float) -> MemoryLockedError:
    """The user's sentence about a lock that was not freed in time."""
    who = "another program" if holder is None else holder.sentence()
    return MemoryLockedError(
        f"The memory is locked by {who}; nothing was saved after waiting {timeout_s:g} s. Wait for it or end it, then run this again."
    )


def read_holder(path: Path) -> Holder | None:
    """Who holds the lock at `path`, None when it isn't known or the note is of a process that is gone."""
    try:
        note = json.loads(_holder_path(path).read_text(encoding="utf-8"))
        holder = Holder(int(note["pid"]), str(note["command"]), str(note["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return holder if _is_alive(holder.pid) else None


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _holder_path(path: Path) -> Path:
    return path.with_name(path.name + ".holder")


def _write_holder(path: Path, now: datetime) -> None:
    """Best effort: a full disk must fail in the write itself, with its own message."""
    holder = Holder(os.getpid(), command_of(sys.argv), now.strftime("%Y-%m-%d %H:%M:%S UTC"))
    with suppress(OSError):
        descriptor = os.open(_holder_path(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(holder), file)


def command_of(arguments: list[str]) -> str:
    """A command line for a message: the program's name without its folder, one line, cut to a readable length."""
    words = [Path(arguments[0]).name, *arguments[1:]] if arguments and arguments[0] else ["python"]
    line = " ".join(" ".join(words).split())
    printable = "".join(character if character.isprintable() else "?" for character in line)
    return printable if len(printable) <= _COMMAND_CHARACTERS else printable[:_COMMAND_CHARACTERS] + "..."


def find_user_of(path: Path, proc: Path = Path("/proc")) -> Holder | None:
    """A process that has `path` or its `-wal` or `-shm` open, through /proc (Linux); None elsewhere or when hidden."""
    real = path.resolve()
    wanted = {str(real), f"{real}-wal", f"{real}-shm"}
    own: Holder | None = None
    for folder in _process_folders(proc):
        if not _has_open(folder, wanted):
            continue
        found = Holder(int(folder.name), _command_line(folder), _started(folder))
        if found.pid != os.getpid():
            return found
        own = found
    return own


def _process_folders(proc: Path) -> list[Path]:
    try:
        return [folder for folder in proc.iterdir() if folder.name.isdigit()]
    except OSError:
        return []


def _has_open(folder: Path, wanted: set[str]) -> bool:
    try:
        links = list((folder / "fd").iterdir())
    except OSError:
        return False
    for link in links:
        with suppress(OSError):
            if str(link.readlink()) in wanted:
                return True
    return False


def _command_line(folder: Path) -> str:
    try:
        raw = (folder / "cmdline").read_bytes()
    except OSError:
        return "unknown command"
    return command_of(raw.decode("utf-8", "replace").rstrip("\x00").split("\x00"))


def _started(folder: Path) -> str:
    """When the process started; the folder's own time is that moment, to a second."""
    with suppress(OSError):
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(folder.stat().st_mtime))
    return ""
