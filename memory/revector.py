"""What is derived from stored texts, for what an older program has stored: vectors and token streams.

Vectors are made once, when the near tier first needs them. Streams only save time: `memory seed` and `memory rebuild` make them.
"""

from __future__ import annotations

from contextlib import suppress

from errors import MemoryLockedError, StorageFailedError
from memory.ledger import Ledger
from memory.records import Vector, to_lf
from memory.streams import pair_streams, put_streams, unread
from memory.vector_rows import BuggyText, is_complete, mark_complete, missing, write_vectors
from memory.vectors import embed, fingerprint

SLICE_ROWS = 500
"""Rows of one transaction: other writers get their turn in between."""


def complete_vectors(ledger: Ledger) -> None:
    """Give every stored buggy text a vector of today's embedder. Nothing when none is missing, which one read tells.

    Raises what `Ledger.writing` raises; the slices before stay written.
    """
    with ledger.reading() as connection:
        if is_complete(connection, fingerprint()):
            return
    while True:
        with ledger.reading() as connection:
            texts = missing(connection, fingerprint(), SLICE_ROWS)
        made = [(text, _vector(text)) for text in texts]
        with ledger.writing() as connection:
            for text, vector in made:
                write_vectors(connection, [vector], fingerprint(), text.language)
            if not missing(connection, fingerprint(), 1):
                mark_complete(connection, fingerprint())
                return


def complete_streams(ledger: Ledger) -> None:
    """Read the stored pairs whose token streams are missing or were read by other rules than today's. Raises as `complete_vectors`."""
    while True:
        with ledger.reading() as connection:
            pairs = unread(connection, SLICE_ROWS)
        if not pairs:
            return
        made = [(seq, pair_streams(part, to_lf(code), to_lf(fixed), language)) for seq, part, language, code, fixed in pairs]
        with ledger.writing() as connection:
            for alternative, streams in made:
                put_streams(connection, alternative, streams)


def complete_or_lend(ledger: Ledger, language: str) -> list[Vector]:
    """Complete the ledger's vectors; where it can't be written (read-only, locked), lend the missing ones of a language instead."""
    with suppress(MemoryLockedError, StorageFailedError):
        complete_vectors(ledger)
        return []
    with ledger.reading() as connection:
        texts = [text for text in missing(connection, fingerprint()) if text.language == language]
    return [_vector(text) for text in texts]


def _vector(text: BuggyText) -> Vector:
    return Vector(text.hash, embed(to_lf(text.code), text.language))
