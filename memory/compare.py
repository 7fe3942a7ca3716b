"""How near two texts are, token by token, and whether a stored bug is in the nearer one.

A vector only says which stored texts to look at. The score compares two: their token streams are aligned, names are mapped one to one
by vote over the aligned places, and the streams are compared in the same names (normalised Indel similarity). No score can tell a bug
from its fix, which is one token away: so two more questions are asked, is the text nearer to the buggy side than to the fixed one,
and is what stands around each changed place there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memory.signature import Signature

WINDOW = 4
"""Tokens on either side of a changed place that must be there."""
_UNKNOWN = "?"


@dataclass(frozen=True)
class Nearness:
    """`score` (0-1) against the buggy side, `fixed_score` against its fix, `place` (0-1): how much of the changed places' surroundings
    is there."""

    score: float
    fixed_score: float
    place: float

    @property
    def has_bug(self) -> bool:
        """True when the text is nearer to the buggy side."""
        return self.score > self.fixed_score


def similarity(query: Signature, stored: Signature) -> float:
    """0 to 1: the share of tokens, of both texts, that stand in the same order once names are mapped."""
    from rapidfuzz.distance import Indel  # late: texts that are known by key are never compared

    return float(Indel.normalized_similarity(in_names_of(query, stored), stored.raw))


def longest_possible(first: int, second: int) -> float:
    """The highest similarity that two streams of these lengths can have."""
    return 2 * min(first, second) / max(1, first + second)


def nearness(query: Signature, buggy: Signature, fixed: Signature) -> Nearness:
    """Compare a text with both sides of a stored fix, in the names of the buggy side."""
    from rapidfuzz.distance import Indel

    said = in_names_of(query, buggy)
    score = float(Indel.normalized_similarity(said, buggy.raw))
    return Nearness(score, similarity(query, fixed), _share_of_places(said, buggy.raw, fixed.raw))


def in_names_of(query: Signature, stored: Signature) -> tuple[str, ...]:
    """The query's tokens with each of its locals called as its counterpart in the stored text; one without counterpart is marked."""
    names = map_names(query, stored)
    return tuple(names.get(said, _UNKNOWN + said) if is_local else said for said, is_local in zip(query.raw, query.is_local, strict=True))


def map_names(query: Signature, stored: Signature) -> dict[str, str]:
    """The query's locals to those of the stored text, one to one: pairs by how often they stand at aligned places; then equal names, then
    those that are used about as often."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for own, theirs in aligned_places(query.abstract, stored.abstract):
        if query.is_local[own] and stored.is_local[theirs]:
            votes[query.raw[own]][stored.raw[theirs]] += 1
    own_uses, their_uses = Counter(query.raw), Counter(stored.raw)
    pairs = sorted(
        (
            (count, own == theirs, -abs(own_uses[own] - their_uses[theirs]), own, theirs)
            for own, found in votes.items()
            for theirs, count in found.items()
        ),
        reverse=True,
    )
    names: dict[str, str] = {}
    used: set[str] = set()
    for _, _, _, said, stands_for in pairs:
        if said not in names and stands_for not in used:
            names[said] = stands_for
            used.add(stands_for)
    return names


def aligned_places(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of places, rising on both sides, at which the two say the same in a shortest edit."""
    from rapidfuzz.distance import Levenshtein

    return [
        (step.src_start + offset, step.dest_start + offset)
        for step in Levenshtein.opcodes(first, second)
        if step.tag == "equal"
        for offset in range(step.src_end - step.src_start)
    ]


def _share_of_places(query: Sequence[str], buggy: Sequence[str], fixed: Sequence[str]) -> float:
    """The mean, over the places that the fix changes, of the share of buggy tokens within WINDOW of it that the query has."""
    from rapidfuzz.distance import Levenshtein

    there = {theirs for _, theirs in aligned_places(query, buggy)}
    shares = []
    for step in Levenshtein.opcodes(buggy, fixed):
        around = range(max(0, step.src_start - WINDOW), min(len(buggy), step.src_end + WINDOW))
        if step.tag != "equal" and around:
            shares.append(sum(place in there for place in around) / len(around))
    return sum(shares) / len(shares) if shares else 0.0
