"""The fields of a record that only its own kind of line has: where it came from, what was checked, what happened since. Read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any, cast, get_args

from memory.line_fields import MAX_EXPLANATION, MAX_WORD, BadSeedError, moment_of, number_field, object_field, text_field
from memory.seed_lines import CLAIMABLE
from schema.experience import Kind, Provenance
from schema.fix import LEVELS, Check, Verification
from schema.usage import Usage

_MOST_SCOPES = 1_000


@dataclass(frozen=True)
class Counters:
    """What happened to an alternative since it was stored; times as they are stored, empty for never."""

    uses: int = 0
    accepted: int = 0
    rejected: int = 0
    pinned: bool = False
    last_used_at: str = ""
    corrected: int = 0
    kept_in: str = ""


def provenance_field(record: Mapping[str, Any], *, is_peer: bool, is_own: bool) -> Provenance:
    """Where a fix came from; only the user's own backup may say that it was made here, and a colleague's is a peer's."""
    origin = object_field(record, "provenance")
    kind = "peer" if is_peer else origin.get("kind")
    if is_own and origin.get("stored_as") in get_args(Kind):
        kind = origin["stored_as"]
    elif not isinstance(kind, str) or kind not in CLAIMABLE:
        kind = "jsonl"
    return Provenance(
        kind=cast("Kind", kind),
        ref=text_field(record, "source", most=MAX_WORD) or text_field(origin, "ref", most=MAX_WORD),
        author=text_field(origin, "author", most=MAX_WORD),
        file_hash=text_field(origin, "file_hash", most=MAX_WORD),
        license=text_field(record, "license", most=MAX_WORD) or text_field(origin, "license", most=MAX_WORD),
    )


def verification_field(record: Mapping[str, Any]) -> Verification:
    """How far a fix was checked."""
    plain = object_field(record, "verification")
    checks = plain.get("checks") or []
    if plain.get("level", "none") not in LEVELS or not isinstance(checks, list):
        raise BadSeedError("`verification` is not understood")
    return Verification(
        level=plain.get("level", "none"),
        checks=tuple(map(_check, checks)),
        refused=text_field(plain, "refused", most=MAX_EXPLANATION),
        basis=text_field(plain, "basis", most=MAX_EXPLANATION),
    )


def _check(plain: Any) -> Check:
    if not isinstance(plain, dict) or type(plain.get("passed")) is not bool:
        raise BadSeedError("`verification` holds an incomplete check")
    return Check(text_field(plain, "name", most=MAX_WORD), plain["passed"], text_field(plain, "detail", most=MAX_EXPLANATION))


def cost_field(record: Mapping[str, Any]) -> Usage:
    """What making it cost; nothing where that is not said."""
    plain = object_field(record, "cost")
    if not plain:
        return Usage()
    price = plain.get("cost_usd")
    if price is not None and (type(price) not in (int, float) or not isfinite(price) or price < 0):
        raise BadSeedError("`cost` is not understood")
    calls, sent, received = (number_field(plain, name) for name in ("calls", "input_tokens", "output_tokens"))
    return Usage(calls, sent, received, None if price is None else float(price))


def counters_field(record: Mapping[str, Any]) -> Counters:
    """What happened to it since."""
    plain = object_field(record, "counters")
    pinned = plain.get("pinned", False)
    if type(pinned) is not bool:
        raise BadSeedError("`pinned` is neither true nor false")
    return Counters(
        uses=number_field(plain, "uses"),
        accepted=number_field(plain, "accepted"),
        rejected=number_field(plain, "rejected"),
        pinned=pinned,
        last_used_at=time_field(plain, "last_used_at", None),
        corrected=number_field(plain, "corrected"),
        kept_in=text_field(plain, "kept_in", most=MAX_WORD),
    )


def scopes_field(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The projects it was met in, that of its making first."""
    listed = record.get("scopes") or []
    if not isinstance(listed, list) or len(listed) > _MOST_SCOPES:
        raise BadSeedError("`scopes` is no list of names")
    return tuple(text_field({"scopes": each}, "scopes", most=MAX_WORD) for each in listed)


def time_field(record: Mapping[str, Any], name: str, latest: datetime | None) -> str:
    """A time that the record claims, not later than `latest`; empty when there is none or it can't be read."""
    moment = moment_of(record.get(name))
    if moment is None:
        return ""
    return (moment if latest is None else min(moment, latest)).isoformat(timespec="seconds")
