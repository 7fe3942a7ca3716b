"""One line of a seed file, read strictly: what can't be understood is refused with a reason, never guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

from memory.seed_secrets import without_secrets
from memory.trust import reason_to_quarantine
from schema.experience import Experience, Kind, Provenance
from schema.finding import SEVERITIES, Finding
from schema.match import Trust
from utils.language import detect

MAX_CODE = 500_000
"""Characters of one side of a pair."""
MAX_EXPLANATION = 20_000
_MAX_WORD = 1_000
_CLAIMABLE: frozenset[str] = frozenset({"jsonl", "git", "pair", "peer"})
"""Where an import may say it comes from; `session` is what happened here."""
_CATEGORIES = frozenset({"bug", "security", "reliability", "performance", "maintainability"})
_NUMBERS = ("start_line", "end_line", "start_column", "end_column")
_WORDS = ("rule_id", "message", "suggestion", "evidence", "source", "path")


class BadSeedError(ValueError):
    """The line can't be used; the message is a short reason without content of the line."""


@dataclass(frozen=True)
class SeedRow:
    """One line as an experience; `created_at` is what the line claims, empty when it claims nothing."""

    experience: Experience
    created_at: str = ""


def parse_seed(raw: bytes, now: datetime, scope: str = "", file_hash: str = "", file_name: str = "") -> SeedRow:
    """Read one line and judge it; the file stands in for a source that the line does not name. Raises BadSeedError."""
    line = _object(raw)
    code, fixed = _text(line, "code", "buggy", most=MAX_CODE), _text(line, "fixed_code", "fixed", most=MAX_CODE)
    if not code.strip():
        raise BadSeedError("no buggy code (`code` or `buggy`)")
    if not fixed.strip():
        raise BadSeedError("no fixed code (`fixed_code` or `fixed`)")
    experience = Experience(
        language=_language(line, code),
        code=code,
        fixed_code=fixed,
        explanation=_text(line, "explanation", "description", most=MAX_EXPLANATION),
        provenance=_provenance(line, file_hash, file_name),
        findings=_findings(line),
        scope=scope,
    )
    trust, reason = _trust(line, experience)
    return SeedRow(without_secrets(replace(experience, trust=trust, trust_reason=reason)), _created_at(line, now))


def _object(raw: bytes) -> dict[str, Any]:
    try:
        line = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadSeedError("not UTF-8") from None
    except (ValueError, RecursionError):
        raise BadSeedError("not JSON") from None
    if not isinstance(line, dict):
        raise BadSeedError("not a JSON object")
    return line


def _text(line: Mapping[str, Any], *names: str, most: int) -> str:
    """The first of the names that is there, as text; empty when none is."""
    name = next((each for each in names if line.get(each) is not None), "")
    if not name:
        return ""
    value = line[name]
    if not isinstance(value, str):
        raise BadSeedError(f"`{name}` is not text")
    if len(value) > most:
        raise BadSeedError(f"`{name}` is longer than {most} characters")
    if "\x00" in value:
        raise BadSeedError(f"`{name}` holds a NUL character")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadSeedError(f"`{name}` holds a lone surrogate") from None
    return value


def _language(line: Mapping[str, Any], code: str) -> str:
    """The given language by any of its names, else the detected one."""
    return detect(code, hint=_text(line, "language", "lang", most=_MAX_WORD) or None).language


def _provenance(line: Mapping[str, Any], file_hash: str, file_name: str) -> Provenance:
    claimed = line.get("provenance")
    claimed = claimed if isinstance(claimed, dict) else {}
    kind = claimed.get("kind")
    return Provenance(
        kind=cast("Kind", kind) if isinstance(kind, str) and kind in _CLAIMABLE else "jsonl",
        ref=_text(line, "source", most=_MAX_WORD) or _text(claimed, "ref", most=_MAX_WORD) or file_name,
        author=_text(claimed, "author", most=_MAX_WORD),
        file_hash=_text(claimed, "file_hash", most=_MAX_WORD) or file_hash,
        license=_text(line, "license", most=_MAX_WORD) or _text(claimed, "license", most=_MAX_WORD),
    )


def _trust(line: Mapping[str, Any], experience: Experience) -> tuple[Trust, str]:
    """A file may lower its own trust, never raise it: the rest is judged here."""
    claimed = line.get("trust")
    if claimed in ("quarantined", "rejected"):
        return cast("Trust", claimed), _text(line, "trust_reason", most=_MAX_WORD)
    reason = reason_to_quarantine(experience)
    return ("quarantined", reason) if reason else ("plausible", "")


def _created_at(line: Mapping[str, Any], now: datetime) -> str:
    """The claimed time, not later than now; empty when there is none or it can't be read."""
    claimed = line.get("created_at")
    if not isinstance(claimed, str):
        return ""
    try:
        moment = datetime.fromisoformat(claimed)
    except ValueError:
        return ""
    if moment.tzinfo is None:
        return ""
    return min(moment.astimezone(UTC), now).isoformat(timespec="seconds")


def _findings(line: Mapping[str, Any]) -> tuple[Finding, ...]:
    listed = line.get("findings") or []
    if not isinstance(listed, list):
        raise BadSeedError("`findings` is not a list")
    return tuple(_finding(plain) for plain in listed)


def _finding(plain: Any) -> Finding:
    """A finding whose every field has the right type; its edits are left out, as the stored fix is what counts."""
    if not isinstance(plain, dict):
        raise BadSeedError("`findings` holds something else than objects")
    numbers = all(type(plain.get(name)) is int and plain[name] > 0 for name in _NUMBERS)
    words = all(isinstance(plain.get(name), str) for name in _WORDS)
    confidence = plain.get("confidence", 1.0)
    if not numbers or not words or not isinstance(confidence, int | float):
        raise BadSeedError("`findings` holds an incomplete finding")
    if plain.get("severity") not in SEVERITIES or plain.get("category") not in _CATEGORIES:
        raise BadSeedError("`findings` holds an unknown severity or category")
    for name in _WORDS:
        _text(plain, name, most=MAX_EXPLANATION)
    values = {name: plain[name] for name in (*_NUMBERS, *_WORDS, "severity", "category")}
    return Finding(**values, confidence=float(confidence))
