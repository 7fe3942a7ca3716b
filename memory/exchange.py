"""Reading the record in which an alternative comes from another ledger: import, and sharing with colleagues.

How much of it is believed depends on who hands it in: a file and a colleague have no authority, so their fixes are judged anew and
nothing is counted; one's own backup comes back as it was. `memory.export_record` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, get_args

from errors import InputInvalidError
from memory.export_record import FORMAT
from memory.keys import NORMALISER, exact_key
from memory.line_fields import MAX_CODE, MAX_EXPLANATION, MAX_OWN_CODE, MAX_WORD, BadSeedError, findings_field, object_field, text_field
from memory.record_fields import (
    Counters,
    cost_field,
    counters_field,
    provenance_field,
    scopes_field,
    time_field,
    verification_field,
)
from memory.records import to_lf
from memory.seed_secrets import without_secrets
from memory.trust import is_suspicious, reason_to_quarantine
from schema.experience import Experience
from schema.match import Trust
from utils.language import detect

Reading = Literal["file", "peer", "backup"]
"""Who hands the record in. `file`: kind and time are believed, trust is judged here. `peer`: a colleague, the same but for the kind.
`backup`: the user's own, believed in everything."""

_LANGUAGE = re.compile(r"[a-z0-9][a-z0-9+#._-]{0,39}")
_WITHDRAWN = "rejected by whoever shares it"
_ASIDE_THERE = "quarantined where it comes from"


@dataclass(frozen=True)
class Past:
    """What a backup says happened to an alternative: `known_since` is when its code was first stored, `scopes` where it was met."""

    known_since: str
    counters: Counters
    scopes: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """A record that was read; `past` is None unless it is believed."""

    experience: Experience
    created_at: str
    past: Past | None
    made_in_session: bool
    """True when the fix was made where the record was written, not taken from elsewhere: its source is a session there."""
    claimed: tuple[str, str]
    """Id and fix key that the record gives; empty where it gives none, or where another reader of code made them."""


def experience_of(record: Mapping[str, Any], *, as_peer: bool) -> Experience:
    """What a record says, checked: types, sizes, and that id and fix key are those of its code. No secret is in it.

    As a peer's it has the kind `peer`, its author, and trust that is judged here: plausible at most, quarantined with a reason, nothing
    verified. Otherwise it is the user's own backup, believed. Raises InputInvalidError with a sentence.
    """
    try:
        read = read_record(record, "peer" if as_peer else "backup")
        check_identity(read)
    except BadSeedError as error:
        raise InputInvalidError(f"This record can't be used: {error}.") from None
    return without_secrets(read.experience)


def read_record(record: Mapping[str, Any], reading: Reading, now: datetime | None = None) -> Record:
    """The fields of a record, as far as they are believed; not yet without secrets. Raises BadSeedError.

    `now` limits the time that a file or a colleague may claim.
    """
    _refuse_newer(record)
    is_own = reading == "backup"
    experience = _experience(record, reading)
    claimed = (text_field(record, "id", most=MAX_WORD), text_field(record, "fix_key", most=MAX_WORD))
    maker = text_field(record, "normaliser", most=MAX_WORD) or NORMALISER
    return Record(
        experience=experience if is_own else _judged(record, experience),
        created_at=time_field(record, "created_at", None if is_own else now),
        past=Past(time_field(record, "known_since", None), counters_field(record), scopes_field(record)) if is_own else None,
        made_in_session=object_field(record, "provenance").get("stored_as") == "session",
        claimed=claimed if maker == NORMALISER else ("", ""),
    )


def check_identity(read: Record, made: tuple[str, str] | None = None) -> None:
    """Raises BadSeedError when the record's id or fix key is not that of its code: it was damaged, or changed by hand.

    `made` are the keys of both sides where they are known already.
    """
    experience = read.experience
    for side, (claimed, text) in enumerate(zip(read.claimed, (experience.code, experience.fixed_code), strict=True)):
        if claimed and claimed != (made[side] if made else exact_key(to_lf(text), experience.language)):
            raise BadSeedError(f"damaged: its {('`id`', '`fix_key`')[side]} is not that of its code")


def _refuse_newer(record: Mapping[str, Any]) -> None:
    number = record.get("format", 1)
    if type(number) is not int or number < 1:
        raise BadSeedError("`format` is no number of a format")
    if number > FORMAT:
        raise BadSeedError(f"written by a newer CodeMind (format {number}; this one reads up to {FORMAT}): install a newer one")


def _experience(record: Mapping[str, Any], reading: Reading) -> Experience:
    """All of it that says nothing about trust."""
    is_own = reading == "backup"
    most = MAX_OWN_CODE if is_own else MAX_CODE
    code = text_field(record, "code", "buggy", most=most, may_hold_nul=is_own)
    fixed = text_field(record, "fixed_code", "fixed", most=most, may_hold_nul=is_own)
    if not (code if is_own else code.strip()):
        raise BadSeedError("no buggy code (`code`)")
    if not fixed.strip() and not (is_own and "fixed_code" in record):
        raise BadSeedError("no fixed code (`fixed_code`)")
    experience = Experience(
        language=_language(record, code),
        code=code,
        fixed_code=fixed,
        explanation=text_field(record, "explanation", "description", most=MAX_OWN_CODE if is_own else MAX_EXPLANATION, may_hold_nul=is_own),
        provenance=provenance_field(record, is_peer=reading == "peer", is_own=is_own),
        findings=findings_field(record, with_fixes=is_own),
    )
    return _believed(record, experience) if is_own else experience


def _believed(record: Mapping[str, Any], experience: Experience) -> Experience:
    """With what a backup says of trust, evidence and cost."""
    trust = record.get("trust", "plausible")
    if trust not in get_args(Trust):
        raise BadSeedError("`trust` is none that is known")
    return replace(
        experience,
        trust=trust,
        trust_reason=text_field(record, "trust_reason", most=MAX_OWN_CODE, may_hold_nul=True),
        verification=verification_field(record),
        cost=cost_field(record),
        scope=(scopes_field(record) or ("",))[0],
    )


def _judged(record: Mapping[str, Any], experience: Experience) -> Experience:
    """Who hands a record in may lower its trust, never raise it. Another's rejection is no verdict of this user: it waits for approval."""
    claimed = record.get("trust")
    if claimed not in ("rejected", "quarantined"):
        found = reason_to_quarantine(experience)
        return replace(experience, **_aside(found)) if found else experience
    reason = text_field(record, "trust_reason", most=MAX_WORD)
    if found := reason_to_quarantine(experience):
        return replace(experience, **_aside(found))
    if claimed == "quarantined":
        return replace(experience, **_aside(reason if reason and not is_suspicious(reason) else _ASIDE_THERE))
    return replace(experience, **_aside(_WITHDRAWN))


def _aside(reason: str) -> dict[str, Any]:
    return {"trust": "quarantined", "trust_reason": reason}


def _language(record: Mapping[str, Any], code: str) -> str:
    """As it is stored, since the id rests on it; found out where the record does not say."""
    name = text_field(record, "language", "lang", most=MAX_WORD)
    if not name:
        return detect(code).language
    if not _LANGUAGE.fullmatch(name):
        raise BadSeedError("`language` is no name of a language")
    return name
