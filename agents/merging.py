"""A reviewer's findings laid over those that were there: one defect is one finding, whoever has seen it.

The finding that was there keeps its place, rule, severity and fix, because a program stands behind them; the model adds its name, its
confidence and what the finding did not say. Nothing that was there goes away, whatever the model answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.same_defect import same_defect, same_meaning, same_place, telling_words
from schema.finding import Finding, severity_rank
from schema.finding_sets import by_place
from schema.match import Region

MAX_MESSAGE = 500
SHORT = 70
"""Characters of a message that says little about this code."""
MIN_NEWS = 3
"""Telling words that the model's message must add to be shown behind a short one."""


def merge_review(there: Sequence[Finding], own: Sequence[Finding], regions: Sequence[Region] = ()) -> tuple[Finding, ...]:
    """All of `there`, and what `own` adds, in the order of the text. In `regions`, which memory knows, its findings hold for the whole."""
    merged = list(there)
    added: list[Finding] = []
    for found in own:
        index = next((at for at, known in enumerate(merged) if is_known(found, known, regions)), None)
        if index is not None:
            merged[index] = both(merged[index], found)
        else:
            _add(added, found)
    return by_place([*merged, *added])


def is_known(found: Finding, known: Finding, regions: Sequence[Region]) -> bool:
    """True when `known` is the defect that the model has found."""
    if same_defect(found, known):
        return True
    if not known.source.startswith("memory:"):
        return False
    in_one_region = any(_inside(found, region) and _inside(known, region) for region in regions)
    return in_one_region and same_meaning(found, known)


def both(known: Finding, found: Finding) -> Finding:
    """One finding that names both sources. Its fingerprint stays: a verdict on it still holds."""
    if found.source in known.source:
        return known
    return replace(
        known,
        source=f"{known.source}, {found.source}",
        message=_message(known.message, found.message),
        suggestion=known.suggestion or found.suggestion,
        confidence=max(known.confidence, found.confidence),
    )


def _message(known: str, found: str) -> str:
    """The known message; the model's behind it when the known one is short and the other has more to say."""
    news = telling_words(found) - telling_words(known)
    joined = f"{known.rstrip('.')}. Model: {found}"
    return joined if len(known) < SHORT and len(news) >= MIN_NEWS and len(joined) <= MAX_MESSAGE else known


def _add(added: list[Finding], found: Finding) -> None:
    """A model that says the same twice has one finding: the worse one."""
    for at, other in enumerate(added):
        if (
            same_place(found, other)
            and found.category == other.category
            and (found.evidence == other.evidence and same_meaning(found, other))
        ):
            added[at] = max(other, found, key=lambda one: (severity_rank(one.severity), one.confidence))
            return
    added.append(found)


def _inside(found: Finding, region: Region) -> bool:
    return region.start_line <= found.start_line and found.end_line <= region.end_line
