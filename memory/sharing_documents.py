"""From a fix to the document that colleagues read, or the reason why it stays here; and back. Pure but for reading the ledger."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.exchange import check_identity, read_record
from memory.export_record import record_of
from memory.line_fields import MAX_CODE, MAX_EXPLANATION, BadSeedError, json_object
from memory.prepare import prepare
from memory.records import COLUMNS, OFFERED, Prepared, StoredAlternative, alternative_of
from memory.schema_sharing import PULLED
from memory.seed_secrets import without_secrets
from memory.sharing_state import Revision
from schema.experience import Experience
from schema.sharing import SharedDocument, SharedHead
from utils.redact import redact

HOLDS_SECRET = "look as if they held a secret"  # noqa: S105 - a reason
TOO_LARGE = "are larger than what colleagues take"
WAITS = "wait for your approval"
REJECTED = "were rejected"
NOT_OURS = "came from the shared memory"
MAX_DOCUMENT = 4_000_000
"""Characters of a document that is read; what is sent is smaller by far."""

_QUERY = f"SELECT {COLUMNS} FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE a.seq = ?"  # noqa: S608 - constants only
_OWN_BUSINESS = ("scopes", "counters", "cost", "known_since")
"""Fields of a record that say something of the user's projects and habits, and that nobody else would take over."""


@dataclass(frozen=True)
class Outgoing:
    """What is to be said of a revision. With `why` the fix is not offered, and `document` is its withdrawal.

    A withdrawal need be written only where an offer stands. `why` is empty, too, for what is gone.
    """

    seq: int
    document: SharedDocument
    why: str = ""


def outgoing(connection: sqlite3.Connection, revision: Revision, client: str, author: str) -> Outgoing:
    """The document of a revision; `author` is written where the fix names none."""
    head = SharedHead(document_id(revision.experience_id, revision.fix_key, client), client, revision.seq)
    row = None if revision.alternative is None else connection.execute(_QUERY, (revision.alternative,)).fetchone()
    if row is None:
        return Outgoing(revision.seq, _withdrawal(head, revision))
    alternative = alternative_of(row)
    why = why_held(alternative)
    if why:
        return Outgoing(revision.seq, _withdrawal(head, revision), why)
    return Outgoing(revision.seq, SharedDocument(head, _record_text(connection, alternative, author)))


def document_id(experience_id: str, fix_key: str, client: str) -> str:
    """One document for each fix of each client: writing it again changes nothing, and nobody writes over a colleague's."""
    return f"{experience_id}.{fix_key}.{client}"


def why_held(alternative: StoredAlternative) -> str:
    """Why a fix stays here; empty when it may go. What looks like a secret is looked for again: rules get better."""
    if is_pulled(alternative.provenance.kind, alternative.provenance.file_hash):
        return NOT_OURS
    if alternative.trust not in OFFERED:
        return WAITS if alternative.trust == "quarantined" else REJECTED
    if max(len(alternative.code), len(alternative.fixed_code)) > MAX_CODE or len(alternative.explanation) > MAX_EXPLANATION:
        return TOO_LARGE
    return HOLDS_SECRET if any(redact(text).secrets for text in _texts(alternative)) else ""


def is_pulled(kind: str, file_hash: str) -> bool:
    """True for what came from a shared memory."""
    return kind == "peer" and file_hash.startswith(PULLED)


def read_document(document: SharedDocument, now: datetime, collection: str) -> tuple[Prepared, str]:
    """What a colleague's document offers, judged and ready to be stored, and when it was made. Raises BadSeedError."""
    if len(document.text) > MAX_DOCUMENT:
        raise BadSeedError(f"longer than {MAX_DOCUMENT} characters")
    read = read_record(json_object(document.text.encode("utf-8", "surrogatepass")), "peer", now)
    prepared = prepare(_marked(without_secrets(read.experience), collection))
    if prepared is None:
        raise BadSeedError("its fix changes nothing")
    check_identity(read, (prepared.id, prepared.fix_key))
    return prepared, read.created_at


def _marked(experience: Experience, collection: str) -> Experience:
    """Told apart from what the user imported: it is not ours to push."""
    return replace(experience, provenance=replace(experience.provenance, kind="peer", file_hash=f"{PULLED}{collection}"))


def _withdrawal(head: SharedHead, revision: Revision) -> SharedDocument:
    """Hashes only."""
    return SharedDocument(head, json.dumps({"withdrawn": [revision.experience_id, revision.fix_key]}), is_gone=True)


def _record_text(connection: sqlite3.Connection, alternative: StoredAlternative, author: str) -> str:
    record: dict[str, Any] = record_of(connection, alternative)
    for name in _OWN_BUSINESS:
        record.pop(name, None)
    record["provenance"] = {**record["provenance"], "author": alternative.provenance.author or author}
    return json.dumps(record)


def _texts(alternative: StoredAlternative) -> list[str]:
    """Every text of a fix that would leave this machine."""
    origin = alternative.provenance
    found = [text for finding in alternative.findings for text in (finding.message, finding.suggestion, finding.evidence, finding.path)]
    checked = [check.detail for check in alternative.verification.checks]
    said = [alternative.explanation, alternative.trust_reason, origin.ref, origin.author, origin.license, origin.file_hash]
    return [text for text in (alternative.code, alternative.fixed_code, *said, *found, *checked) if text]
