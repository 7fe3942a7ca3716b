"""Sending what changed here to the shared memory, in the order of its revisions, each batch acknowledged before the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.ledger import Ledger
from memory.sharing_documents import NOT_OURS, Outgoing, outgoing
from memory.sharing_report import Progress, SyncReport
from memory.sharing_state import Standing, keep_standing, note_held, revisions_after
from schema.sharing import SharedMemory

BATCH = 50
"""Fixes of one request."""
BATCH_CHARACTERS = 1_000_000


def push(ledger: Ledger, store: SharedMemory, standing: Standing, author: str, report: SyncReport, progress: Progress) -> Standing:
    """Send every revision above `standing.pushed`; where it stands then. Raises SharingFailedError; batches before it stay sent."""
    while batch := _next(ledger, standing, author):
        documents = [each.document for each in batch if not each.document.is_gone]
        gone = [each.document for each in batch if each.document.is_gone]
        offered = {found.head.id for found in store.fetch([each.head.id for each in gone]) if not found.is_gone} if gone else set()
        withdrawn = [each for each in gone if each.head.id in offered]
        written = sorted((*documents, *withdrawn), key=lambda each: each.head.seq)
        if written:
            store.write(written)
        standing = _noted(ledger, standing, batch, written[-1].head.seq if written else standing.witness)
        report.pushed += len(documents)
        report.withdrawn += len(withdrawn)
        report.held.update(each.why for each in batch if each.why and each.why != NOT_OURS)
        progress(report)
    return standing


def _next(ledger: Ledger, standing: Standing, author: str) -> list[Outgoing]:
    """The next batch, within a number of fixes and of characters; at least one while there is any."""
    batch: list[Outgoing] = []
    characters = 0
    with ledger.reading() as connection:
        for revision in revisions_after(connection, standing.pushed, BATCH):
            made = outgoing(connection, revision, standing.client, author)
            characters += len(made.document.text)
            if batch and characters > BATCH_CHARACTERS:
                break
            batch.append(made)
    return batch


def _noted(ledger: Ledger, standing: Standing, batch: Sequence[Outgoing], witness: int) -> Standing:
    """The server has acknowledged the batch."""
    standing = replace(standing, pushed=batch[-1].seq, witness=witness)
    with ledger.writing() as connection:
        keep_standing(connection, standing)
        note_held(connection, [(each.seq, "" if each.why == NOT_OURS else each.why) for each in batch])
    return standing
