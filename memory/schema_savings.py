"""The tables for what became of fixes: what memory has spared, day by day, and what users and Git have said of a fix since."""

from __future__ import annotations

SAVINGS = """
CREATE TABLE savings (
    day TEXT PRIMARY KEY,
    answers INTEGER NOT NULL DEFAULT 0,
    without_model INTEGER NOT NULL DEFAULT 0,
    unrecorded INTEGER NOT NULL DEFAULT 0,
    unpriced INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    spent_calls INTEGER NOT NULL DEFAULT 0,
    spent_input_tokens INTEGER NOT NULL DEFAULT 0,
    spent_output_tokens INTEGER NOT NULL DEFAULT 0,
    spent_usd REAL NOT NULL DEFAULT 0,
    spent_unpriced INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
ALTER TABLE alternatives ADD COLUMN corrected INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alternatives ADD COLUMN kept_in TEXT NOT NULL DEFAULT '';
"""
"""`savings` holds numbers only, so `forget` leaves it. `day` is a day of UTC (YYYY-MM-DD). Of its `answers` from memory `without_model`
came where no model would have been asked, `unrecorded` were fixes of which it is not known what making them had cost, and `unpriced` such
whose calls and tokens are known and whose price is not; all others spared `calls`, tokens and `cost_usd`. `spent_*` was really spent.

`corrected` counts the user's edits of a fix, `kept_in` names the commit that was seen to make exactly its change (empty: none)."""
