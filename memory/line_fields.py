"""The fields of one JSON line, read strictly: a field that can't be understood is refused with a reason, never guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import Any, cast, get_args

from schema.finding import SEVERITIES, Applicability, Category, Finding, SuggestedFix, TextEdit

MAX_CODE = 500_000
"""Characters of one side of a pair."""
MAX_OWN_CODE = 16_000_000
"""The same in one's own backup: a paste may be larger than what is taken from a file."""
MAX_EXPLANATION = 20_000
MAX_WORD = 1_000
MAX_NUMBER = 2**53
"""Counters and columns: what JSON readers agree on."""
CATEGORIES = get_args(Category)
APPLICABILITIES = get_args(Applicability)
_NUMBERS = ("start_line", "end_line", "start_column", "end_column")
_WORDS = ("rule_id", "message", "suggestion", "evidence", "source", "path")


class BadSeedError(ValueError):
    """The line can't be used; the message is a short reason without content of the line."""


def json_object(raw: bytes) -> dict[str, Any]:
    """The object that the line holds."""
    try:
        line = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadSeedError("not UTF-8") from None
    except (ValueError, RecursionError):
        raise BadSeedError("not JSON") from None
    if not isinstance(line, dict):
        raise BadSeedError("not a JSON object")
    return line


def text_field(line: Mapping[str, Any], *names: str, most: int, may_hold_nul: bool = False) -> str:
    """The first of the names that is there, as text of at most `most` characters; empty when none is."""
    name = next((each for each in names if line.get(each) is not None), "")
    if not name:
        return ""
    value = line[name]
    if not isinstance(value, str):
        raise BadSeedError(f"`{name}` is not text")
    if len(value) > most:
        raise BadSeedError(f"`{name}` is longer than {most} characters")
    if "\x00" in value and not may_hold_nul:
        raise BadSeedError(f"`{name}` holds a NUL character")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadSeedError(f"`{name}` holds a lone surrogate") from None
    return value


def number_field(line: Mapping[str, Any], name: str) -> int:
    """A whole number from 0 on; 0 when it is not there."""
    value = line.get(name)
    if value is None:
        return 0
    if type(value) is not int or not 0 <= value <= MAX_NUMBER:
        raise BadSeedError(f"`{name}` is no whole number from 0 on")
    return value


def object_field(line: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object; an empty one when it is not there."""
    value = line.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadSeedError(f"`{name}` is not an object")
    return value


def moment_of(claimed: Any) -> datetime | None:
    """A time with its zone, in UTC; None when it can't be read as one."""
    if not isinstance(claimed, str):
        return None
    try:
        moment = datetime.fromisoformat(claimed)
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def findings_field(line: Mapping[str, Any], *, with_fixes: bool = False) -> tuple[Finding, ...]:
    """Findings whose every field has the right type. Their edits are left out, unless they are asked for: the stored fix is what counts."""
    listed = line.get("findings") or []
    if not isinstance(listed, list):
        raise BadSeedError("`findings` is not a list")
    return tuple(_finding(plain, with_fixes=with_fixes) for plain in listed)


def _finding(plain: Any, *, with_fixes: bool) -> Finding:
    if not isinstance(plain, dict):
        raise BadSeedError("`findings` holds something else than objects")
    numbers = all(_is_place(plain.get(name)) for name in _NUMBERS)
    words = all(isinstance(plain.get(name), str) for name in _WORDS)
    confidence = plain.get("confidence", 1.0)
    if not numbers or not words or not isinstance(confidence, int | float) or not isfinite(confidence):
        raise BadSeedError("`findings` holds an incomplete finding")
    if plain.get("severity") not in SEVERITIES or plain.get("category") not in CATEGORIES:
        raise BadSeedError("`findings` holds an unknown severity or category")
    for name in _WORDS:
        text_field(plain, name, most=MAX_OWN_CODE if with_fixes else MAX_EXPLANATION, may_hold_nul=with_fixes)
    values = {name: plain[name] for name in (*_NUMBERS, *_WORDS, "severity", "category")}
    if not with_fixes:
        return Finding(**values, confidence=float(confidence))
    return Finding(**values, confidence=float(confidence), fix=_fix(plain), fingerprint=text_field(plain, "fingerprint", most=MAX_WORD))


def _fix(plain: Mapping[str, Any]) -> SuggestedFix | None:
    fix = object_field(plain, "fix")
    if not fix:
        return None
    edits, applicability = fix.get("edits"), fix.get("applicability")
    if not isinstance(edits, list) or applicability not in APPLICABILITIES:
        raise BadSeedError("`findings` holds an incomplete fix")
    return SuggestedFix(tuple(map(_edit, edits)), cast("Applicability", applicability))


def _edit(plain: Any) -> TextEdit:
    if not isinstance(plain, dict) or not all(_is_place(plain.get(name)) for name in _NUMBERS):
        raise BadSeedError("`findings` holds an incomplete edit")
    return TextEdit(**{name: plain[name] for name in _NUMBERS}, text=text_field(plain, "text", most=MAX_OWN_CODE, may_hold_nul=True))


def _is_place(value: Any) -> bool:
    return type(value) is int and 0 < value <= MAX_NUMBER
