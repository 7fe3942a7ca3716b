"""Is a vector index sound? Run in a process of its own, which a damaged one may kill or hang.

Answers with exit status 0, or 1 and a sentence on stdout. Only what Chroma itself gives back is looked at: it is compared with the ledger
each time the index is brought up to date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from chromadb.api.models.Collection import Collection

from memory import chroma_store
from memory.vectors import VECTOR_BYTES

SAMPLED = 50
"""Stored vectors of each collection that must find themselves."""
NEIGHBOURS = 10
SAME = 1e-4
"""Distances below this are none: of several equal vectors any may come back."""
_PAGE = 1000


def main(arguments: Sequence[str]) -> int:
    """`FOLDER {"embedder": ..., "rows": {"python": 12, ...}}`: collections and how many rows each had at its last clean close."""
    folder, expected = Path(arguments[0]), json.loads(arguments[1])
    with chroma_store.opened(folder) as client:
        for language, rows in expected["rows"].items():
            name = chroma_store.collection_name(expected["embedder"], language)
            problem = _problem(client.get_collection(name, embedding_function=None), rows)
            if problem:
                sys.stdout.write(f"{name}: {problem}\n")
                return 1
    return 0


def _problem(collection: Collection, rows: int) -> str:
    """What is wrong with a collection; empty when nothing is."""
    if collection.count() < rows:
        return f"{collection.count()} of {rows} rows"
    seen = 0
    for start in range(0, rows, _PAGE):
        page = collection.get(include=["embeddings"], limit=_PAGE, offset=start)
        vectors = page["embeddings"]
        if vectors is None or any(4 * len(vector) != VECTOR_BYTES for vector in vectors):
            return "vectors are missing"
        step = max(1, rows // SAMPLED)
        for key, vector in islice(zip(page["ids"], vectors, strict=True), 0, None, step):
            found = collection.query(query_embeddings=[vector], n_results=NEIGHBOURS, include=["distances"])
            nearest = found["distances"][0][0] if found["distances"] and found["distances"][0] else 2.0
            if key not in found["ids"][0] and nearest > SAME:
                return "stored vectors are not found"
            seen += 1
    return "" if seen or not rows else "nothing could be read"
