"""The ledger: one SQLite file that holds every experience, safe among several processes and threads.

Each read or write opens its own connection. Readers never wait for a writer (WAL); writers take turns by a lock file and
one transaction. A kill at any moment leaves the state before or after a write; a damaged file is moved aside and said so.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from errors import CodeMindError, MemoryLockedError
from memory import connections
from memory.damage import Identity, quarantine, refuse_damaged, unmoved_error
from memory.files import private_folder
from memory.migrations import migrate, refuse_newer, schema_version
from memory.records import Prepared
from memory.schema_sql import MIGRATIONS, Migration
from memory.storage_errors import NotALedgerError, is_busy, is_damage, storage_failure
from memory.writes import next_generation, store
from schema.experience import Saved

LEDGER_NAME = "ledger.sqlite3"
LOCK_TIMEOUT_S = 10.0

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


class Ledger:
    """The file at `path`. Making the object touches nothing; reading never creates the file, the first write does.

    Every method raises MemoryDamagedError, MemoryMismatchError, MemoryLockedError or StorageFailedError, each saying
    what to do.
    """

    def __init__(
        self, path: Path, lock_timeout_s: float = LOCK_TIMEOUT_S, clock: Clock = utc_now, migrations: Sequence[Migration] = MIGRATIONS
    ) -> None:
        self.path = path
        self.lock_timeout_s = lock_timeout_s
        self.clock = clock
        self._migrations = migrations

    @property
    def lock_path(self) -> Path:
        """The lock file that writers take turns by."""
        return self.path.with_name("ledger.lock")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the ledger; a home without a ledger reads as an empty one."""
        refuse_damaged(self.path)
        seen = self._identity()
        if seen is None:
            with connections.empty_ledger() as connection:
                yield connection
            return
        with self._translated(seen, holds_lock=False):
            self._refuse_foreign(seen)
            with connections.reader(self.path, self.lock_timeout_s) as connection:
                version = self._checked_version(connection)
                if version == len(self._migrations):
                    connection.execute("BEGIN")
                    yield connection
                    return
        with self.writing():
            pass  # brings an older ledger to the present schema
        with self.reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in a write transaction that commits at the end, or changes nothing when an error passes through."""
        started = time.monotonic()
        with self._locked(), self._ready_to_write() as connection:
            left = max(0.0, self.lock_timeout_s - (time.monotonic() - started))
            connection.execute(f"PRAGMA busy_timeout = {int(left * 1000)}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                next_generation(connection)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def store(self, prepared: Sequence[Prepared], created_at: Sequence[str] = ()) -> list[Saved]:
        """Write experiences in one transaction, in order; see `memory.writes.store` for what each answer means."""
        times = list(created_at) or [""] * len(prepared)
        with self.writing() as connection:
            now = self.clock()
            return [store(connection, each, now, when) for each, when in zip(prepared, times, strict=True)]

    def generation(self) -> int:
        """Counts the writes; a derived index compares it to know that it is stale."""
        with self.reading() as connection:
            return int(connection.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()[0])

    def compact(self) -> None:
        """Give space back and leave no deleted text in the file or its write-ahead log."""
        with self._locked(), self._ready_to_write() as connection:
            connection.execute(f"PRAGMA busy_timeout = {int(self.lock_timeout_s * 1000)}")
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the writers' lock without opening the file: for moving or replacing it."""
        with self._locked():
            yield

    def create(self) -> None:
        """Make a new, empty ledger; the caller is inside `exclusive`. Raises StorageFailedError."""
        with self._translated(None, holds_lock=True):
            connections.create_file(self.path, self._migrations)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            private_folder(self.path.parent)
        except OSError as error:
            raise storage_failure(error, self.path.parent) or error from error
        from memory.locking import write_lock  # late, here and below: reading waits for no lock

        with write_lock(self.lock_path, self.lock_timeout_s, self.clock):
            yield

    @contextmanager
    def _ready_to_write(self) -> Iterator[sqlite3.Connection]:
        """A writing connection to a ledger that exists, is ours and has the present schema; the lock is held."""
        refuse_damaged(self.path)
        if self._identity() is None:
            self.create()
        seen = self._identity()
        with self._translated(seen, holds_lock=True):
            self._refuse_foreign(seen)
            with connections.writer(self.path, self.lock_timeout_s) as connection:
                if self._checked_version(connection) < len(self._migrations):
                    migrate(connection, self.path, self.clock(), self._migrations)
                yield connection

    def _checked_version(self, connection: sqlite3.Connection) -> int:
        if not connections.is_ours(connection):
            raise NotALedgerError
        version = schema_version(connection)
        refuse_newer(version, len(self._migrations), self.path)
        return version

    def _identity(self) -> Identity | None:
        """Which file is there, None when there is none."""
        try:
            return Identity.of(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_failure(error, self.path) or error from error

    def _refuse_foreign(self, seen: Identity | None) -> None:
        """A folder where the file should be is a storage fault; an empty file is damage, as SQLite would start it anew."""
        if self.path.is_dir():
            raise IsADirectoryError(21, "a folder stands where the ledger should be")
        if self.path.stat().st_size == 0:
            raise NotALedgerError

    @contextmanager
    def _translated(self, seen: Identity | None, *, holds_lock: bool) -> Iterator[None]:
        """Turn what SQLite and the file system say into our errors; damage moves the file aside."""
        try:
            yield
        except sqlite3.Error as error:
            if is_damage(error):
                raise self._quarantine(seen, holds_lock=holds_lock) from error
            if is_busy(error):
                from memory.locking import find_user_of, locked_error

                raise locked_error(find_user_of(self.path), self.lock_timeout_s) from error
            failure = storage_failure(error, self.path)
            if failure is None:
                raise
            raise failure from error
        except OSError as error:
            raise storage_failure(error, self.path) or error from error

    def _quarantine(self, seen: Identity | None, *, holds_lock: bool) -> CodeMindError:
        if holds_lock:
            return quarantine(self.path, seen, self.clock)
        if not os.access(self.path.parent, os.W_OK):
            return unmoved_error(self.path, PermissionError(13, "the folder is read-only"))
        from memory.locking import write_lock

        try:
            with write_lock(self.lock_path, self.lock_timeout_s, self.clock):
                return quarantine(self.path, seen, self.clock)
        except MemoryLockedError as error:
            return error
        except CodeMindError:
            return unmoved_error(self.path, PermissionError(13, "the folder is read-only"))
