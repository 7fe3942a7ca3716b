"""Synchronising a ledger with a shared memory: pull what colleagues have, push what is ours. Recall never comes here: it is local."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from memory.files import private_folder
from memory.ledger import Ledger
from memory.locking import write_lock
from memory.sharing_pull import pull
from memory.sharing_push import push
from memory.sharing_report import Progress, SyncReport
from memory.sharing_state import (
    READER,
    Standing,
    forget_seen,
    held_back,
    keep_standing,
    last_standing,
    renumber,
    revision_of,
    revisions_after,
    standing_with,
    waiting,
)
from memory.writes import stamp
from schema.sharing import SharedHead, SharedMemory

LOCK_NAME = "sharing.lock"
NEW_NAME = "this memory was copied or restored, so it has a new name in the shared memory"
EMPTIED = "the shared memory has lost what was sent to it: everything is sent again"


@dataclass(frozen=True)
class Queue:
    """What is known of the shared memory without asking it. `held` are fixes that are not sent, by reason."""

    waiting: int
    held: dict[str, int]
    synced_at: str


def sync(
    ledger: Ledger,
    store: SharedMemory,
    *,
    author: str = "",
    from_start: bool = False,
    report: SyncReport | None = None,
    progress: Progress = lambda report: None,
) -> SyncReport:
    """Pull, then push. `report` is filled as it goes; `from_start` reads and sends everything again, which changes nothing that is right.

    The caller holds `only_one`. Raises SharingFailedError when the server can't be reached, and what `Ledger` raises; what was counted
    until then is done, and doing it again does the rest.
    """
    done = report if report is not None else SyncReport()
    done.host = store.host
    standing = _standing(ledger, store, from_start=from_start, report=done)
    pull(ledger, store, standing, done, progress)
    standing = push(ledger, store, standing, author, done, progress)
    with ledger.writing() as connection:
        keep_standing(connection, replace(standing, synced_at=stamp(ledger.clock()), host=store.host))
        done.waiting = waiting(connection, standing.pushed)
    return done


def queue(ledger: Ledger, host: str) -> Queue:
    """How much waits for the server at `host`; asks nobody."""
    with ledger.reading() as connection:
        standing = last_standing(connection, host)
        pushed, synced_at = (0, "") if standing is None else (standing.pushed, standing.synced_at)
        return Queue(waiting(connection, pushed), held_back(connection), synced_at)


@contextmanager
def only_one(ledger: Ledger, timeout_s: float) -> Iterator[None]:
    """Only one process of a home synchronises at a time: revisions must become visible in their order. Raises MemoryLockedError."""
    private_folder(ledger.path.parent)
    with write_lock(ledger.path.with_name(LOCK_NAME), timeout_s, ledger.clock):
        yield


def _standing(ledger: Ledger, store: SharedMemory, *, from_start: bool, report: SyncReport) -> Standing:
    """Where we stand, after looking whether the server still has what we sent, and whether what it has under our name is ours."""
    collection = store.collection()
    with ledger.reading() as connection:
        known = standing_with(connection, collection)
    if known is None:
        standing = Standing(collection, uuid.uuid4().hex)
    else:
        standing = _checked(ledger, store.own(known.client, max(known.witness, 1)), known, report)
    from_start = from_start or (known is not None and standing.client != known.client)
    is_stale = from_start or standing.reader != READER
    standing = replace(standing, reader=READER, host=store.host)
    if from_start:
        standing = replace(standing, pushed=0, witness=0)
    if standing != known or is_stale:
        with ledger.writing() as connection:
            if is_stale:
                forget_seen(connection, collection)
            keep_standing(connection, standing)
    return standing


def _checked(ledger: Ledger, own: Sequence[SharedHead], standing: Standing, report: SyncReport) -> Standing:
    """Compare what the server has of us, from the last that we know of, with our own book.

    A document that we have not written is of another copy of this home, or from a time after the backup that this ledger was restored from:
    then we take a new name, as numbers that two have given would hide fixes. What the server has and we did not note, since a kill came
    between, must not be followed by lower numbers.
    """
    if standing.witness and not own:
        report.notes.append(EMPTIED)
        return replace(standing, pushed=0, witness=0)
    highest = max((head.seq for head in own), default=0)
    with ledger.reading() as connection:
        ours = {head.id: revision_of(connection, *_keys_of(head)) for head in own}
        late = [each.seq for each in revisions_after(connection, standing.pushed, highest) if each.seq <= highest]
    if any(ours[head.id] < head.seq for head in own):
        report.notes.append(NEW_NAME)
        return Standing(standing.collection, uuid.uuid4().hex)
    there = {head.seq for head in own if ours[head.id] == head.seq}
    if moved := [seq for seq in late if seq not in there]:
        with ledger.writing() as connection:
            renumber(connection, moved, highest)
    return standing


def _keys_of(head: SharedHead) -> tuple[str, str]:
    """Experience and fix, as `memory.sharing_documents.document_id` puts them together."""
    experience_id, fix_key, *_ = (*head.id.split("."), "")
    return experience_id, fix_key
