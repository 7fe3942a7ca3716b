"""Structural vectors: where a text stands among others of its shape, whatever its locals are called.

The structural stream (`memory.signature`) is cut into runs of 1 to 4 tokens; each run's weight is the root of its count times how rare it
is in ordinary code (`memory.idf`), and a hash puts it, with a sign, into one of 256 places (signed feature hashing: Weinberger et al.,
2009). No model, no network, nothing random. Pure Python, so that remembering a fix needs no numpy.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from memory.idf import TABLE, UNKNOWN, weights
from memory.keys import NORMALISER

NAME = "structural"
VERSION = 2
DIMENSIONS = 256
VECTOR_BYTES = 4 * DIMENSIONS
LONGEST_RUN = 4
_MASK = 0xFFFFFFFF
_SPREAD = 0x45D9F3B
_SEPARATOR = "\x1f"


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """What decides a vector: name, version, dimensions, table, normaliser. Vectors of different fingerprints are never compared."""
    said = f"{NAME}/{VERSION} {DIMENSIONS} {TABLE} {NORMALISER} cosine"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def embed(text: str, language: str) -> bytes:
    """256 float32, little endian, of length 1 (0 for a text without tokens). The same on every machine.

    Raises StorageFailedError when the installation lacks the table of weights.
    """
    from memory.signature import read_signature  # late: an index needs the fingerprint only

    sums = [0.0] * DIMENSIONS
    for checksum, count in checksums(read_signature(text, language).structural()).items():
        place, weight = _weighed(checksum)
        sums[place] += weight if count == 1 else weight * math.sqrt(count)
    length = math.sqrt(sum(value * value for value in sums)) or 1.0
    return struct.pack(f"<{DIMENSIONS}f", *(value / length for value in sums))


def runs(stream: Iterable[str]) -> Counter[str]:
    """How often each run of 1 to 4 tokens occurs."""
    words = list(stream)
    found = Counter(words)
    for size in range(2, LONGEST_RUN + 1):
        found.update(_SEPARATOR.join(words[start : start + size]) for start in range(len(words) - size + 1))
    return found


def checksums(stream: Iterable[str]) -> Counter[int]:
    """How often each run occurs, by its CRC-32: that of a longer run goes on from that of the shorter one, so none is put together."""
    words = [word.encode("utf-8", "surrogatepass") for word in stream]
    behind = [_SEPARATOR.encode() + word for word in words]
    ends = list(map(zlib.crc32, words))
    found = Counter(ends)
    for size in range(1, LONGEST_RUN):
        ends = list(map(zlib.crc32, behind[size:], ends))
        found.update(ends)
    return found


def place_of(run: str) -> int:
    """The 32 bits that stand for a run: in the table of weights, and for its place and sign in a vector."""
    return mix(zlib.crc32(run.encode("utf-8", "surrogatepass")))


@lru_cache(maxsize=1 << 15)
def _weighed(checksum: int) -> tuple[int, float]:
    """The place of a run in a vector, and its weight with its sign. Most runs of a text are runs of others, too."""
    mixed = mix(checksum)
    weight = weights().get(mixed, UNKNOWN)
    return (mixed >> 1) % DIMENSIONS, weight if mixed & 1 else -weight


def mix(value: int) -> int:
    """Spread a checksum over all 32 bits: CRCs of like texts are like."""
    for _ in range(2):
        value = ((value ^ (value >> 16)) * _SPREAD) & _MASK
    return value ^ (value >> 16)
