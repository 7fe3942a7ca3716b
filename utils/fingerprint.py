"""The one fingerprint of a finding: stable while the code moves, different when the code differs."""

from __future__ import annotations

import hashlib


def fingerprint(rule_id: str, path: str, evidence: str, ordinal: int = 0) -> str:
    """Sixteen hex digits of rule, path, normalised evidence and ordinal.

    `ordinal` tells equal evidence of one rule in one file apart (0 for the first). Layout of the evidence does not count.
    """
    parts = (rule_id, path, " ".join(evidence.split()), str(ordinal))
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
