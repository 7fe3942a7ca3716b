"""From an experience to the rows it becomes: its id, its keys on both sides, its parts and vectors. Pure; done before any lock."""

from __future__ import annotations

from collections.abc import Iterator

from memory.keys import NORMALISER, exact_key, experience_id, renamed_key
from memory.parts import changed_parts
from memory.records import Key, Prepared, Side, Vector, text_hash, to_lf
from memory.vectors import embed, fingerprint
from schema.experience import Experience
from utils.tokens import exact_stream


def prepare(experience: Experience) -> Prepared | None:
    """Compute what is stored; None when the fix changes nothing that a program would see."""
    code, fixed, language = to_lf(experience.code), to_lf(experience.fixed_code), experience.language
    fix_key = exact_key(fixed, language)
    if exact_key(code, language) == fix_key:
        return None
    parts = changed_parts(code, fixed, language)
    keys = list(_keys(code, fixed, language, 0))
    for part in parts:
        keys.extend(_keys(part.code, part.fixed_code, language, part.number))
    return Prepared(
        experience=experience,
        id=experience_id(code, language),
        fix_key=fix_key,
        fix_hash=text_hash(fixed),
        text_hash=text_hash(code),
        keys=tuple(dict.fromkeys(keys)),
        parts=parts,
        normaliser=NORMALISER,
        vectors=tuple(Vector(exact_key(text, language), embed(text, language)) for text in (code, *(part.code for part in parts))),
        embedder=fingerprint(),
    )


def _keys(code: str, fixed: str, language: str, part: int) -> Iterator[Key]:
    """Keys of both sides; no renamed ones when the fix only changes names, as both sides would be the same."""
    sides: tuple[tuple[Side, str, int], ...] = (("buggy", code, _length(code, language)), ("fixed", fixed, _length(fixed, language)))
    for side, text, length in sides:
        yield Key(exact_key(text, language), "exact", side, part, length)
    renamed = [renamed_key(text, language) for _, text, _ in sides]
    if renamed[0] != renamed[1]:
        for (side, _, length), key in zip(sides, renamed, strict=True):
            yield Key(key, "renamed", side, part, length)


def _length(text: str, language: str) -> int:
    return len(exact_stream(text, language))
