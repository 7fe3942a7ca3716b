"""One source, one voice: of what nobody vouches for, at most one of the past fixes that are shown for a text comes from the same import.

Whoever plants a thousand look-alikes otherwise fills every list and pushes what others know out of it. A source is what came in together:
the seed file (by its hash), the repository, or the colleague. What was made here, accepted, proved, pinned or approved by the user is
nobody's import any more and is not counted. Functions of one paste are questions of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

from memory.records import StoredAlternative
from memory.schema_sharing import PULLED
from schema.experience import Provenance

Shown = TypeVar("Shown")
_SCHEME = re.compile(r"^\w+://")
_BELOW = re.compile(r"[#@:/]")


def source_of(alternative: StoredAlternative) -> str:
    """The import that the alternative came with; empty when more than an import speaks for it."""
    return "" if is_vouched(alternative) else source_named(alternative.provenance)


def voice_of(alternative: StoredAlternative) -> str:
    """As `source_of`, for what is listed to be read: lines of a seed file that name other sources are other voices.

    A team's notes are one file of many hands. What such a file claims is not proved, so look-alikes of one file are one voice all the
    same (`memory.look_alikes`), and where it crowds others out it counts as one (`memory.crowding`).
    """
    origin = alternative.provenance
    is_from_file = bool(origin.file_hash) and not origin.file_hash.startswith(PULLED)
    if is_vouched(alternative) or not is_from_file or not origin.ref:
        return source_of(alternative)
    return f"{origin.kind} {_stem(origin.ref)}"


def is_vouched(alternative: StoredAlternative) -> bool:
    """True when it was made here, or is proved, pinned or accepted."""
    is_ours = alternative.provenance.kind == "session" or alternative.trust == "proved"
    return is_ours or alternative.pinned or alternative.verdicts > 0 or bool(alternative.kept_in)


def source_named(origin: Provenance) -> str:
    """What came in together has the same name: `team-notes#1` and `team-notes#2`, commits of one repository, lines of one file."""
    is_from_file = bool(origin.file_hash) and not origin.file_hash.startswith(PULLED)
    if origin.kind == "peer" and not is_from_file:  # a file may claim an author for each line
        return f"peer {origin.author}"
    if origin.file_hash:
        return f"file {origin.file_hash}"
    return f"{origin.kind} {_stem(origin.ref)}"


def _stem(ref: str) -> str:
    return _BELOW.split(_SCHEME.sub("", ref), maxsplit=1)[0]


def outranks(alternative: StoredAlternative, other: StoredAlternative) -> bool:
    """True when more speaks for it; where nothing does, of one source the newest, of two the one that was here first.

    When an import was made is only claimed: what comes last can't push aside what others know.
    """
    if alternative.evidence != other.evidence or source_of(alternative) == source_of(other):
        return alternative.rank() > other.rank()
    return alternative.id < other.id


def best_first(found: Iterable[Shown], stored: Callable[[Shown], StoredAlternative]) -> list[Shown]:
    """By evidence; of equal ones those of the source that was here first, and of one source the newest."""
    first: dict[str, int] = {}
    waiting = list(found)
    for each in waiting:
        name = source_of(stored(each))
        first[name] = min(first.get(name, stored(each).id), stored(each).id) if name else 0
    return sorted(
        waiting,
        key=lambda each: (stored(each).evidence, -first[source_of(stored(each))], stored(each).created_at, stored(each).id),
        reverse=True,
    )


def one_of_each(found: Iterable[Shown], source: Callable[[Shown], str], most: int = 1, used: Container[str] = ()) -> Iterator[Shown]:
    """Of each source the first ones, `most` at most, and none of those `used` already; all that have no source."""
    seen: dict[str, int] = {}
    for each in found:
        name = source(each)
        seen[name] = seen.get(name, 0) + 1
        if not name or (seen[name] <= most and name not in used):
            yield each


def in_turns(found: Sequence[Shown], source: Callable[[Shown], str]) -> list[Shown]:
    """First the best of each source, then the second best of each: what is cut off at the end is nobody's whole share."""
    queues: dict[object, list[Shown]] = {}
    for number, each in enumerate(found):
        queues.setdefault(source(each) or number, []).append(each)
    return [each for turn in zip_longest(*queues.values()) for each in turn if each is not None]
