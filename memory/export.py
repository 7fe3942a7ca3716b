"""The memory as JSONL, one alternative a line: what `memory seed` reads back into the same lines.

Trust is written only where it lowers: a file has no authority to call its fixes proved, so evidence is made anew where it is read.
Costs are written for the reader; they are not taken over, since what another program spent was not spent here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from memory.ledger import Ledger
from memory.records import COLUMNS, StoredAlternative, alternative_of

_QUERY = f"SELECT {COLUMNS} FROM alternatives a JOIN experiences e ON e.seq = a.experience ORDER BY a.seq"  # noqa: S608 - constants only


def export_jsonl(ledger: Ledger) -> Iterator[str]:
    """The lines in the order of storing, without line ends, pure ASCII. An empty home gives none."""
    with ledger.reading() as connection:
        for row in connection.execute(_QUERY):
            yield export_line(alternative_of(row))


def export_line(alternative: StoredAlternative) -> str:
    """One line. `code` and `fixed_code` are the stored bytes; `source` and `provenance.ref` say where they came from."""
    origin = alternative.provenance
    provenance = {
        "kind": "peer" if origin.kind == "session" else origin.kind,
        "ref": origin.ref,
        "author": origin.author,
        "file_hash": origin.file_hash,
        "license": origin.license,
    }
    line = {
        "id": alternative.experience_id,
        "language": alternative.language,
        "code": alternative.code,
        "fixed_code": alternative.fixed_code,
        "explanation": alternative.explanation,
        "source": origin.ref,
        "license": origin.license,
        "provenance": provenance,
        "findings": [replace(finding, fix=None).as_plain() for finding in alternative.findings],
        "created_at": alternative.created_at,
    }
    if alternative.cost.calls:
        line["cost"] = alternative.cost.as_plain()
    if not alternative.is_offered:
        line |= {"trust": alternative.trust, "trust_reason": alternative.trust_reason}
    return json.dumps(line)
