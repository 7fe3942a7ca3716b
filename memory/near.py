"""The near tier: past fixes of code that is like the paste, decided by a precise score and by whether the bug is still there.

Vectors fetch candidates, for the whole paste and for each function of it; they decide nothing. A candidate counts as near when its
score reaches the threshold, the text is nearer to the buggy side than to the fixed one, and what surrounds the changed places is there.
The best candidate of each text is judged, no other: a second choice that passes is mostly another program with the same text there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.calibration import Thresholds
from memory.compare import Nearness, longest_possible, nearness, similarity
from memory.find import Answer, Piece, cut_out
from memory.pieces import pieces_of
from memory.records import KeyHit
from memory.signature import read_signature
from memory.streams import buggy_signature, fixed_signature

CANDIDATES = 10
"""Stored texts looked at for each text of the paste: with 10 the right one was never missed (v2, v3 and v5 of the labelled pairs)."""
PLACE = 0.85
"""So much of what stands within four tokens of the changed places must be there; a literal or a member name may be another one."""
READABLE = 0.55
READABLE_SHORT = 0.65
"""From these scores on a past fix is listed as reading matter: unrelated code of some length scores .4 to .5, of a few tokens .6."""
FIXED = 0.9
"""From this score against the fixed side, when that is the nearer one, the code is held to be fixed already."""
MOST_TEXTS = 40
"""Functions of a paste that are looked up, the largest first."""
MOST_TOKENS = 6000
"""Longer texts are looked up by their functions only: aligning takes the product of both lengths."""
FEWEST_TOKENS = 8
"""Shorter texts say too little to be like anything."""

Candidate = tuple[KeyHit, float]
"""A stored bug that may be offered, and the cosine distance of its vector."""
Fetch = Callable[[Sequence[str]], Iterable[Sequence[Candidate]]]
"""For each of some texts its candidates, nearest first."""


@dataclass(frozen=True)
class Near:
    """A text of the paste and the best candidate for it. `distance` is that of the vectors, for information only."""

    piece: Piece
    hit: KeyHit
    nearness: Nearness
    distance: float
    threshold: float
    is_short: bool = False

    @property
    def is_near(self) -> bool:
        """True when the stored fix is one for this text."""
        return self.nearness.score >= self.threshold and self._has_place

    @property
    def is_unsure(self) -> bool:
        """True when bug and place are there, and the text is too short for its score to be told from chance."""
        return self.is_short and self.is_readable and not self.is_near and self._has_place

    @property
    def _has_place(self) -> bool:
        return self.nearness.has_bug and self.nearness.place >= PLACE

    @property
    def is_readable(self) -> bool:
        """True when it is worth listing."""
        return self.nearness.score >= (READABLE_SHORT if self.is_short else READABLE)

    @property
    def is_fixed(self) -> bool:
        """True when the text is the stored code with its bug mended."""
        return self.nearness.is_nearer_to_fix and self.nearness.fixed_score >= FIXED


def find_near(text: str, language: str, fetch: Fetch, thresholds: Thresholds, known: Sequence[Piece] = ()) -> list[Near]:
    """The best candidate for the paste and for each of its functions, best score first. What overlaps `known` is not asked for."""
    pieces = [piece for piece in texts_of(text, language) if not _overlaps(piece, known)]
    candidates = fetch([piece.text for piece in pieces])
    found = (best_of(piece, language, own, thresholds) for piece, own in zip(pieces, candidates, strict=True))
    return sorted((near for near in found if near is not None), key=lambda near: -near.nearness.score)


def apart(found: Iterable[Near]) -> list[Near]:
    """Those that are near, the best first, without any that overlaps a better one."""
    chosen: list[Near] = []
    for near in found:
        if near.is_near and not _overlaps(near.piece, [other.piece for other in chosen]):
            chosen.append(near)
    return chosen


def texts_of(text: str, language: str) -> Iterator[Piece]:
    """The whole text, and its functions and classes unless one of them is all there is; nothing very short, nothing very long."""
    size = len(read_signature(text, language))
    if FEWEST_TOKENS <= size <= MOST_TOKENS:
        yield whole_of(text)
    lines = text.split("\n")
    found = pieces_of(text, language)
    for block in sorted(found, key=lambda block: (block.start_line - block.end_line, block.start_line))[:MOST_TEXTS]:
        piece = cut_out(lines, block, language)
        if piece is not None and FEWEST_TOKENS <= len(read_signature(piece.text, language)) < min(size, MOST_TOKENS):
            yield piece


def whole_of(text: str) -> Piece:
    """A text as the one piece that it is."""
    return Piece(1, max(1, len(text.rstrip("\n").split("\n"))), text, "", Answer())


def best_of(piece: Piece, language: str, candidates: Iterable[Candidate], thresholds: Thresholds) -> Near | None:
    """The candidate with the highest score, of equal ones the one that users and Git speak for; None when no candidate can be near."""
    query = read_signature(piece.text, language)
    least = min(thresholds.least, READABLE)
    scored: list[tuple[float, tuple[bool, bool, int, bool], float, KeyHit]] = []
    for hit, distance in candidates:
        stored = buggy_signature(hit, language)
        if len(stored) <= MOST_TOKENS and longest_possible(len(query), len(stored)) >= least:
            scored.append((similarity(query, stored), hit.alternative.standing, -distance, hit))
    if not scored:
        return None
    _, _, negative, hit = max(scored, key=lambda each: each[:3])
    buggy, fixed = buggy_signature(hit, language), fixed_signature(hit, language)
    sizes = len(query), len(buggy)
    lowest, is_short = thresholds.lowest(*sizes), thresholds.is_short(*sizes)
    return Near(piece, hit, nearness(query, buggy, fixed), -negative, lowest, is_short)


def _overlaps(piece: Piece, others: Iterable[Piece]) -> bool:
    return any(piece.start_line <= other.end_line and other.start_line <= piece.end_line for other in others)
