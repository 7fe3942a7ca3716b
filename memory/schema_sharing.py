"""The sixth migration: what is to be shared, decided in the transaction that writes it, and how far each server is."""

from __future__ import annotations

PULLED = "shared:"
"""Begins the `file_hash` of an alternative that came from a shared memory: it is a colleague's to push, not ours."""

_IS_PULLED = f"NEW.kind = 'peer' AND substr(NEW.file_hash, 1, {len(PULLED)}) = '{PULLED}'"
_REVISE = """
    DELETE FROM revisions WHERE alternative = NEW.seq AND fix_key <> NEW.fix_key;
    DELETE FROM revisions WHERE fix_key = NEW.fix_key AND experience = (SELECT id FROM experiences WHERE seq = NEW.experience);
    INSERT INTO revisions (experience, fix_key, alternative)
    SELECT id, NEW.fix_key, NEW.seq FROM experiences WHERE seq = NEW.experience;
"""

SHARING = f"""
CREATE TABLE revisions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    experience TEXT NOT NULL,
    fix_key TEXT NOT NULL,
    alternative INTEGER,
    held TEXT NOT NULL DEFAULT '',
    UNIQUE (experience, fix_key)
);
CREATE INDEX revisions_of_alternative ON revisions (alternative);
INSERT INTO revisions (experience, fix_key, alternative)
SELECT e.id, NEW.fix_key, NEW.seq FROM alternatives NEW JOIN experiences e ON e.seq = NEW.experience
WHERE NOT ({_IS_PULLED}) ORDER BY NEW.seq;
CREATE TRIGGER revision_of_a_new_fix AFTER INSERT ON alternatives WHEN NOT ({_IS_PULLED})
BEGIN {_REVISE} END;
CREATE TRIGGER revision_of_a_changed_fix
AFTER UPDATE OF experience, code, fixed_code, fix_key, explanation, findings, verification, trust, kind, ref, author, file_hash, license
ON alternatives WHEN NOT ({_IS_PULLED}) OR EXISTS (SELECT 1 FROM revisions WHERE alternative = NEW.seq)
BEGIN {_REVISE} END;
CREATE TRIGGER revision_of_a_removed_fix AFTER DELETE ON alternatives
WHEN EXISTS (SELECT 1 FROM revisions WHERE alternative = OLD.seq)
BEGIN
    INSERT OR REPLACE INTO revisions (experience, fix_key, alternative)
    SELECT experience, fix_key, NULL FROM revisions WHERE alternative = OLD.seq;
END;
CREATE TABLE shared (
    collection TEXT PRIMARY KEY,
    client TEXT NOT NULL,
    reader TEXT NOT NULL,
    pushed INTEGER NOT NULL DEFAULT 0,
    witness INTEGER NOT NULL DEFAULT 0,
    synced_at TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE shared_seen (
    collection TEXT NOT NULL,
    client TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (collection, client)
) WITHOUT ROWID;
CREATE TABLE shared_offers (
    collection TEXT NOT NULL,
    document TEXT NOT NULL,
    experience TEXT NOT NULL,
    fix_key TEXT NOT NULL,
    PRIMARY KEY (collection, document)
) WITHOUT ROWID;
CREATE INDEX offers_of_fix ON shared_offers (experience, fix_key);
"""  # noqa: S608 - constants only
"""`revisions`: one row for each fix that is ours to share, by its keys; whatever changes the fix gives it a new, higher `seq`.
`alternative` is NULL once the fix is gone: then only these hashes are left. `held` says why it was not sent. What came from a shared memory
has no row.

`shared`: one row for each collection (by Chroma's id of it) that this ledger was synchronised with: `client` is who we are there, `pushed`
the highest revision that it was told of, `witness` the highest that stands in it, `reader` what its records were read with. `shared_seen`:
the highest revision of each other client that was applied. `shared_offers`: which document of the collection offers which fix here."""
