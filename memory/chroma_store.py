"""All that is done with Chroma. Importing this module takes a second and a half: only `memory.index` does, inside its functions.

No source text enters Chroma: what langchain-chroma calls texts are keys, and their vectors come from the ledger. One collection for
each embedder and language, so that no query needs a filter (one that most rows pass costs half a second at 100,000). Clients are opened
and closed inside the index's lock: Chroma is not process-safe, and says nothing when it loses vectors.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import chromadb
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings

from memory.vector_rows import Neighbour
from memory.vectors import DIMENSIONS, NAME, VERSION

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_M_PERTURB = -6
"""The option's number in glibc's malloc.h; other C libraries have no `mallopt`, or ignore it."""
BATCH_ROWS = 1000
"""Rows of one upsert; Chroma refuses more than 5,461."""
NEVER_FLUSH = 1_000_000
"""A sync threshold that is never reached: everything stays in Chroma's SQLite file, which a kill can't break."""
FLUSH_ROWS = 1000
EF_SEARCH = 400
"""With the default of 100, one stored vector in a hundred is not its own neighbour."""

MAX_NEIGHBORS = 32
"""With the default of 16, one in a thousand among texts that are all equally far apart is in nobody's list, and never found."""

VectorsOf = Callable[[Sequence[str]], list[bytes]]
"""The ledger's vectors of some keys, in their order."""


class LedgerVectors(Embeddings):
    """What langchain calls an embedding model: it looks the keys up."""

    def __init__(self, vectors_of: VectorsOf) -> None:
        self._vectors_of = vectors_of

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of keys."""
        return [floats(vector) for vector in self._vectors_of(texts)]

    def embed_query(self, text: str) -> list[float]:
        """The vector of one key."""
        return self.embed_documents([text])[0]


def floats(vector: bytes) -> list[float]:
    """The numbers of a little-endian float32 vector."""
    return list(struct.unpack(f"<{DIMENSIONS}f", vector))


@contextmanager
def opened(folder: Path) -> Iterator[ClientAPI]:
    """A client that is closed at the end; always with the same settings, as Chroma refuses a second set for one path."""
    with _memory_overwritten():
        client = chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False))
        try:
            yield client
        finally:
            client.close()  # type: ignore[attr-defined]  # the class that PersistentClient returns has it


@contextmanager
def _memory_overwritten() -> Iterator[None]:
    """Have the C library overwrite memory that it hands out, while the block runs, where it can (glibc).

    hnswlib writes its whole buffer to disk, the unused end too, as it came from the heap: with whatever this process had there, a
    pasted text or a key that was just forgotten.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if set_option is not None:
        set_option(_M_PERTURB, 1)
    try:
        yield
    finally:
        if set_option is not None:
            set_option(_M_PERTURB, 0)


def collection_name(embedder: str, language: str) -> str:
    """Chroma takes letters, digits, dots, dashes and underscores; another name gets a checksum behind what is left of it."""
    plain = re.sub(r"[^a-zA-Z0-9]", "-", language)
    mark = "" if plain == language else f"-{zlib.crc32(language.encode('utf-8', 'replace')):08x}"
    return f"historical_bug_fixes-{embedder[:8]}-{plain}{mark}"


def collection(client: ClientAPI, embedder: str, language: str, vectors_of: VectorsOf, *, flushes: bool) -> Chroma:
    """The collection of a language, made when it is missing. Raises ValueError when it does not measure cosine distance."""
    threshold = FLUSH_ROWS if flushes else NEVER_FLUSH
    store = Chroma(
        client=client,
        collection_name=collection_name(embedder, language),
        embedding_function=LedgerVectors(vectors_of),
        collection_metadata={"embedder": embedder, "language": language, "made_by": f"{NAME}/{VERSION} {DIMENSIONS}"},
        collection_configuration={
            "hnsw": {
                "space": "cosine",
                "sync_threshold": threshold,
                "batch_size": 100,
                "ef_search": EF_SEARCH,
                "max_neighbors": MAX_NEIGHBORS,
            }
        },
    )
    configured = client.get_collection(store._collection_name, embedding_function=None).configuration_json
    if configured.get("hnsw", {}).get("space") != "cosine":
        raise ValueError("the collection does not measure cosine distance")
    return store


def upsert(store: Chroma, keys: Iterable[str]) -> None:
    """Write keys with the ledger's vectors; doing it twice changes nothing."""
    waiting = iter(keys)
    while batch := list(islice(waiting, BATCH_ROWS)):
        store.add_texts(texts=batch, ids=batch)


def stored_keys(store: Chroma) -> set[str]:
    """All keys of a collection."""
    return set(store.get(include=[])["ids"])


def drop(store: Chroma, keys: Iterable[str]) -> None:
    """Take keys out."""
    waiting = iter(keys)
    while batch := list(islice(waiting, BATCH_ROWS)):
        store.delete(ids=batch)


def query(store: Chroma, vector: bytes, count: int) -> list[Neighbour]:
    """The nearest keys with their cosine distances."""
    found = store.similarity_search_by_vector_with_relevance_scores(embedding=floats(vector), k=count)
    return [Neighbour(document.page_content, float(distance)) for document, distance in found]
