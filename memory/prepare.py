"""From an experience to the rows it becomes: its id, its keys on both sides, its parts, vectors and streams. Pure; done before any lock."""

from __future__ import annotations

from collections.abc import Iterator

from memory.keys import NORMALISER, KeyMaker, exact_key
from memory.parts import changed_parts
from memory.records import Key, Prepared, Side, Vector, text_hash, to_lf
from memory.streams import pair_streams
from memory.vectors import embed, fingerprint
from schema.experience import Experience


def prepare(experience: Experience) -> Prepared | None:
    """Compute what is stored; None when the fix changes nothing that a program would see."""
    code, fixed, language = to_lf(experience.code), to_lf(experience.fixed_code), experience.language
    before, after = KeyMaker(code, language), KeyMaker(fixed, language)
    if before.exact == after.exact:
        return None
    parts = changed_parts(code, fixed, language)
    keys = list(_keys(before, after, 0))
    for part in parts:
        keys.extend(_keys(KeyMaker(part.code, language), KeyMaker(part.fixed_code, language), part.number))
    return Prepared(
        experience=experience,
        id=before.exact,
        fix_key=after.exact,
        fix_hash=text_hash(experience.fixed_code),
        text_hash=text_hash(experience.code),
        keys=tuple(dict.fromkeys(keys)),
        parts=parts,
        normaliser=NORMALISER,
        vectors=tuple(Vector(exact_key(text, language), embed(text, language)) for text in (code, *(part.code for part in parts))),
        embedder=fingerprint(),
        streams=(
            pair_streams(0, code, fixed, language),
            *(pair_streams(part.number, part.code, part.fixed_code, language) for part in parts),
        ),
    )


def _keys(before: KeyMaker, after: KeyMaker, part: int) -> Iterator[Key]:
    """Keys of both sides; no renamed ones when the fix only changes names, as both sides would be the same."""
    sides: tuple[tuple[Side, KeyMaker], ...] = (("buggy", before), ("fixed", after))
    for side, made in sides:
        yield Key(made.exact, "exact", side, part, made.length)
    if before.renamed != after.renamed:
        for side, made in sides:
            yield Key(made.renamed, "renamed", side, part, made.length)
