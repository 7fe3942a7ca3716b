"""Vectors of an embedding endpoint: what it is sent, under which fingerprint its vectors are stored, and how those are kept complete.

It is fed abstracted code, locals numbered, because names say little about a bug. The fingerprint holds host, model, dimensions and what
decides the text; the dimensions are known from the first answer on, and afterwards from the thresholds that were measured.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
import struct
from collections.abc import Sequence
from typing import Protocol

from errors import CodeMindError, ModelError
from memory.calibration import Thresholds, measured_for
from memory.keys import NORMALISER
from memory.ledger import Ledger
from memory.records import Vector, to_lf
from memory.vector_rows import BuggyText, missing, write_vectors
from utils.names import renamed_stream

MOST_CHARACTERS = 12_000
"""Of a text that is sent: models read some thousand tokens."""
MOST_AT_ONCE = 64
"""Stored texts without a vector that a look-up embeds itself; more is for `memory calibrate`."""
SLICE = 256
"""Rows of one transaction: a kill loses no more."""
_VERSION = 1
_FLOAT_BYTES = 4
OTHER_SIZE = "the embedding endpoint answers in another size than when it was measured; `codemind memory calibrate` measures it again"
INCOMPLETE = "many stored fixes have no vector of the embedding endpoint yet; `codemind memory calibrate` makes them"


class EmbeddingClient(Protocol):
    """What asks the endpoint."""

    @property
    def host(self) -> str:
        """Where code goes."""

    @property
    def model(self) -> str:
        """Its model."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vector of each text, all of one size. Raises ModelError."""


class EndpointVectors:
    """The endpoint as the near tier uses it. Making the object asks nothing."""

    def __init__(self, client: EmbeddingClient) -> None:
        self._client = client
        self.is_off = False
        """True from the first failure on: this process waits for it no more."""
        said = f"endpoint/{_VERSION} {client.host} {client.model} {NORMALISER} cosine"
        self.said = f"{client.model} at {client.host}"
        """Model and host, in words."""
        self._stem = f"{hashlib.sha256(said.encode()).hexdigest()[:24]}-"

    def thresholds(self, connection: sqlite3.Connection) -> Thresholds | None:
        """Those measured for this endpoint and model, the newest; None until `memory calibrate` has run. Asks nothing."""
        return measured_for(connection, self._stem)

    def vector_bytes(self, embedder: str) -> int:
        """The size of a vector under that fingerprint."""
        return _FLOAT_BYTES * int(embedder.removeprefix(self._stem))

    def embed_all(self, texts: Sequence[str], language: str, embedder: str) -> list[bytes]:
        """The vector of each text, of length 1, little-endian float32. Raises ModelError."""
        vectors = self._embed([(text, language) for text in texts])
        if any(len(vector) != self.vector_bytes(embedder) for vector in vectors):
            raise ModelError(OTHER_SIZE)
        return vectors

    def complete(self, ledger: Ledger, embedder: str, language: str) -> None:
        """Give what was stored since the last time its vectors. Raises ModelError when that is much, or the endpoint fails."""
        with ledger.reading() as connection:
            texts = [text for text in missing(connection, embedder) if text.language == language]
        if len(texts) > MOST_AT_ONCE:
            raise ModelError(INCOMPLETE)
        self._write(ledger, embedder, texts)

    def measured_embedder(self) -> str:
        """The fingerprint for the size of vectors that it answers with now. Raises ModelError."""
        return self._stem + str(len(self._embed([("x = 1", "python")])[0]) // _FLOAT_BYTES)

    def complete_all(self, ledger: Ledger) -> str:
        """Give everything that is stored its vectors; the fingerprint they are under. Raises ModelError, and what a write raises."""
        embedder = self.measured_embedder()
        with ledger.reading() as connection:
            texts = missing(connection, embedder)
        for start in range(0, len(texts), SLICE):
            self._write(ledger, embedder, texts[start : start + SLICE])
        return embedder

    def failed(self, error: CodeMindError) -> str:
        """Ask no more in this process; a sentence for the user."""
        self.is_off = True
        return f"the embedding endpoint is not used from now on ({error.message.rstrip('.')}): the structural vectors are"

    def _write(self, ledger: Ledger, embedder: str, texts: Sequence[BuggyText]) -> None:
        if not texts:
            return
        vectors = self._embed([(to_lf(text.code), text.language) for text in texts])
        if any(len(vector) != self.vector_bytes(embedder) for vector in vectors):
            raise ModelError(OTHER_SIZE)
        with ledger.writing() as connection:
            for text, vector in zip(texts, vectors, strict=True):
                write_vectors(connection, [Vector(text.hash, vector)], embedder, text.language)

    def _embed(self, texts: Sequence[tuple[str, str]]) -> list[bytes]:
        return [_unit(vector) for vector in self._client.embed([abstracted(text, language) for text, language in texts])] if texts else []


def abstracted(text: str, language: str) -> str:
    """The tokens that count, locals numbered by first use: the same for two texts that differ in names and layout."""
    return " ".join(renamed_stream(text, language))[:MOST_CHARACTERS] or "<empty>"


def _unit(vector: Sequence[float]) -> bytes:
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return struct.pack(f"<{len(vector)}f", *(value / length for value in vector))
