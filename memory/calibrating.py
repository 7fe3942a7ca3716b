"""`memory calibrate`: find the thresholds of an embedder on what is stored.

Each stored bug is asked for three times, as a session would ask: as an edited copy of it (its own fix is right), as it is while its own
entry is left out (any fix is wrong, unless it makes the same code of it), and as an edited copy of its fixed side (any fix is wrong). The
least score at which the share of right ones among all that would be offered reaches the target is the threshold, for short and for
longer texts apart. Nothing is random: two runs over one memory give the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from errors import InputInvalidError
from memory.calibration import Thresholds, count_offered, keep_thresholds, shipped
from memory.keys import exact_key
from memory.ledger import Ledger
from memory.lookup import find_key, is_stale
from memory.near import best_of, whole_of
from memory.neighbours import Neighbours
from memory.records import KeyHit
from memory.revector import complete_vectors
from memory.signature import read_signature
from memory.variants import copy_of
from memory.vectors import fingerprint

if TYPE_CHECKING:
    from sqlite3 import Connection

    from memory.endpoint_vectors import EndpointVectors

FEWEST = 20
"""Fewer memories, or fewer copies of short ones, say nothing about a share like .99."""
SAMPLE = 1_000
"""Memories that are asked for, when there are more: some of the third in each second."""
SHORT = 30
"""Tokens below which a text has a bar of its own: on the development pairs unrelated code of that size was accepted up to .74, and none
from 30 to 40 tokens at .65 already."""
LEAST, MOST = 0.6, 0.95
"""Thresholds that are tried. A small memory has too few texts to be wrong with: lower ones were not seen to hold on a large one."""
ENOUGH_TO_LOWER = 500
"""Memories from which on a shipped threshold may be lowered. With fewer there is too little that code could be taken for by mistake: what
127 to 300 memories measured was .60 to .70, where the shipped .80 was chosen on 876."""
_STEP = 0.01
_SLICE = 50

Asked = Literal["copy", "unknown", "fixed"]
Progress = Callable[[int, int], None]
"""Called with how many memories have been asked for, and of how many."""


@dataclass(frozen=True)
class Offer:
    """One question: what was asked, and the best past fix by its score (0-1); 0 where it has no place, or there is none."""

    asked: Asked
    score: float
    is_short: bool
    is_right: bool


def calibrate(
    ledger: Ledger, target: float, progress: Progress = lambda done, total: None, endpoint: EndpointVectors | None = None
) -> Thresholds:
    """Measure, and put the thresholds in force for the embedder in use. Changes nothing but them, and vectors that were missing.

    Raises InputInvalidError when too little is stored or no threshold reaches the target (what was in force stays), ModelError when an
    endpoint can't be asked, and what `Ledger.writing` raises.
    """
    _refresh_keys(ledger)
    with ledger.reading() as connection:
        stored, asked_for = count_offered(connection), _sampled(connection)
    if len(asked_for) < FEWEST:
        raise InputInvalidError(
            f"The memory holds {len(asked_for)} fixes that may be offered: thresholds can be measured from {FEWEST} on. "
            "Those in force stay."
        )
    if endpoint is None:
        complete_vectors(ledger)
    embedder = fingerprint() if endpoint is None else endpoint.complete_all(ledger)
    with ledger.reading() as connection:
        by_language = _by_language(asked_for)
        each = [(Neighbours(connection, language, endpoint=endpoint, embedder=embedder), hits) for language, hits in by_language.items()]
        chosen = choose(_all_offers(each, progress), target, embedder, stored)
    measured = replace(chosen, stored=stored, at=f"{ledger.clock():%Y-%m-%dT%H:%M:%SZ}")
    with ledger.writing() as connection:
        keep_thresholds(connection, measured)
    return measured


def _all_offers(each: Sequence[tuple[Neighbours, Sequence[KeyHit]]], progress: Progress) -> list[Offer]:
    """What would be offered, language by language."""
    offers: list[Offer] = []
    total, done = sum(len(hits) for _, hits in each), 0
    for neighbours, hits in each:
        for start in range(0, len(hits), _SLICE):
            part = hits[start : start + _SLICE]
            offers += _asked(neighbours, part)
            done += len(part)
            progress(done, total)
    return offers


def choose(offers: Sequence[Offer], target: float, embedder: str, stored: int = ENOUGH_TO_LOWER) -> Thresholds:
    """The least thresholds at which the offers reach the target; of too few `stored` memories none below what ships.

    Raises InputInvalidError when none does.
    """
    longer = [offer for offer in offers if not offer.is_short]
    short = [offer for offer in offers if offer.is_short]
    enough = [group for group in (longer, short) if _copies(group) >= FEWEST]
    if not enough:
        raise InputInvalidError(
            f"Fewer than {FEWEST} stored bugs can be copied with small edits: nothing was measured. What was in force stays."
        )
    known = shipped(embedder)
    near = _least(longer, target) if longer in enough else known.near if known else _least(offers, target)
    unmeasured = known.near_short if known else round((near + 1) / 2, 2)  # half-way to equal
    near_short = _least(short, target, near) if short in enough else unmeasured
    thresholds = Thresholds(near, max(near, near_short), SHORT, embedder, "calibrated", target, 0.0, 0.0, 0, "")
    if known is not None and stored < ENOUGH_TO_LOWER:
        thresholds = _not_below(thresholds, known)
    precision, recall = _measured(offers, thresholds)
    return replace(thresholds, precision=precision, recall=recall)


def _not_below(measured: Thresholds, known: Thresholds) -> Thresholds:
    """The higher of both, for each size of text; `held` when anything measured was lower."""
    near, near_short = max(measured.near, known.near), max(measured.near_short, known.near_short)
    is_held = (near, near_short) != (measured.near, measured.near_short)
    return replace(measured, near=near, near_short=max(near, near_short), held_until=ENOUGH_TO_LOWER if is_held else 0)


def _refresh_keys(ledger: Ledger) -> None:
    """Ids and vectors are found by the keys of today's normaliser."""
    with ledger.reading() as connection:
        is_old = is_stale(connection)
    if is_old:
        from memory.rekey import rekey  # late: needed once after an update

        rekey(ledger)


def _sampled(connection: Connection) -> list[KeyHit]:
    """The fixes asked for: those of the first ids. An id is a hash of the code, so their order is as good as chance."""
    found: list[KeyHit] = []
    for (key,) in connection.execute("SELECT id FROM experiences ORDER BY id"):
        hits = find_key(connection, key, "exact", "buggy")
        found += [hit for hit in hits if hit.alternative.is_offered and hit.alternative.experience_id == key][:1]
        if len(found) == SAMPLE:
            break
    return found


def _by_language(hits: Sequence[KeyHit]) -> dict[str, list[KeyHit]]:
    found: defaultdict[str, list[KeyHit]] = defaultdict(list)
    for hit in hits:
        found[hit.alternative.language].append(hit)
    return dict(sorted(found.items()))


def _asked(neighbours: Neighbours, hits: Sequence[KeyHit]) -> Iterator[Offer]:
    """The questions about some memories of one language; their vectors are asked for together."""
    questions: list[tuple[Asked, str, KeyHit]] = []
    for hit in hits:
        for asked, text in (("copy", copy_of(hit.code, hit.fixed_code, neighbours.language)), ("unknown", hit.code)):
            questions += [] if text is None else [(asked, text, hit)]  # type: ignore[list-item]  # the words are those of `Asked`
        mended = copy_of(hit.fixed_code, hit.code, neighbours.language)
        questions += [] if mended is None else [("fixed", mended, hit)]
    vectors = neighbours.vectors_of([text for _, text, _ in questions])
    for (asked, text, hit), vector in zip(questions, vectors, strict=True):
        yield _offer(neighbours, asked, text, hit, vector)


def _offer(neighbours: Neighbours, asked: Asked, text: str, hit: KeyHit, vector: bytes) -> Offer:
    own, language = hit.alternative.experience_id, neighbours.language
    left_out = frozenset({own}) if asked == "unknown" else frozenset()
    near = best_of(whole_of(text), language, neighbours.scanned(vector, left_out), _EVERYTHING)
    if near is None or not near.is_near:
        return Offer(asked, 0.0, len(read_signature(text, language)) < SHORT, is_right=False)
    is_own = near.hit.alternative.experience_id == own
    return Offer(asked, near.nearness.score, near.is_short, asked != "fixed" and (is_own or _mends_it(near.hit, hit, text, language)))


_EVERYTHING = Thresholds(0.0, 0.0, SHORT, "", "calibrated", 0.0, 0.0, 0.0, 0, "")
"""With these whatever has the bug and its place is near."""


def _mends_it(other: KeyHit, own: KeyHit, text: str, language: str) -> bool:
    """True when the fix of another memory makes of this code what its own fix makes of it: the same bug, stored twice."""
    from memory.graft import graft  # late: few are asked for

    carried, wanted = (graft(hit.code, hit.fixed_code, text, language).code for hit in (other, own))
    return carried is not None and wanted is not None and exact_key(carried, language) == exact_key(wanted, language)


def _least(offers: Sequence[Offer], target: float, least: float = LEAST) -> float:
    """The least threshold, from `least` on, that reaches the target. Raises InputInvalidError when none does."""
    for step in range(round((MOST - least) / _STEP) + 1):
        threshold = round(least + step * _STEP, 2)
        reached = [offer.is_right for offer in offers if offer.score >= threshold]
        if reached and sum(reached) / len(reached) >= target:
            return threshold
    raise InputInvalidError(
        f"No threshold up to {MOST:.2f} reaches a precision of {target:.3f} on what is stored: what was in force stays. "
        "Ask for less with --target-precision."
    )


def _copies(offers: Sequence[Offer]) -> int:
    return sum(offer.asked == "copy" for offer in offers)


def _measured(offers: Sequence[Offer], thresholds: Thresholds) -> tuple[float, float]:
    """Precision and recall (0-1) of what would be offered."""
    reached = [offer for offer in offers if offer.score >= (thresholds.near_short if offer.is_short else thresholds.near)]
    right = sum(offer.is_right for offer in reached)
    found = sum(offer.is_right for offer in reached if offer.asked == "copy")
    return round(right / max(1, len(reached)), 4), round(found / max(1, _copies(offers)), 4)
