"""Seeds without their secrets: placeholders, as in a paste. So none gets on disk, and the same code pasted later has the same key."""

from __future__ import annotations

from dataclasses import replace

from schema.experience import Experience
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
        explanation=redact(experience.explanation).text,
        findings=tuple(map(_finding, experience.findings)),
    )


def _finding(finding: Finding) -> Finding:
    return replace(
        finding,
        message=redact(finding.message).text,
        suggestion=redact(finding.suggestion).text,
        evidence=redact(finding.evidence).text,
    )
