"""How near two texts are, token by token, and whether a stored bug is in the nearer one.

A vector only says which stored texts to look at. The score compares two: their token streams are aligned, names are mapped one to one
by vote over the aligned places, and the streams are compared in the same names (normalised Indel similarity). No score can tell a bug
from its fix, which is one token away: so two more questions are asked, is the text nearer to the buggy side than to the fixed one,
and is what stands around each changed place there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.signature import Signature

WINDOW = 4
"""Tokens on either side of a changed place that must be there."""
_UNKNOWN = "?"
_MEMBER_SIGNS = frozenset({".", "->", "?.", "::", "&."})
_QUOTED = re.compile(r"""[A-Za-z@$]{0,3}["'`]""")


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

    @property
    def is_nearer_to_fix(self) -> bool:
        """True when it is nearer to the fixed side; as near to both, it has something else in the fix's place."""
        return self.fixed_score > self.score


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
    return Nearness(score, similarity(query, fixed), _share_of_places(said, buggy, fixed))


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


def _share_of_places(query: Sequence[str], buggy: Signature, fixed: Signature) -> float:
    """The mean, over the places that the fix changes, of the share of buggy tokens within WINDOW of it that the query has.

    What the fix replaces must be there to the letter, else it is 0. Beside it another literal, or the name of another member, counts as
    there: it is what code that is alike differs in.
    """
    from rapidfuzz.distance import Levenshtein

    there = {theirs: own for own, theirs in aligned_places(query, buggy.raw)}
    changes = [step for step in Levenshtein.opcodes(buggy.raw, fixed.raw) if step.tag != "equal"]
    if any(place not in there for step in changes for place in range(step.src_start, step.src_end)):
        return 0.0
    shares = []
    for step in changes:
        around = range(max(0, step.src_start - WINDOW), min(len(buggy), step.src_end + WINDOW))
        if around:
            shares.append(sum(place in there or _has_like(query, buggy, there, place) for place in around) / len(around))
    return sum(shares) / len(shares) if shares else 0.0


def _has_like(query: Sequence[str], buggy: Signature, there: Mapping[int, int], place: int) -> bool:
    """True when between the same two neighbours the query has another literal of the kind, or the name of another member."""
    left, right = there.get(place - 1), there.get(place + 1)
    if left is None or right is None or right != left + 2:
        return False
    kind = _kind(buggy.raw, place)
    return bool(kind) and _kind(query, left + 1) == kind


def _kind(tokens: Sequence[str], place: int) -> str:
    """string, number or member; empty for everything else."""
    said = tokens[place]
    if said[:1].isdigit():
        return "number"
    if _QUOTED.match(said):
        return "string"
    return "member" if place and tokens[place - 1] in _MEMBER_SIGNS and said.isidentifier() else ""
