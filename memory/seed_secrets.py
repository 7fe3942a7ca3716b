"""Seeds without their secrets: placeholders, as in a paste. So none gets on disk, and the same code pasted later has the same key."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from schema.experience import Experience, Provenance
from schema.finding import Finding
from utils.redact import redact


def without_secrets(experience: Experience) -> Experience:
    """The experience with a placeholder for each secret; one that both sides hold has the same on both."""
    code = redact(experience.code)
    fixed = redact(experience.fixed_code, reserved=code.text)
    text, known = fixed.text, list(code.secrets)
    for secret in fixed.secrets:
        same = next((other for other in known if (other.code, other.value) == (secret.code, secret.value)), None)
        if same is not None:
            known.remove(same)
            text = text.replace(secret.placeholder, same.placeholder)
    return replace(
        experience,
        code=code.text,
        fixed_code=text,
        explanation=_clean(experience.explanation),
        findings=tuple(map(_finding, experience.findings)),
        provenance=_provenance(experience.provenance),
        trust_reason=_clean(experience.trust_reason),
    )


def _provenance(provenance: Provenance) -> Provenance:
    """Where it came from may be an address with a password in it."""
    return replace(
        provenance,
        ref=_clean_word(provenance.ref),
        author=_clean_word(provenance.author),
        file_hash=_clean_word(provenance.file_hash),
        license=_clean_word(provenance.license),
    )


def _finding(finding: Finding) -> Finding:
    return replace(
        finding,
        message=_clean(finding.message),
        suggestion=_clean(finding.suggestion),
        evidence=_clean(finding.evidence),
        path=_clean(finding.path),
        rule_id=_clean(finding.rule_id),
        source=_clean(finding.source),
    )


def _clean(text: str) -> str:
    """Most of these are empty, and looking for secrets takes a tenth of a millisecond."""
    return redact(text).text if text else ""


@lru_cache(maxsize=256)
def _clean_word(text: str) -> str:
    """Thousands of lines have the same source and the same file."""
    return _clean(text)
