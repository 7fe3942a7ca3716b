"""How rare a run of tokens is in ordinary code: the shipped table of inverse document frequencies, read when the first vector is made.

Counts only, pooled over languages, from permissively licensed code; `benchmarks.idf_table` builds it and writes down beside it what it was
made of. A table with other numbers gets another name, and with it the vectors another fingerprint (`memory.vectors`).
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from errors import StorageFailedError

TABLE = "idf-1"
FOLDER = Path(__file__).parent / "tables"
UNKNOWN = 1.0
"""The weight of a run that the table doesn't know: nothing is rarer."""
_STEPS = 255
_ENTRY_BYTES = 5


@lru_cache(maxsize=1)
def weights() -> Mapping[int, float]:
    """The weight (0-1) of each run that is not rare, by the 32 bits that `memory.vectors.place_of` gives it.

    Raises StorageFailedError when the installation lacks the table or it is cut off.
    """
    try:
        return unpacked((FOLDER / f"{TABLE}.bin").read_bytes())
    except (OSError, ValueError):
        raise StorageFailedError(f"The installation is incomplete: memory/tables/{TABLE}.bin can't be read. Install it again.") from None


def packed(found: Mapping[int, float]) -> bytes:
    """All places, rising, as 32 bits little endian; then for each its weight in 255 steps."""
    places = array("I", sorted(found))
    steps = bytes(max(1, min(_STEPS, round(found[place] * _STEPS))) for place in places)
    return _little_endian(places).tobytes() + steps


def unpacked(content: bytes) -> dict[int, float]:
    """What `packed` gave. Raises ValueError for bytes of another length."""
    count, rest = divmod(len(content), _ENTRY_BYTES)
    if rest or not count:
        raise ValueError("not a table of weights")
    places = array("I")
    places.frombytes(content[: 4 * count])
    return {place: step / _STEPS for place, step in zip(_little_endian(places), content[4 * count :], strict=True)}


def weights_of(counts: Mapping[int, int], documents: int, at_least: int) -> dict[int, float]:
    """Weights of the places that `at_least` of so many documents have: the logarithm of their share, 1 for what only one has.

    The smoothed inverse document frequency, as in information retrieval since Sparck Jones (1972).
    """
    from math import log

    floor = 0.2
    most = log((1 + documents) / 2) + floor
    return {place: (log((1 + documents) / (1 + count)) + floor) / most for place, count in counts.items() if count >= at_least}


def _little_endian(places: array[int]) -> array[int]:
    if sys.byteorder == "big":
        places.byteswap()
    return places


def document_counts(documents: Iterable[Iterable[int]]) -> dict[int, int]:
    """In how many of the documents each place occurs."""
    counts: dict[int, int] = {}
    for places in documents:
        for place in set(places):
            counts[place] = counts.get(place, 0) + 1
    return counts
