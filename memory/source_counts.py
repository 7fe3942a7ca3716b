"""Where the stored fixes came from, counted: a repository, a seed file or notes, an export that was taken, this machine itself."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter

from memory.ledger import Ledger

MADE_HERE = "made here"
UNNAMED = "without a source"
_TOLD = 12
_OTHERS = "others"
_STEM = re.compile(r"[#:@]|/[^/]*\Z")
"""Where the name of a source ends: `notes#7`, `shop@1a2b..:src/a.py`, `notes/7`."""


def count_sources(ledger: Ledger) -> dict[str, int]:
    """How many fixes came from each source, the largest first; those behind the first dozen together. `memory purge` takes the names."""
    with ledger.reading() as connection:
        counted = _counted(connection)
    told = dict(counted.most_common(_TOLD))
    rest = counted.total() - sum(told.values())
    return {**told, **({_OTHERS: rest} if rest else {})}


def _counted(connection: sqlite3.Connection) -> Counter[str]:
    counted: Counter[str] = Counter()
    for kind, ref, count in connection.execute("SELECT kind, ref, count(*) FROM alternatives GROUP BY kind, ref ORDER BY min(seq)"):
        counted[MADE_HERE if kind == "session" else _STEM.split(ref, maxsplit=1)[0] or ref or UNNAMED] += count
    return counted
