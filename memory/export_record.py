"""Writing the one record in which an alternative leaves this ledger: export, and sharing with colleagues. It says all that is stored.

Needs the standard library only; `memory.exchange` reads it.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from memory.keys import NORMALISER
from memory.records import StoredAlternative
from schema.experience import Provenance

FORMAT = 2
"""Of the records that are written; one without a number is of format 1, which had fewer fields."""


def record_of(connection: sqlite3.Connection, alternative: StoredAlternative) -> dict[str, Any]:
    """Everything that is stored of an alternative, as a JSON object; `connection` reads the ledger that it comes from.

    `trust`, `verification`, `counters` and `scopes` are for reading and for one's own backup: see `memory.exchange.experience_of`.
    """
    query = "SELECT a.fix_key, e.created_at FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE a.seq = ?"
    fix_key, known_since = connection.execute(query, (alternative.id,)).fetchone()
    others = connection.execute("SELECT scope FROM scopes WHERE alternative = ? ORDER BY scope", (alternative.id,))
    record = {
        "format": FORMAT,
        "id": alternative.experience_id,
        "fix_key": fix_key,
        "normaliser": NORMALISER,
        "language": alternative.language,
        "code": alternative.code,
        "fixed_code": alternative.fixed_code,
        "explanation": alternative.explanation,
        "source": alternative.provenance.ref,
        "license": alternative.provenance.license,
        "provenance": _provenance_of(alternative.provenance),
        "findings": [finding.as_plain() for finding in alternative.findings],
        "created_at": alternative.created_at,
        "known_since": known_since,
        "trust": alternative.trust,
        "trust_reason": alternative.trust_reason,
        "verification": alternative.verification.as_plain(),
        "counters": {
            "uses": alternative.uses,
            "accepted": alternative.accepted,
            "rejected": alternative.rejected,
            "pinned": alternative.pinned,
            "last_used_at": alternative.last_used_at,
            "corrected": alternative.corrected,
            "kept_in": alternative.kept_in,
        },
        "scopes": list(dict.fromkeys([alternative.scope, *(scope for (scope,) in others)])),
    }
    if alternative.cost.calls:
        record["cost"] = alternative.cost.as_plain()
    return record


def _provenance_of(origin: Provenance) -> dict[str, str]:
    """For others what was made here comes from a peer; `stored_as` is for the user's own backup."""
    return {
        "kind": "peer" if origin.kind == "session" else origin.kind,
        "stored_as": origin.kind,
        "ref": origin.ref,
        "author": origin.author,
        "file_hash": origin.file_hash,
        "license": origin.license,
    }
