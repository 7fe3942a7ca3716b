"""Whether one source holds most of the memory: then what is wrong with it is wrong with most answers."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator

from memory.audit_concern import Concern

MOST = 0.5
"""A larger share of all fixes is most of them."""
FEWEST = 20
"""In a smaller memory nearly every source holds a large share."""
_OWN = "jsonl starter"
"""The starter pack is part of the program."""
_HASH_DIGITS = 12
_STEM = re.compile(r"[#:@]|/[^/]*\Z")
"""Where the name of a source ends in a ref: `notes#7`, `shop@1a2b..:src/a.py`, `notes/7`."""


def of_sources(connection: sqlite3.Connection) -> Iterator[Concern]:
    """At most one row."""
    (total,) = connection.execute("SELECT count(*) FROM alternatives").fetchone()
    if total < FEWEST:
        return
    counted: Counter[tuple[str, str]] = Counter()
    for kind, ref, file_hash, count in connection.execute(
        "SELECT kind, ref, file_hash, count(*) FROM alternatives WHERE kind != 'session' GROUP BY kind, ref, file_hash"
    ):
        counted[source_of(kind, ref, file_hash)] += count
    for (name, argument), count in counted.most_common(1):
        if count > MOST * total and name != _OWN:
            why = f"{count} of {total} fixes come from it: what is wrong with it is wrong with most answers"
            yield Concern("one source", "", None, name, why, f"codemind memory purge --source '{argument}' --dry-run")


def source_of(kind: str, ref: str, file_hash: str) -> tuple[str, str]:
    """The source of a fix in words, and what `memory purge --source` takes for it: a repository, a file, or the stem of a ref."""
    if kind == "git":
        name = ref.partition("@")[0]
        return f"git {name}", name
    if file_hash:
        return f"{kind} file {file_hash[:_HASH_DIGITS]}", file_hash[:_HASH_DIGITS]
    stem = _STEM.split(ref, maxsplit=1)[0] or ref
    return f"{kind} {stem}", stem
