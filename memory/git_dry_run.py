"""A ledger that answers as the real one would and writes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memory.ledger import Ledger
from memory.records import Prepared
from memory.writes import is_tombstoned, was_rejected
from schema.experience import Saved


class DryLedger(Ledger):
    """Stands in for a ledger in a dry run: `store` looks what is there, and remembers what it was given before."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger.path, ledger.lock_timeout_s, ledger.clock)
        self._ids: set[str] = set()
        self._trusts: dict[tuple[str, str], str] = {}

    def store(self, prepared: Sequence[Prepared], created_at: Sequence[str] = ()) -> list[Saved]:
        """What `Ledger.store` would answer."""
        with self.reading() as connection:
            return [self._answer(connection, each) for each in prepared]

    def would_add(self, pair: tuple[str, str]) -> bool:
        """True for a fix (keys of both sides) that this run would have stored as one that is not rejected."""
        return self._trusts.get(pair, "rejected") != "rejected"

    def _answer(self, connection: sqlite3.Connection, prepared: Prepared) -> Saved:
        """See `memory.writes.store`."""
        if is_tombstoned(connection, prepared.text_hash):
            return Saved("skipped", why="rejected")
        if prepared.experience.trust != "rejected" and was_rejected(connection, prepared):
            return Saved("skipped", prepared.id, "rejected")
        pair = (prepared.id, prepared.fix_key)
        trust = self._trusts.get(pair) or _stored_trust(connection, pair)
        if trust:
            if trust == "quarantined" and prepared.experience.trust == "plausible":
                self._trusts[pair] = "plausible"
            return Saved("skipped" if trust == "rejected" else "duplicate", prepared.id, "rejected" if trust == "rejected" else None)
        known = prepared.id in self._ids or connection.execute("SELECT 1 FROM experiences WHERE id = ?", (prepared.id,)).fetchone()
        self._ids.add(prepared.id)
        self._trusts[pair] = prepared.experience.trust
        return Saved("updated" if known else "added", prepared.id)


def _stored_trust(connection: sqlite3.Connection, pair: tuple[str, str]) -> str:
    query = "SELECT a.trust FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ? AND a.fix_key = ?"
    row = connection.execute(query, pair).fetchone()
    return str(row[0]) if row else ""
