"""From an experience to the rows it becomes: its id, its keys on both sides, and its parts. Pure; done before any lock."""

from __future__ import annotations

from collections.abc import Iterator

from memory.keys import NORMALISER, exact_key, experience_id, renamed_key
from memory.parts import changed_parts
from memory.records import Key, Prepared, text_hash, to_lf
from schema.experience import Experience


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
    )


def _keys(code: str, fixed: str, language: str, part: int) -> Iterator[Key]:
    """Keys of both sides; no renamed ones when the fix only changes names, as both sides would be the same."""
    yield Key(exact_key(code, language), "exact", "buggy", part)
    yield Key(exact_key(fixed, language), "exact", "fixed", part)
    buggy_renamed, fixed_renamed = renamed_key(code, language), renamed_key(fixed, language)
    if buggy_renamed != fixed_renamed:
        yield Key(buggy_renamed, "renamed", "buggy", part)
        yield Key(fixed_renamed, "renamed", "fixed", part)
