"""Structural vectors: where a text stands among others of its shape, whatever its locals are called.

The structural stream (`memory.signature`) is cut into runs of 1 to 4 tokens; each run's weight is the root of its count, and a hash
puts it, with a sign, into one of 256 places (signed feature hashing). No model, no network, nothing random, and no table of how rare a
run is: one made of Python's standard library found no more on labelled pairs of bugs (see `docs/benchmarks.md`). Pure Python, so that
remembering a fix needs no numpy.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from memory.keys import NORMALISER

NAME = "structural"
VERSION = 1
DIMENSIONS = 256
VECTOR_BYTES = 4 * DIMENSIONS
LONGEST_RUN = 4
_MASK = 0xFFFFFFFF
_SPREAD = 0x45D9F3B
_SEPARATOR = "\x1f"


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """What decides a vector: name, version, dimensions, normaliser. Vectors of different fingerprints are never compared."""
    said = f"{NAME}/{VERSION} {DIMENSIONS} {NORMALISER} cosine"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def embed(text: str, language: str) -> bytes:
    """256 float32, little endian, of length 1 (0 for a text without tokens). The same on every machine; never raises."""
    from memory.signature import read_signature  # late: an index needs the fingerprint only

    sums = [0.0] * DIMENSIONS
    for run, count in runs(read_signature(text, language).structural()).items():
        mixed = mix(zlib.crc32(run.encode("utf-8", "surrogatepass")))
        weight = math.sqrt(count)
        sums[(mixed >> 1) % DIMENSIONS] += weight if mixed & 1 else -weight
    length = math.sqrt(sum(value * value for value in sums)) or 1.0
    return struct.pack(f"<{DIMENSIONS}f", *(value / length for value in sums))


def runs(stream: Iterable[str]) -> Counter[str]:
    """How often each run of 1 to 4 tokens occurs."""
    words = list(stream)
    found = Counter(words)
    for size in range(2, LONGEST_RUN + 1):
        found.update(_SEPARATOR.join(words[start : start + size]) for start in range(len(words) - size + 1))
    return found


def mix(value: int) -> int:
    """Spread a checksum over all 32 bits: CRCs of like texts are like."""
    for _ in range(2):
        value = ((value ^ (value >> 16)) * _SPREAD) & _MASK
    return value ^ (value >> 16)
