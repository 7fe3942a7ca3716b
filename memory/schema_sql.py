"""The ledger's tables, as one list of migrations: the n-th brings a file from version n-1 to version n.

Every change of the shape is a new entry; an entry that has been released is never edited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sqlite3 import Connection

from memory.schema_events import EVENTS
from memory.schema_savings import SAVINGS
from memory.schema_sharing import SHARING

APPLICATION_ID = 0x434D4C47
"""`CMLG` in SQLite's header: a file without it is not a ledger of CodeMind."""

Migration = str | Callable[[Connection], None]
"""A script, or a function for what SQL alone can't do (a new normaliser re-keys)."""

FIRST_SCHEMA = """
CREATE TABLE experiences (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    language TEXT NOT NULL,
    created_at TEXT NOT NULL,
    vector BLOB,
    embedder TEXT
);
CREATE TABLE alternatives (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    experience INTEGER NOT NULL REFERENCES experiences (seq) ON DELETE CASCADE,
    code TEXT NOT NULL,
    fixed_code TEXT NOT NULL,
    fix_key TEXT NOT NULL,
    fix_hash TEXT NOT NULL,
    explanation TEXT NOT NULL,
    findings TEXT NOT NULL,
    verification TEXT NOT NULL,
    trust TEXT NOT NULL CHECK (trust IN ('proved', 'plausible', 'quarantined', 'rejected')),
    trust_reason TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    author TEXT NOT NULL,
    file_hash TEXT NOT NULL,
    license TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    uses INTEGER NOT NULL DEFAULT 0,
    accepted INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    pinned INTEGER NOT NULL DEFAULT 0,
    UNIQUE (experience, fix_key)
);
CREATE TABLE scopes (
    alternative INTEGER NOT NULL REFERENCES alternatives (seq) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    PRIMARY KEY (alternative, scope)
) WITHOUT ROWID;
CREATE TABLE parts (
    alternative INTEGER NOT NULL REFERENCES alternatives (seq) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    name TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    code TEXT NOT NULL,
    fixed_code TEXT NOT NULL,
    PRIMARY KEY (alternative, number)
) WITHOUT ROWID;
CREATE TABLE keys (
    hash TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('exact', 'renamed')),
    side TEXT NOT NULL CHECK (side IN ('buggy', 'fixed')),
    alternative INTEGER NOT NULL REFERENCES alternatives (seq) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (hash, kind, side, alternative, part)
) WITHOUT ROWID;
CREATE INDEX keys_of_alternative ON keys (alternative);
CREATE INDEX keys_of_length ON keys (length, kind);
CREATE TABLE tombstones (text_hash TEXT PRIMARY KEY, created_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

VECTORS = """
CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    hash TEXT NOT NULL,
    embedder TEXT NOT NULL,
    language TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (hash, embedder)
);
CREATE INDEX vectors_of_language ON vectors (embedder, language);
CREATE TRIGGER vector_goes_with_its_key AFTER DELETE ON keys WHEN OLD.kind = 'exact' AND OLD.side = 'buggy'
BEGIN
    DELETE FROM vectors WHERE hash = OLD.hash
    AND NOT EXISTS (SELECT 1 FROM keys WHERE hash = OLD.hash AND kind = 'exact' AND side = 'buggy');
END;
INSERT INTO meta SELECT 'embedder', '' WHERE EXISTS (SELECT 1 FROM experiences);
"""
"""A vector for each buggy text that has an exact key, whole or part: `hash` is that key, the id of the vector in any index. A table of
its own, since parts have vectors too: the columns of that name in `experiences` stay empty. `embedder` in `meta` is the fingerprint
for which no vector is missing, empty when some may be."""

VERDICTS_AND_COSTS = """
CREATE TABLE verdicts (
    subject_kind TEXT NOT NULL CHECK (subject_kind IN ('finding', 'alternative')),
    key TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'rejected', 'dismissed', 'baseline')),
    code TEXT NOT NULL,
    origin TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (subject_kind, key)
) WITHOUT ROWID;
CREATE INDEX verdicts_of_code ON verdicts (code);
CREATE INDEX verdicts_of_origin ON verdicts (origin);
ALTER TABLE alternatives ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alternatives ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alternatives ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alternatives ADD COLUMN cost_usd REAL;
"""
"""What the user said of findings and fixes (see `memory.verdicts` for the keys), and what making a fix cost. `code` is the exact key of
the whole code, `origin` the experience that a judged fix came from: by both `forget` finds them. `calls` is 0 where no model was asked
or nothing was recorded; `cost_usd` is NULL where the price is not known."""

STREAMS = """
CREATE TABLE streams (
    alternative INTEGER NOT NULL REFERENCES alternatives (seq) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    reader TEXT NOT NULL,
    buggy BLOB NOT NULL,
    fixed BLOB NOT NULL,
    PRIMARY KEY (alternative, part)
);
"""
"""The token streams of both sides of a pair, whole (part 0) or part, packed (see `memory.streams`). Derived: rows may be missing, and those
of another `reader` than today's are not used; `memory rebuild` reads them again."""

MIGRATIONS: Sequence[Migration] = (FIRST_SCHEMA, VECTORS, VERDICTS_AND_COSTS, STREAMS, EVENTS, SHARING, SAVINGS)
