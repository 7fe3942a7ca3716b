"""One line of a seed file, read strictly: what can't be understood is refused with a reason, never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from memory.line_fields import MAX_CODE, MAX_EXPLANATION, MAX_WORD, BadSeedError, findings_field, json_object, moment_of, text_field
from memory.seed_secrets import without_secrets
from memory.trust import is_suspicious, reason_to_quarantine
from schema.experience import Experience, Kind, Provenance
from schema.match import Trust
from utils.language import detect

CLAIMABLE: frozenset[str] = frozenset({"jsonl", "git", "pair", "peer"})
"""Where an import may say it comes from; `session` is what happened here."""


SET_ASIDE = "set aside by the file that it comes from"


@dataclass(frozen=True)
class SeedRow:
    """One line as an experience; `created_at` is what the line claims, empty when it claims nothing."""

    experience: Experience
    created_at: str = ""


def parse_seed(
    raw: bytes, now: datetime, scope: str = "", file_hash: str = "", file_name: str = "", *, may_reject: bool = False
) -> SeedRow:
    """Read one line and judge it; the file stands in for a source that the line does not name. Raises BadSeedError.

    `may_reject`: the line was written here, of a Git history, and what it calls rejected is.
    """
    line = json_object(raw)
    code, fixed = text_field(line, "code", "buggy", most=MAX_CODE), text_field(line, "fixed_code", "fixed", most=MAX_CODE)
    if not code.strip():
        raise BadSeedError("no buggy code (`code` or `buggy`)")
    if not fixed.strip():
        raise BadSeedError("no fixed code (`fixed_code` or `fixed`)")
    experience = Experience(
        language=_language(line, code),
        code=code,
        fixed_code=fixed,
        explanation=text_field(line, "explanation", "description", most=MAX_EXPLANATION),
        provenance=_provenance(line, file_hash, file_name),
        findings=findings_field(line),
        scope=scope,
    )
    trust, reason = _trust(line, experience, may_reject=may_reject)
    return SeedRow(without_secrets(replace(experience, trust=trust, trust_reason=reason)), _created_at(line, now))


def _language(line: Mapping[str, Any], code: str) -> str:
    """The given language by any of its names, else the detected one."""
    return detect(code, hint=text_field(line, "language", "lang", most=MAX_WORD) or None).language


def _provenance(line: Mapping[str, Any], file_hash: str, file_name: str) -> Provenance:
    claimed = line.get("provenance")
    claimed = claimed if isinstance(claimed, dict) else {}
    kind = claimed.get("kind")
    return Provenance(
        kind=cast("Kind", kind) if isinstance(kind, str) and kind in CLAIMABLE else "jsonl",
        ref=text_field(line, "source", most=MAX_WORD) or text_field(claimed, "ref", most=MAX_WORD) or file_name,
        author=text_field(claimed, "author", most=MAX_WORD),
        file_hash=file_hash or text_field(claimed, "file_hash", most=MAX_WORD),
        license=text_field(line, "license", most=MAX_WORD) or text_field(claimed, "license", most=MAX_WORD),
    )


def _trust(line: Mapping[str, Any], experience: Experience, *, may_reject: bool) -> tuple[Trust, str]:
    """A file may lower its own trust, never raise it: the rest is judged here.

    What it calls rejected is quarantined: only the user rejects, and a fix that others know can't be blocked by a line that says so.
    """
    claimed, said = line.get("trust"), text_field(line, "trust_reason", most=MAX_WORD)
    if may_reject and claimed == "rejected":
        return "rejected", said
    reason = reason_to_quarantine(experience)
    if reason or claimed not in ("quarantined", "rejected"):
        return ("quarantined", reason) if reason else ("plausible", "")
    return "quarantined", said if said and not is_suspicious(said) else SET_ASIDE


def _created_at(line: Mapping[str, Any], now: datetime) -> str:
    """The claimed time, not later than now; empty when there is none or it can't be read."""
    moment = moment_of(line.get("created_at"))
    return "" if moment is None else min(moment, now).isoformat(timespec="seconds")
