"""A shared memory on a Chroma server: the only place that opens a client of one.

Chroma's client has no time limit, no retry and one error for everything; here each call has 15 seconds and three attempts, and a failure is
one sentence. Documents are read and written by id and by the numbers of clients, never by likeness: their vectors say nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from errors import SharingFailedError
from integrations.within import within
from schema.sharing import SharedDocument, SharedHead
from utils.hosts import host_of, is_loopback, name_of

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

COLLECTION = "codemind-fixes-1"
"""The number is that of the documents' format: another one is another collection."""
TIMEOUT_S = 15.0
"""Longest one request may take, its answer included."""
PAUSES_S = (0.5, 2.0)
"""Before the second and the third attempt."""
PAGE = 2_000
"""Heads of one request."""
CLIENTS = 100
"""Clients in one condition."""
_CLIENT = re.compile(r"[0-9a-f]{32}")
_MOST_ID = 512
_MOST_SEQ = 2**53
_DIMENSIONS = 4
_SELDOM_FLUSHED = {"hnsw": {"space": "l2", "sync_threshold": 10_000, "batch_size": 100}}
"""A server that is killed while it flushes the vector index answers nothing any more until that index is removed by hand; one that never
flushes never shortens its log, and takes longer with each write."""
_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}

T = TypeVar("T")


@dataclass
class ChromaServer:
    """Implements `schema.sharing.SharedMemory`. The token is not in here: `reveal_token` gives it to the client that sends it."""

    address: str
    reveal_token: Callable[[], str] = field(repr=False)
    timeout_s: float = TIMEOUT_S
    pauses_s: Sequence[float] = PAUSES_S
    _client: ClientAPI | None = field(default=None, init=False, repr=False)
    _collection: Collection | None = field(default=None, init=False, repr=False)

    @property
    def host(self) -> str:
        """Where the records go."""
        return host_of(self.address)

    def version(self) -> str:
        """That of the server."""
        return self._tried(lambda: str(self._opened().get_version()))

    def collection(self) -> str:
        """See `schema.sharing`."""
        return self._tried(lambda: str(self._documents().id))

    def newer(self, seen: Mapping[str, int], own: str) -> list[SharedHead]:
        """See `schema.sharing`."""
        heads: list[SharedHead] = []
        for where in _unseen(seen, own):
            heads += self._listed(where)
        return heads

    def own(self, client: str, since: int) -> list[SharedHead]:
        """See `schema.sharing`."""
        return self._listed({"$and": [{"client": client}, {"seq": {"$gte": since}}]})

    def fetch(self, ids: Sequence[str]) -> list[SharedDocument]:
        """See `schema.sharing`."""
        if not ids:
            return []
        found = self._tried(lambda: self._documents().get(ids=list(ids), include=["metadatas", "documents"]))
        rows = zip(found["ids"], found["metadatas"] or (), found["documents"] or (), strict=True)
        return [_document(head, metadata, text) for key, metadata, text in rows if (head := _head(key, metadata)) is not None]

    def write(self, documents: Sequence[SharedDocument]) -> None:
        """See `schema.sharing`."""
        self._tried(
            lambda: self._documents().upsert(
                ids=[each.head.id for each in documents],
                embeddings=[_vector(each.head.id) for each in documents],
                documents=[each.text for each in documents],
                metadatas=[{"client": each.head.client, "seq": each.head.seq, "gone": each.is_gone} for each in documents],
            )
        )

    def close(self) -> None:
        """Close the connections; the next question opens them again."""
        client, self._client, self._collection = self._client, None, None
        if client is not None:
            close_client(client)

    def _listed(self, where: dict[str, Any]) -> list[SharedHead]:
        """All heads that match, as of one moment.

        While pages are read a document that is written anew may begin to match on a page that was read already; it has a higher
        revision than all that its client had written before. So several pages are read twice, and what came after the first reading is left
        for the next time.
        """
        first = self._pages(where)
        if len(first) < PAGE:
            return first
        highest: dict[str, int] = {}
        for head in first:
            highest[head.client] = max(head.seq, highest.get(head.client, 0))
        again = {head.id: head for head in self._pages(where)}
        return [head for head in again.values() if head.seq <= highest.get(head.client, 0)]

    def _pages(self, where: dict[str, Any]) -> list[SharedHead]:
        heads: list[SharedHead] = []
        offset = 0
        while True:
            found = self._tried(
                lambda at=offset: self._documents().get(where=where, limit=PAGE, offset=at, include=["metadatas"])  # type: ignore[misc]
            )
            rows = zip(found["ids"], found["metadatas"] or (), strict=True)
            heads += [head for key, metadata in rows if (head := _head(key, metadata)) is not None]
            offset += PAGE
            if len(found["ids"]) < PAGE:
                return heads

    def _tried(self, ask: Callable[[], T]) -> T:
        """The answer, at the third attempt at the latest. Raises SharingFailedError."""
        for pause in (*self.pauses_s, None):
            try:
                return within(self.timeout_s, ask)
            except SharingFailedError:
                raise
            except Exception as error:  # noqa: BLE001 - the client raises bare Exception for most answers of a server
                self.close()
                if pause is None:
                    raise self._failure(error) from None
                time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _documents(self) -> Collection:
        """The collection; it is made when it is not there."""
        if self._collection is None:
            from chromadb.errors import InvalidArgumentError

            client = self._opened()
            try:
                made = client.get_or_create_collection(COLLECTION, embedding_function=None, configuration=_SELDOM_FLUSHED)  # type: ignore[arg-type]
            except (InvalidArgumentError, ValueError):  # a deployment whose index has other settings
                made = client.get_or_create_collection(COLLECTION, embedding_function=None)
            self._collection = made
        return self._collection

    def _opened(self) -> ClientAPI:
        if self._client is None:
            import chromadb  # late: takes most of a second
            from chromadb.config import Settings

            with _without_proxy(self.address):
                self._client = chromadb.HttpClient(
                    host=self.address,
                    headers=self._headers(),
                    settings=Settings(anonymized_telemetry=False, chroma_otel_collection_endpoint=""),
                )
        return self._client

    def _headers(self) -> dict[str, str]:
        """The token in both of the ways that Chroma's proxies and Chroma Cloud look for it."""
        token = self.reveal_token()
        return {"Authorization": f"Bearer {token}", "X-Chroma-Token": token} if token else {}

    def _failure(self, error: Exception) -> SharingFailedError:
        """What to tell the user; nothing that a server or the client says is shown, since it may repeat the token."""
        name = f"The shared memory at {self.host}"
        if isinstance(error, TimeoutError):
            return SharingFailedError(f"{name} did not answer within {self.timeout_s:g} s.")
        status = self._status()
        if status is None:
            return SharingFailedError(f"{name} can't be reached; check CHROMA_URL and the network.")
        if status in _REFUSED:
            wanted = "the token in CHROMA_TOKEN is refused" if self.reveal_token() else "it wants a token: set CHROMA_TOKEN"
            return SharingFailedError(f"{name} can't be used: {wanted} (HTTP {status}).")
        if status == HTTPStatus.OK:
            return SharingFailedError(f"{name} refused the request or is broken ({type(error).__name__}); its own log says more.")
        return SharingFailedError(f"{name} answers as no Chroma server does (HTTP {status}); check CHROMA_URL.")

    def _status(self) -> int | None:
        """The HTTP status of a question that every Chroma server answers; None when nothing answers."""
        import httpx  # the client's own library

        try:
            answer = within(
                self.timeout_s,
                lambda: httpx.get(
                    f"{self.address}/api/v2/auth/identity", headers=self._headers(), timeout=5, trust_env=not is_loopback(self.address)
                ),
            )
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError, ValueError):
            return None
        return answer.status_code


def close_client(client: ClientAPI) -> None:
    """Close a client of the library, and the connections of it and of the second client in it: by itself it leaves them open."""
    inner = getattr(client, "_admin_client", None)
    sessions = [getattr(getattr(each, "_server", None), "_session", None) for each in (client, inner)]
    for each in (client, *sessions):
        with suppress(Exception):
            getattr(each, "close", bool)()


def client_version() -> str:
    """That of the library; empty when it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("chromadb")
    except PackageNotFoundError:
        return ""


def _unseen(seen: Mapping[str, int], own: str) -> Iterator[dict[str, Any]]:
    """Conditions that together hold for every document of another client above what was seen of it."""
    known = sorted(client for client in seen if client != own)
    for start in range(0, len(known), CLIENTS):
        each = [{"$and": [{"client": client}, {"seq": {"$gt": seen[client]}}]} for client in known[start : start + CLIENTS]]
        yield each[0] if len(each) == 1 else {"$or": each}
    yield {"client": {"$nin": [own, *known]}}


def _head(key: str, metadata: Mapping[str, Any] | None) -> SharedHead | None:
    """None for a document that no CodeMind has written."""
    client, seq = (metadata or {}).get("client"), (metadata or {}).get("seq")
    if not isinstance(client, str) or not _CLIENT.fullmatch(client) or type(seq) is not int or not 0 < seq <= _MOST_SEQ:
        return None
    return SharedHead(key, client, seq) if len(key) <= _MOST_ID else None


def _document(head: SharedHead, metadata: Mapping[str, Any], text: str | None) -> SharedDocument:
    return SharedDocument(head, text or "", is_gone=metadata.get("gone") is True)


def _vector(key: str) -> Sequence[float] | Sequence[int]:
    """Chroma wants one. Spread by chance, so that its index has no heap of equal ones to sort."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return [byte / 255 for byte in digest[:_DIMENSIONS]]


@contextmanager
def _without_proxy(address: str) -> Iterator[None]:
    """Chroma's client would send what is meant for this machine, token and all, to the proxy of the environment."""
    if is_loopback(address):
        for name in ("NO_PROXY", "no_proxy"):
            listed = [each for each in os.environ.get(name, "").split(",") if each]
            if name_of(address) not in listed:
                os.environ[name] = ",".join([*listed, name_of(address)])
    yield
