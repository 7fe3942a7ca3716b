"""Taking over what colleagues have shared since the last time: each of their fixes as an alternative of ours, plausible at most.

What was read of a client is kept by its revision, and a client's revisions become visible in their order. So nothing is missed, however
many write at once, whatever their clocks say, and whenever this process or the server is killed: what is applied twice changes nothing.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from memory.events import note_fix, note_saved
from memory.ledger import Ledger
from memory.line_fields import BadSeedError
from memory.records import Prepared
from memory.sharing_documents import is_pulled, read_document
from memory.sharing_report import Progress, SyncReport
from memory.sharing_state import Standing, drop_offer, note_offer, note_seen, seen_of
from memory.verdicts import write_verdict
from memory.writes import remove_alternative, stamp, store
from schema.experience import Saved
from schema.sharing import SharedDocument, SharedHead, SharedMemory

BATCH = 50
"""Documents of one request and one transaction."""
WITHDRAWN = "shared memory"
"""The origin of what was dropped here because it was withdrawn there."""
_STORED = (
    "SELECT a.seq, a.kind, a.file_hash, a.pinned, a.accepted, a.trust FROM alternatives a "
    "JOIN experiences e ON e.seq = a.experience WHERE e.id = ? AND a.fix_key = ?"
)


@dataclass
class _Batch:
    """Documents that were read, in the order of their heads: what they offer, what they withdraw, what can't be used."""

    heads: Sequence[SharedHead]
    offers: list[tuple[str, Prepared, str]] = field(default_factory=list)
    """Document id, what is stored of it, when it was made."""
    gone: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


def pull(ledger: Ledger, source: SharedMemory, standing: Standing, report: SyncReport, progress: Progress) -> None:
    """Apply every document that is newer than what was seen. Raises SharingFailedError; what was applied before it stays."""
    with ledger.reading() as connection:
        seen = seen_of(connection, standing.collection)
    heads = iter(sorted(source.newer(seen, standing.client), key=lambda head: (head.client, head.seq)))
    while some := list(islice(heads, BATCH)):
        batch = _read(some, source.fetch([head.id for head in some]), ledger.clock(), standing.collection)
        with ledger.writing() as connection:
            _apply(connection, batch, standing.collection, ledger.clock(), report)
        progress(report)


def _read(heads: Sequence[SharedHead], documents: Sequence[SharedDocument], now: datetime, collection: str) -> _Batch:
    """Everything that takes time, before the ledger is locked."""
    batch = _Batch(heads)
    by_id = {document.head.id: document for document in documents}
    for head in heads:
        document = by_id.get(head.id)
        if document is None:
            continue
        if document.is_gone:
            batch.gone.append(head.id)
            continue
        try:
            batch.offers.append((head.id, *read_document(document, now, collection)))
        except BadSeedError as error:
            batch.refused[str(error)] += 1
    return batch


def _apply(connection: sqlite3.Connection, batch: _Batch, collection: str, now: datetime, report: SyncReport) -> None:
    """One transaction: what is stored, what is dropped, and how far we are."""
    prepared = [each for _, each, _ in batch.offers]
    saved = [store(connection, each, now, created_at) for _, each, created_at in batch.offers]
    note_saved(connection, prepared, saved, now, "pulled")
    for (document, each, _), done in zip(batch.offers, saved, strict=True):
        _count(report, done, each)
        if done.status != "skipped":
            note_offer(connection, collection, document, (each.id, each.fix_key))
    for document in batch.gone:
        keys = drop_offer(connection, collection, document)
        if keys is not None:
            _drop(connection, keys, now, report)
    note_seen(connection, collection, ((head.client, head.seq) for head in batch.heads))
    report.refused.update(batch.refused)


def _count(report: SyncReport, done: Saved, prepared: Prepared) -> None:
    if done.status in ("added", "updated"):
        report.pulled += 1
        report.quarantined += prepared.experience.trust == "quarantined"
    elif done.status == "duplicate":
        report.known += 1
    else:
        report.declined += 1


def _drop(connection: sqlite3.Connection, keys: tuple[str, str], now: datetime, report: SyncReport) -> None:
    """Take out a colleague's fix that nobody offers any more, unless the user has made it theirs. A rejection outlives it."""
    for seq, kind, file_hash, pinned, accepted, trust in connection.execute(_STORED, keys).fetchall():
        if not is_pulled(kind, file_hash) or pinned or accepted or trust == "proved":
            report.kept += 1
            continue
        if trust == "rejected":
            write_verdict(connection, "/".join(keys), "rejected", stamp(now), keys[0])
        note_fix(connection, "purged", seq, WITHDRAWN, "withdrawn by whoever shared it", at=now)
        remove_alternative(connection, seq)
        report.removed += 1
