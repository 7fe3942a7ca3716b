"""Choosing among several stored fixes of the same code: evidence first, then what reaches the highest level here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.records import KeyHit
from memory.sources import in_turns, is_vouched, source_of
from schema.finding import Finding
from schema.fix import LEVELS, Verification
from utils.tokens import exact_stream

UNVERIFIED = Verification("none")
_MOST_TRIED = 12
"""Fixes that are tried for one text."""
_MOST_READ = 60
_KEPT = 0.6
"""The share of the buggy tokens that a repair keeps: of 1,824 real pairs 15 keep less."""


@dataclass(frozen=True)
class Offer:
    """One hit with its fix in the paste's own names and layout; None with the reason when it did not carry over."""

    hit: KeyHit
    code: str | None
    why_not: str
    findings: tuple[Finding, ...]
    verification: Verification = UNVERIFIED

    @property
    def level(self) -> int:
        """How far it was checked here, as a rank."""
        return LEVELS.index(self.verification.level)


def has_evidence(hit: KeyHit) -> bool:
    """True when more than its import speaks for a fix: it was made here, accepted, proved, pinned, or a commit was seen to make it."""
    return is_vouched(hit.alternative)


def in_order(hits: Sequence[KeyHit]) -> Sequence[KeyHit]:
    """The hits in the order in which they are tried: of bare imports, those that throw most of the code away come last.

    The sources take turns, so that one that holds many fixes of the same code can't keep the others' from being tried.
    """
    if len(hits) == 1 or has_evidence(hits[0]):
        return hits[:_MOST_TRIED]
    hits = in_turns(hits, lambda hit: source_of(hit.alternative))
    return sorted(hits[:_MOST_READ], key=lambda hit: not has_evidence(hit) and not _keeps_most(hit))[:_MOST_TRIED]


def chosen(offers: Iterable[Offer]) -> Offer:
    """The first that carries over and holds; of bare imports the one that reaches the highest level here. At least one is given."""
    first: Offer | None = None
    best: Offer | None = None
    for offer in offers:
        first = first or offer
        if offer.code is not None and (best is None or offer.level > best.level):
            best = offer
        if best is not None and (has_evidence(best.hit) or best.level > LEVELS.index("parses")):
            break
    found = best or first
    if found is None:
        raise ValueError("nothing to choose from")
    return found


def _keeps_most(hit: KeyHit) -> bool:
    language = hit.alternative.language
    before, after = (Counter(exact_stream(text, language)) for text in (hit.code, hit.fixed_code))
    return (before & after).total() >= _KEPT * before.total()
