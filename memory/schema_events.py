"""Migration 5: the history of the memory."""

from __future__ import annotations

EVENTS = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    experience TEXT NOT NULL,
    fix_key TEXT NOT NULL,
    origin TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX events_of_experience ON events (experience);
INSERT INTO meta VALUES ('events.since', strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now'));
"""
"""One row a change, written with it in one transaction and never changed, but for `forget`, which takes out all of an experience. Ids, refs
and counts only, no text of code. `experience` is its id, empty for what is about the whole memory; `fix_key` names one fix of it, empty for
all; `origin` is where the change came from (see `memory.events`). `events.since` is when this history began: older entries have no row."""
