"""The ledger: one SQLite file that holds every experience, safe among several processes and threads.

Each read or write opens its own connection. Readers never wait for a writer (WAL); writers take turns by a lock file and
one transaction. A kill at any moment leaves the state before or after a write. A damaged file is moved aside and a new ledger is made of
what is readable and of the backup (`memory.healing`): what is found at the opening is mended there; what a query finds later ends it with
MemoryHealedError, and the same call again is answered.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from errors import CodeMindError, MemoryHealedError, MemoryLockedError, StorageFailedError
from memory import connections
from memory.damage import (
    REPLACED,
    Identity,
    again_when_healed,
    damaged_error,
    give_up,
    is_hopeless,
    quarantine,
    quarantined_file,
    unmoved_error,
)
from memory.events import note_saved
from memory.files import private_folder
from memory.migrations import migrate, refuse_newer, schema_version
from memory.records import Prepared
from memory.schema_sql import MIGRATIONS, Migration
from memory.storage_errors import NotALedgerError, is_busy, is_damage, storage_failure
from memory.tally import read_tally, tally_of, write_tally
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

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection that sees one state of the ledger; a home without a ledger reads as an empty one."""
        return _opened(self._reading)

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection in a write transaction that commits at the end, or changes nothing when an error passes through."""
        return _opened(self._writing)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        self._mend_marked()
        seen = self._identity()
        if seen is None:
            with connections.empty_ledger() as connection:
                yield connection
            return
        with self._translated(seen, holds_lock=False):
            self._refuse_foreign()
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
    def _writing(self) -> Iterator[sqlite3.Connection]:
        started = time.monotonic()
        with self._locked(), self._ready_to_write() as connection:
            left = max(0.0, self.lock_timeout_s - (time.monotonic() - started))
            connection.execute(f"PRAGMA busy_timeout = {int(left * 1000)}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                next_generation(connection)
                tally = tally_of(connection)
                connection.execute("COMMIT")
                write_tally(self.path, tally)
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    @again_when_healed
    def store(self, prepared: Sequence[Prepared], created_at: Sequence[str] = ()) -> list[Saved]:
        """Write experiences in one transaction, in order; see `memory.writes.store` for what each answer means."""
        times = list(created_at) or [""] * len(prepared)
        with self.writing() as connection:
            now = self.clock()
            saved = []
            for each, when in zip(prepared, times, strict=True):
                saved.append(store(connection, each, now, when))
                note_saved(connection, [each], saved[-1:], now)
            return saved

    @again_when_healed
    def generation(self) -> int:
        """Counts the writes; a derived index compares it to know that it is stale."""
        with self.reading() as connection:
            return int(connection.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()[0])

    @again_when_healed
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

    def is_lost(self) -> bool:
        """True when there is no ledger where there was one: then nothing is started anew without a word."""
        return not self.path.exists() and self._was_there()

    def take_note(self) -> str:
        """What the user is to be told of a ledger that mended itself, each sentence once; else empty. Cheap."""
        if not self.path.with_name(f"{self.path.stem}.healed.json").exists():
            return ""
        from memory.healing import take_note  # late, here and below: a sound ledger needs none of it

        return take_note(self.path)

    def mend(self) -> None:
        """Move a ledger that was found broken aside and make it anew. Raises MemoryDamagedError, StorageFailedError, MemoryLockedError."""
        mended = self._mended(self._identity(), holds_lock=False)
        if not isinstance(mended, MemoryHealedError):
            raise mended

    @contextmanager
    def _ready_to_write(self) -> Iterator[sqlite3.Connection]:
        """A writing connection to a ledger that exists, is ours and has the present schema; the lock is held."""
        self._mend_marked(holds_lock=True)
        if self._identity() is None:
            self.create()
        seen = self._identity()
        with self._translated(seen, holds_lock=True):
            self._refuse_foreign()
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

    def _refuse_foreign(self) -> None:
        """A folder where the file should be is a storage fault, unless a ledger was there; an empty file is damage, as SQLite would start
        it anew."""
        if self.path.is_dir():
            if self._was_there():
                raise NotALedgerError
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
                raise self._mended(seen, holds_lock=holds_lock) from error
            if is_busy(error):
                from memory.locking import find_user_of, locked_error

                raise locked_error(find_user_of(self.path), self.lock_timeout_s) from error
            failure = storage_failure(error, self.path)
            if failure is None:
                raise
            raise failure from error
        except OSError as error:
            raise storage_failure(error, self.path) or error from error

    def _was_there(self) -> bool:
        """What stands beside it tells whether there was a ledger with something in it."""
        from memory.backup import read_mark

        return read_tally(self.path).last > 0 or read_mark(self.path) is not None

    def _mend_marked(self, *, holds_lock: bool = False) -> None:
        """Mend what is known to be damaged, or is gone, before it is opened. Raises MemoryDamagedError when that can't be done."""
        place = quarantined_file(self.path)
        if place is not None and is_hopeless(self.path):
            raise damaged_error(place)
        if place is None and not self.is_lost():
            return
        mended = self._mended(None, holds_lock=holds_lock)
        if not isinstance(mended, MemoryHealedError):
            raise mended

    def _mended(self, seen: Identity | None, *, holds_lock: bool) -> CodeMindError:
        """Move the damaged file that was `seen` aside and make a new ledger: MemoryHealedError, or why that was not possible."""
        if holds_lock:
            return self._mended_alone(seen)
        if not os.access(self.path.parent, os.W_OK):
            place = quarantined_file(self.path)
            return unmoved_error(self.path, PermissionError(13, "the folder is read-only")) if place is None else damaged_error(place)
        from memory.locking import write_lock

        try:
            with write_lock(self.lock_path, self.lock_timeout_s, self.clock):
                return self._mended_alone(seen)
        except MemoryLockedError as error:
            return error
        except StorageFailedError:
            return unmoved_error(self.path, PermissionError(13, "the folder is read-only"))

    def _mended_alone(self, seen: Identity | None) -> CodeMindError:
        """The lock is held. Another process may have done it already."""
        from memory.healing import heal

        if seen is not None:
            found = quarantine(self.path, seen, self.clock)
            if isinstance(found, MemoryHealedError) or quarantined_file(self.path) is None:
                return found
        place = quarantined_file(self.path)
        if place is None and not self.is_lost():
            return MemoryHealedError(REPLACED)
        try:
            healed = heal(self)
        except CodeMindError as error:
            return error
        return MemoryHealedError(f"{healed.sentence()} Run the same command again.") if healed else give_up(self.path, place, self.clock())


@contextmanager
def _opened(way: Callable[[], AbstractContextManager[sqlite3.Connection]]) -> Iterator[sqlite3.Connection]:
    """Open; when that met damage which is mended, open what was made. What the block itself meets passes through."""
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(way())
        except MemoryHealedError:
            connection = stack.enter_context(way())
        yield connection
