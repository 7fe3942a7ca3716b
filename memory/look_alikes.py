"""Texts of one seed file that are nearly the same: one voice among what is listed, whatever sources their lines claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from memory.records import KeyHit
from memory.signature import Signature
from memory.sources import is_vouched
from memory.streams import buggy_signature

Shown = TypeVar("Shown")
SAME = 0.93
"""Share of two token streams, names aside, that stands in the same order: from it on they are variants of one text. Programs of two hands
for one task have less."""


def without_look_alikes(found: Iterable[Shown], hit_of: Callable[[Shown], KeyHit], language: str) -> Iterator[Shown]:
    """In the order given, of texts of the same file that are variants of one another the first; what the user vouched for stays."""
    kept: dict[str, list[Signature]] = {}
    for each in found:
        hit = hit_of(each)
        file = hit.alternative.provenance.file_hash
        if file and not is_vouched(hit.alternative):
            signature = buggy_signature(hit, language)
            known = kept.setdefault(file, [])
            if any(_is_variant(signature, other) for other in known):
                continue
            known.append(signature)
        yield each


def _is_variant(one: Signature, other: Signature) -> bool:
    from rapidfuzz.distance import Indel  # late: needed for what no key knows

    return float(Indel.normalized_similarity(one.abstract, other.abstract, score_cutoff=SAME)) >= SAME
