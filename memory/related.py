"""Past fixes worth reading where none can be offered: ranked for people, ten at most, and never applied or routed on.

Another person's program with the same bug is often another program: no score tells the two apart for certain, but the right past fix is
mostly among the ten that look most alike. Two views of a text are averaged, as each errs in another way: the cosine of the vectors
(which runs of tokens it has) and how much of both token streams stands in the same order, names aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from memory.crowding import behind_crowds
from memory.look_alikes import without_look_alikes
from memory.near import CANDIDATES, MOST_TOKENS, Candidate
from memory.offers import origin_of
from memory.records import KeyHit
from memory.signature import Signature, read_signature
from memory.sources import one_of_each, voice_of
from memory.streams import buggy_signature
from schema.match import Region, Related

AROUND = 40
"""Stored texts ranked for the whole paste, the nearest by vector: further out the right one is hardly ever found."""
MOST_FUNCTIONS = 4
"""Functions of the paste whose candidates are ranked too, the largest first."""
LISTED = 10
LEAST_ALIKE, LEAST_ALIKE_SHORT = 0.35, 0.4
"""Below it nothing is listed: no program with a stored bug by another hand had it among its ten from further away. What comes first
for unrelated code has .49 in the middle, so that most of what is listed there is worth a glance only; the score says so."""
SHORT = 40
"""Texts of fewer tokens are soon alike by chance."""


@dataclass(frozen=True)
class Readable:
    """A past fix and how much it looks like the text (0-1)."""

    hit: KeyHit
    alike: float


@dataclass
class Surroundings:
    """Fetches candidates for the near tier, more of them for the whole text, and ranks what it has seen."""

    language: str
    ask: Callable[[Sequence[str], int], Sequence[Sequence[Candidate]]]
    """For each text its candidates, of the first text so many."""
    _seen: list[tuple[str, Sequence[Candidate]]] = field(default_factory=list)

    def fetch(self, texts: Sequence[str]) -> list[Sequence[Candidate]]:
        """What `memory.near.Fetch` promises."""
        found = self.ask(texts, AROUND)
        self._seen += zip(texts[: 1 + MOST_FUNCTIONS], found, strict=False)
        return [[*candidates[:CANDIDATES], *behind_crowds(candidates)] for candidates in found]

    def ranked(self) -> tuple[Readable, ...]:
        """Those that are alike enough, best first, each experience once. The first text is the whole paste, mostly."""
        best: dict[str, Readable] = {}
        for text, candidates in self._seen:
            query = read_signature(text, self.language)
            least = LEAST_ALIKE_SHORT if len(query) < SHORT else LEAST_ALIKE
            for hit, distance in candidates:
                alike = likeness(query, buggy_signature(hit, self.language), distance)
                known = best.get(hit.alternative.experience_id)
                if alike >= least and (known is None or alike > known.alike):
                    best[hit.alternative.experience_id] = Readable(hit, alike)
        ordered = sorted(best.values(), key=lambda each: -each.alike)[: AROUND + LISTED]
        apart = without_look_alikes(ordered, lambda each: each.hit, self.language)
        return tuple(islice(one_of_each(apart, lambda each: voice_of(each.hit.alternative), most=1 + MOST_FUNCTIONS), 2 * LISTED))


def likeness(query: Signature, stored: Signature, distance: float) -> float:
    """0 to 1; 0 for texts too long to be aligned. `distance` is the cosine distance of their vectors."""
    if max(len(query), len(stored)) > MOST_TOKENS:
        return 0.0
    from rapidfuzz.distance import Indel  # late: texts that are known by key are never compared

    return (max(0.0, 1 - distance) + float(Indel.normalized_similarity(query.abstract, stored.abstract))) / 2


def listed(first: Sequence[Related], around: Sequence[Readable], regions: Sequence[Region] = ()) -> tuple[Related, ...]:
    """What is in `first` and around, each experience once and with what `first` says of it; ten at most.

    Nothing that the regions offer, and of each import one at most, what is offered included.

    Those whose likeness is not known stand first: what the keys found. The others follow, most alike first.
    """
    alike = {each.hit.alternative.experience_id: _to_read(each) for each in around}
    merged: dict[str, Related] = {}
    for each in (*first, *alike.values()):
        known = alike.get(each.experience_id, each)
        merged.setdefault(each.experience_id, replace(each, score=known.score))
    offered = {region.experience_id for region in regions}
    kept = [each for each in merged.values() if each.experience_id not in offered]
    ordered = sorted(kept, key=lambda each: (each.score is not None, -(each.score or 0.0)))
    return one_voice_each(ordered, regions)[:LISTED]


def one_voice_each(related: Iterable[Related], regions: Sequence[Region]) -> tuple[Related, ...]:
    """Of each import the first, and none of an import of which something is offered; what nobody need vouch for stays."""
    return tuple(one_of_each(related, lambda each: each.source, used={region.source for region in regions}))


def _to_read(readable: Readable) -> Related:
    alternative = readable.hit.alternative
    reason = f"reading matter only: {readable.alike:.2f} alike, {origin_of(alternative)}"
    alike, said = round(readable.alike, 4), readable.hit.explanation
    return Related(alternative.experience_id, alternative.trust, reason, said, alike, voice_of(alternative))
