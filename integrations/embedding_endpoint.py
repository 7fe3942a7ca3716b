"""Asks an OpenAI-compatible `/embeddings` endpoint for vectors: in batches, within a time limit, with one retry.

The key goes to the endpoint's own host only: redirects are not followed. Nothing that a server says is shown: it may repeat the key.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from errors import ModelError
from utils.hosts import host_of, is_loopback

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 10.0
"""Longest one request may take, its answer included."""
BATCH = 32
"""Texts of one request: some services take no more."""
MAX_ANSWER_BYTES = 32_000_000
_ATTEMPTS = 2
_NAME = "The embedding endpoint"


class _PassingError(Exception):
    """What may be gone at the next attempt; `said` is for the user."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True)
class EmbeddingEndpoint:
    """One model at one address. The key is not in here: `reveal_key` gives it to the request that sends it."""

    base_url: str
    model: str
    reveal_key: Callable[[], str] = field(repr=False)
    timeout_s: float = TIMEOUT_S

    @property
    def host(self) -> str:
        """Where code goes."""
        return host_of(self.base_url)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vector of each text, all of one size. Raises ModelError, with a sentence of ours."""
        vectors: list[list[float]] = []
        with self._client() as client:
            for start in range(0, len(texts), BATCH):
                vectors += self._batch(client, texts[start : start + BATCH])
        if len({len(vector) for vector in vectors}) > 1:
            raise ModelError(_unusable(self.host))
        return vectors

    @contextmanager
    def _client(self) -> Iterator[httpx2.Client]:
        import httpx2  # late: only where an endpoint is configured

        try:
            client = httpx2.Client(timeout=self.timeout_s, follow_redirects=False, trust_env=not is_loopback(self.base_url))
        except (ImportError, ValueError, httpx2.InvalidURL):
            raise ModelError(
                "The proxy in ALL_PROXY, HTTPS_PROXY or HTTP_PROXY can't be used; name the endpoint's host in NO_PROXY."
            ) from None
        with client:
            yield client

    def _batch(self, client: httpx2.Client, texts: Sequence[str]) -> list[list[float]]:
        said = ""
        for _ in range(_ATTEMPTS):
            try:
                return self._ask(client, texts)
            except _PassingError as error:
                said = error.said
        raise ModelError(said)

    def _ask(self, client: httpx2.Client, texts: Sequence[str]) -> list[list[float]]:
        """One request. Raises ModelError, and _PassingError for what is worth another."""
        import httpx2

        key = self.reveal_key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        body = {"model": self.model, "input": list(texts)}
        try:
            with client.stream("POST", f"{self.base_url.rstrip('/')}/embeddings", json=body, headers=headers) as answer:
                self._refuse(answer.status_code)
                text = self._read(answer)
        except httpx2.TimeoutException:
            raise _PassingError(self._late()) from None
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise _PassingError(f"{_NAME} at {self.host} can't be reached; check EMBEDDING_BASE_URL and the network.") from None
        vectors = _vectors(text, len(texts))
        if vectors is None:
            raise ModelError(_unusable(self.host))
        return vectors

    def _read(self, answer: httpx2.Response) -> bytes:
        """The body, within the time limit: a server that dribbles would never end."""
        ends, parts, size = time.monotonic() + self.timeout_s, [], 0
        for part in answer.iter_bytes():
            parts.append(part)
            size += len(part)
            if time.monotonic() > ends:
                raise _PassingError(self._late())
            if size > MAX_ANSWER_BYTES:
                raise ModelError(_unusable(self.host))
        return b"".join(parts)

    def _refuse(self, status: int) -> None:
        """Raise for every status but 200."""
        if status == HTTPStatus.OK:
            return
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.PAYMENT_REQUIRED}:
            raise ModelError(f"{_NAME} at {self.host} refused the key in EMBEDDING_API_KEY (HTTP {status}).")
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _PassingError(f"{_NAME} at {self.host} is overloaded or broken (HTTP {status}); try again later.")
        raise ModelError(
            f"{_NAME} at {self.host} refused the request (HTTP {status}); check EMBEDDING_BASE_URL (most end in /v1) and EMBEDDING_MODEL."
        )

    def _late(self) -> str:
        return f"{_NAME} at {self.host} did not answer within {self.timeout_s:g} s; check EMBEDDING_BASE_URL and the network."


def _unusable(host: str) -> str:
    return f"{_NAME} at {host} does not answer with vectors; check EMBEDDING_BASE_URL (most end in /v1) and EMBEDDING_MODEL."


def _vectors(text: bytes, count: int) -> list[list[float]] | None:
    """The vectors of an answer in the order of what was asked; None for anything that is none."""
    try:
        listed = json.loads(text)["data"]
        ordered = sorted(enumerate(listed), key=lambda each: each[1].get("index", each[0]))
        vectors = [[float(value) for value in each["embedding"]] for _, each in ordered]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None
    return vectors if len(vectors) == count and all(map(_is_vector, vectors)) else None


def _is_vector(values: Sequence[Any]) -> bool:
    """False for an empty one, for one that points nowhere, and for what is no number."""
    return bool(values) and all(map(math.isfinite, values)) and any(values)
