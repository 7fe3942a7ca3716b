"""The statements that change the ledger. Each runs inside the caller's transaction and under its lock."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

from memory.events import erase_events, note_event, origin_of
from memory.records import OFFERED, Prepared, StoredAlternative, text_hash
from memory.schema_sharing import PULLED
from memory.streams import write_streams
from memory.vector_rows import note_embedder, write_vectors
from schema.experience import Experience, Judged, Saved
from schema.fix import LEVELS
from schema.match import Trust

_RANK: dict[str, int] = {"rejected": 0, "quarantined": 1, "plausible": 2, "proved": 3}


def store(connection: sqlite3.Connection, prepared: Prepared, now: datetime, created_at: str = "") -> Saved:
    """Write one experience under its content's id.

    added: the code was not known; updated: another fix of known code; duplicate: the same fix again (better evidence is
    kept, nothing else changes); skipped: the user has forgotten this code or rejected this fix.
    """
    if is_tombstoned(connection, prepared.text_hash):
        return Saved("skipped", why="rejected")
    if prepared.experience.trust != "rejected" and was_rejected(connection, prepared):
        return Saved("skipped", prepared.id, "rejected")
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('normaliser', ?)", (prepared.normaliser,))
    note_embedder(connection, prepared.embedder)
    when = created_at or stamp(now)
    added = connection.execute(
        "INSERT INTO experiences (id, language, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (prepared.id, prepared.experience.language, when),
    ).rowcount
    (seq,) = connection.execute("SELECT seq FROM experiences WHERE id = ?", (prepared.id,)).fetchone()
    known = connection.execute(
        "SELECT seq, trust, verification, kind, file_hash FROM alternatives WHERE experience = ? AND fix_key = ?", (seq, prepared.fix_key)
    ).fetchone()
    if known is not None:
        return _store_again(connection, prepared, known, now)
    alternative = _insert_alternative(connection, seq, prepared, when)
    aside = prepared.experience.trust_reason if prepared.experience.trust == "quarantined" else ""
    return Saved("added" if added else "updated", prepared.id, alternative_id=alternative, aside=aside)


def _store_again(connection: sqlite3.Connection, prepared: Prepared, known: tuple[int, str, str, str, str], now: datetime) -> Saved:
    alternative, trust, verification, kind, file_hash = known
    if trust == "rejected":
        return Saved("skipped", prepared.id, "rejected", alternative)
    experience = prepared.experience
    connection.execute("INSERT OR IGNORE INTO scopes VALUES (?, ?)", (alternative, experience.scope))
    level = json.loads(verification).get("level", "none")
    is_pulled = kind == "peer" and file_hash.startswith(PULLED)
    if _is_stronger(experience, trust, level) or _clears(experience, trust, kind) or (is_pulled and _takes_over(experience, trust)):
        connection.execute(
            "UPDATE alternatives SET code = ?, fixed_code = ?, fix_hash = ?, explanation = ?, findings = ?, verification = ?, "
            "trust = ?, trust_reason = ?, kind = ?, ref = ?, author = ?, file_hash = ?, license = ? WHERE seq = ?",
            (
                experience.code,
                experience.fixed_code,
                prepared.fix_hash,
                experience.explanation,
                _findings_json(experience),
                json.dumps(experience.verification.as_plain()),
                experience.trust,
                experience.trust_reason,
                *_provenance(experience),
                alternative,
            ),
        )
        _write_keys(connection, alternative, prepared)
        standing = f"{experience.trust}, level {experience.verification.level}"
        note_event(connection, "updated", prepared.id, prepared.fix_key, origin_of(experience.provenance), standing, at=now)
        trust = experience.trust
    aside = experience.trust_reason if trust == experience.trust == "quarantined" else ""
    return Saved("duplicate", prepared.id, alternative_id=alternative, aside=aside)


def _is_stronger(experience: Experience, trust: str, level: str) -> bool:
    """A fix made here outdoes an import of the same fix with less evidence; an import never outdoes anything."""
    if experience.provenance.kind != "session" or experience.trust not in OFFERED:
        return False
    new = (_RANK[experience.trust], LEVELS.index(experience.verification.level))
    old = (_RANK[trust], LEVELS.index(level) if level in LEVELS else 0)
    return new > old and new[1] >= old[1]


def _clears(experience: Experience, trust: str, kind: str) -> bool:
    """An import that is above suspicion takes the place of a suspicious import of the same fix: bad words can't block a good fix."""
    return trust == "quarantined" and kind != "session" and experience.trust in OFFERED


def _takes_over(experience: Experience, trust: str) -> bool:
    """What a colleague shared and the user now has from elsewhere too, by itself: it no longer goes when the colleague withdraws it."""
    origin = experience.provenance
    is_shared = origin.kind == "peer" and origin.file_hash.startswith(PULLED)
    return trust == "plausible" and experience.trust in OFFERED and not is_shared


def _insert_alternative(connection: sqlite3.Connection, seq: int, prepared: Prepared, when: str) -> int:
    experience = prepared.experience
    cursor = connection.execute(
        "INSERT INTO alternatives (experience, code, fixed_code, fix_key, fix_hash, explanation, findings, verification, trust, "
        "trust_reason, kind, ref, author, file_hash, license, scope, created_at, calls, input_tokens, output_tokens, cost_usd) "
        "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            seq,
            experience.code,
            experience.fixed_code,
            prepared.fix_key,
            prepared.fix_hash,
            experience.explanation,
            _findings_json(experience),
            json.dumps(experience.verification.as_plain()),
            experience.trust,
            experience.trust_reason,
            *_provenance(experience),
            experience.scope,
            when,
            experience.cost.calls,
            experience.cost.input_tokens,
            experience.cost.output_tokens,
            experience.cost.cost_usd,
        ),
    )
    alternative = int(cursor.lastrowid or 0)
    connection.execute("INSERT INTO scopes VALUES (?, ?)", (alternative, experience.scope))
    _write_keys(connection, alternative, prepared)
    return alternative


def _write_keys(connection: sqlite3.Connection, alternative: int, prepared: Prepared) -> None:
    """Replace the keys, parts and streams of an alternative by those of `prepared`."""
    connection.execute("DELETE FROM keys WHERE alternative = ?", (alternative,))
    connection.execute("DELETE FROM parts WHERE alternative = ?", (alternative,))
    connection.executemany(
        "INSERT INTO keys (hash, kind, side, alternative, part, length) VALUES (?, ?, ?, ?, ?, ?)",
        [(key.hash, key.kind, key.side, alternative, key.part, key.length) for key in prepared.keys],
    )
    connection.executemany(
        "INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?)",
        [(alternative, part.number, part.name, part.start_line, part.code, part.fixed_code) for part in prepared.parts],
    )
    write_vectors(connection, prepared.vectors, prepared.embedder, prepared.experience.language)
    write_streams(connection, alternative, prepared.streams)


def _findings_json(experience: Experience) -> str:
    return json.dumps([finding.as_plain() for finding in experience.findings])


def _provenance(experience: Experience) -> tuple[str, str, str, str, str]:
    origin = experience.provenance
    return (origin.kind, origin.ref, origin.author, origin.file_hash, origin.license)


def remove_alternative(connection: sqlite3.Connection, alternative: int) -> bool:
    """Take one alternative out, and its experience when it was the last; False when it is not there."""
    if not connection.execute("DELETE FROM alternatives WHERE seq = ?", (alternative,)).rowcount:
        return False
    connection.execute("DELETE FROM experiences WHERE seq NOT IN (SELECT experience FROM alternatives)")
    return True


def forget_experience(connection: sqlite3.Connection, experience_id: str, now: datetime) -> int:
    """Delete an experience with all its alternatives and leave tombstones; the number of alternatives."""
    codes = connection.execute(
        "SELECT a.code FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ?", (experience_id,)
    ).fetchall()
    hashes = {text_hash(code) for (code,) in codes}
    connection.executemany("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", [(each, stamp(now)) for each in sorted(hashes)])
    connection.execute("DELETE FROM verdicts WHERE code = ? OR origin = ?", (experience_id, experience_id))
    connection.execute("DELETE FROM experiences WHERE id = ?", (experience_id,))
    erase_events(connection, experience_id, now)
    return len(codes)


def is_tombstoned(connection: sqlite3.Connection, hash_of_text: str) -> bool:
    """True when the user has forgotten this text."""
    return connection.execute("SELECT 1 FROM tombstones WHERE text_hash = ?", (hash_of_text,)).fetchone() is not None


def was_rejected(connection: sqlite3.Connection, prepared: Prepared) -> bool:
    """True when the user has rejected this fix of this code before it was stored; what is stored has its trust for that."""
    query = (
        "SELECT 1 FROM verdicts WHERE subject_kind = 'alternative' AND verdict = 'rejected' AND key = ? AND NOT EXISTS "
        "(SELECT 1 FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ? AND a.fix_key = ?)"
    )
    return connection.execute(query, (f"{prepared.id}/{prepared.fix_key}", prepared.id, prepared.fix_key)).fetchone() is not None


def bump_use(connection: sqlite3.Connection, alternatives: list[int], now: datetime) -> None:
    """Count one more use of each."""
    connection.executemany(
        "UPDATE alternatives SET uses = uses + 1, last_used_at = ? WHERE seq = ?", [(stamp(now), each) for each in alternatives]
    )


def count_outcome(connection: sqlite3.Connection, alternative: int, *, accepted: bool, now: datetime) -> bool:
    """Count the user's verdict: accepting makes a fix proved, rejecting takes it out of recall.

    A quarantined import needs `approve`; what was made here was shown, with what is odd about it, before it was accepted.
    """
    if accepted:
        held = "trust = 'quarantined' AND kind <> 'session'"
        statement = (
            f"UPDATE alternatives SET accepted = accepted + 1, trust_reason = CASE WHEN {held} THEN trust_reason ELSE ? END, "  # noqa: S608
            f"trust = CASE WHEN {held} THEN trust ELSE 'proved' END WHERE seq = ?"
        )
        reason = f"accepted by you on {now:%Y-%m-%d}"
    else:
        statement = "UPDATE alternatives SET rejected = rejected + 1, trust_reason = ?, trust = 'rejected' WHERE seq = ?"
        reason = f"rejected by you on {now:%Y-%m-%d}"
    return connection.execute(statement, (reason, alternative)).rowcount > 0


def uncount_outcome(connection: sqlite3.Connection, judged: Judged) -> bool:
    """Take a counted verdict back, with the trust that it replaced; False when the alternative is gone."""
    column = "accepted" if judged.accepted else "rejected"
    changes = f"{column} = max({column} - 1, 0), trust = ?, trust_reason = ?"
    statement = f"UPDATE alternatives SET {changes} WHERE seq = ?"  # noqa: S608 - one of two names
    return connection.execute(statement, (judged.trust, judged.trust_reason, judged.alternative_id)).rowcount > 0


def set_trust(connection: sqlite3.Connection, alternative: int, trust: Trust, reason: str) -> None:
    """Overrule an alternative's trust."""
    connection.execute("UPDATE alternatives SET trust = ?, trust_reason = ? WHERE seq = ?", (trust, reason, alternative))


def next_generation(connection: sqlite3.Connection) -> None:
    """Tell readers with a derived index that the ledger has changed."""
    connection.execute("UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = 'generation'")


def stamp(moment: datetime) -> str:
    """UTC, to a second, sortable as text."""
    return moment.isoformat(timespec="seconds")


def restore_counters(connection: sqlite3.Connection, alternative: StoredAlternative) -> None:
    """Give a row that was written anew its old counters back."""
    connection.execute(
        "UPDATE alternatives SET last_used_at = ?, uses = ?, accepted = ?, rejected = ?, pinned = ?, corrected = ?, kept_in = ? "
        "WHERE seq = ?",
        (
            alternative.last_used_at,
            alternative.uses,
            alternative.accepted,
            alternative.rejected,
            int(alternative.pinned),
            alternative.corrected,
            alternative.kept_in,
            alternative.id,
        ),
    )
