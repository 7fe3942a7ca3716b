"""Is a ledger sound? Its pages as SQLite sees them, and its fixes by their own hashes: SQLite has no checksums of what stands in a row."""

from __future__ import annotations

import sqlite3

from memory import connections
from memory.records import is_fix_of_hash

NOT_OURS = "not a ledger of CodeMind"
CHANGED = "a fix is not what was stored"


def problem_of(connection: sqlite3.Connection) -> str:
    """What is wrong, empty for nothing. Reads the whole file once: a second or two for 100,000 fixes. Raises sqlite3.Error, a sign too."""
    if not connections.is_ours(connection):
        return NOT_OURS
    answer = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if answer != "ok":
        return answer
    rows = connection.execute("SELECT fixed_code, fix_hash, * FROM alternatives")
    return "" if all(is_fix_of_hash(row[0], row[1]) for row in rows) else CHANGED


def is_sound(connection: sqlite3.Connection) -> bool:
    """As `problem_of`; False also for what can't be read."""
    try:
        return not problem_of(connection)
    except (sqlite3.Error, AttributeError):
        return False
