"""The memory as JSONL, one alternative a line: what `memory import` and `memory seed` read back into the same lines.

A line says how far its fix is trusted and how often it was used; whoever reads it believes that only of the user's own backup
(see `memory.exchange`), for a file has no authority to call its fixes proved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from memory.export_record import record_of
from memory.ledger import Ledger
from memory.records import COLUMNS, alternative_of

_QUERY = f"SELECT {COLUMNS} FROM alternatives a JOIN experiences e ON e.seq = a.experience ORDER BY a.seq"  # noqa: S608 - constants only


def export_jsonl(ledger: Ledger, *, with_tombstones: bool = False) -> Iterator[str]:
    """The lines in the order of storing, without line ends, pure ASCII. An empty home gives none.

    With tombstones what the user has forgotten comes first, as `{"tombstone": sha256, "created_at": time}`: a hash, no text.
    """
    with ledger.reading() as connection:
        if with_tombstones:
            for text_hash, created_at in connection.execute("SELECT text_hash, created_at FROM tombstones ORDER BY created_at, text_hash"):
                yield json.dumps({"tombstone": text_hash, "created_at": created_at})
        for row in connection.execute(_QUERY):
            yield json.dumps(record_of(connection, alternative_of(row)))
