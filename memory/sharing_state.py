"""How far this ledger is with a shared memory: the rows that `memory.schema_sharing` describes, in the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from memory.export_record import FORMAT
from memory.keys import NORMALISER

READER = f"{NORMALISER}/{FORMAT}"
"""What records are read with: another one may read what this one refused, and gives other keys."""
_COLUMNS = "collection, client, reader, pushed, witness, synced_at, host"


@dataclass(frozen=True)
class Standing:
    """Where this ledger stands with one collection; `client` is who it is there. See `memory.schema_sharing`."""

    collection: str
    client: str
    reader: str = READER
    pushed: int = 0
    witness: int = 0
    synced_at: str = ""
    host: str = ""


@dataclass(frozen=True)
class Revision:
    """The newest state of a fix that is ours; `alternative` is None when it is gone."""

    seq: int
    experience_id: str
    fix_key: str
    alternative: int | None


def standing_with(connection: sqlite3.Connection, collection: str) -> Standing | None:
    """None for a collection that this ledger has not met."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM shared WHERE collection = ?", (collection,)).fetchone()  # noqa: S608 - constants
    return None if row is None else Standing(*row)


def last_standing(connection: sqlite3.Connection, host: str) -> Standing | None:
    """That with the collection which was synchronised last at a host."""
    query = f"SELECT {_COLUMNS} FROM shared WHERE host = ? ORDER BY synced_at DESC LIMIT 1"  # noqa: S608 - constants
    row = connection.execute(query, (host,)).fetchone()
    return None if row is None else Standing(*row)


def keep_standing(connection: sqlite3.Connection, standing: Standing) -> None:
    """Write it, in place of what was known of that collection."""
    values = (
        standing.collection,
        standing.client,
        standing.reader,
        standing.pushed,
        standing.witness,
        standing.synced_at,
        standing.host,
    )
    connection.execute(f"INSERT OR REPLACE INTO shared ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)  # noqa: S608 - constants


def waiting(connection: sqlite3.Connection, pushed: int) -> int:
    """How many changes a server that has revision `pushed` was not told of. Of what is gone nobody need hear who has nothing."""
    query = "SELECT count(*) FROM revisions WHERE seq > ? AND (alternative IS NOT NULL OR ? > 0)"
    return int(connection.execute(query, (pushed, pushed)).fetchone()[0])


def revisions_after(connection: sqlite3.Connection, seq: int, limit: int) -> list[Revision]:
    """The next ones in their order."""
    query = "SELECT seq, experience, fix_key, alternative FROM revisions WHERE seq > ? ORDER BY seq LIMIT ?"
    return [Revision(*row) for row in connection.execute(query, (seq, limit))]


def revision_of(connection: sqlite3.Connection, experience_id: str, fix_key: str) -> int:
    """The newest revision of a fix; 0 when it never was ours."""
    query = "SELECT seq FROM revisions WHERE experience = ? AND fix_key = ?"
    row = connection.execute(query, (experience_id, fix_key)).fetchone()
    return int(row[0]) if row else 0


def renumber(connection: sqlite3.Connection, seqs: Iterable[int], above: int) -> None:
    """Give these revisions new numbers, higher than `above` and than all that there were."""
    connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'revisions' AND seq < ?", (above, above))
    connection.executemany(
        "INSERT OR REPLACE INTO revisions (experience, fix_key, alternative, held) "
        "SELECT experience, fix_key, alternative, held FROM revisions WHERE seq = ?",
        [(seq,) for seq in seqs],
    )


def note_held(connection: sqlite3.Connection, held: Iterable[tuple[int, str]]) -> None:
    """Why revisions were not sent; empty for those that were."""
    connection.executemany("UPDATE revisions SET held = ? WHERE seq = ? AND held <> ?", [(why, seq, why) for seq, why in held])


def held_back(connection: sqlite3.Connection) -> dict[str, int]:
    """How many fixes are held back, by reason."""
    query = "SELECT held, count(*) FROM revisions WHERE held <> '' AND alternative IS NOT NULL GROUP BY held ORDER BY held"
    return {str(why): int(count) for why, count in connection.execute(query)}


def seen_of(connection: sqlite3.Connection, collection: str) -> dict[str, int]:
    """The highest revision of each other client that was applied."""
    query = "SELECT client, seq FROM shared_seen WHERE collection = ?"
    return {str(client): int(seq) for client, seq in connection.execute(query, (collection,))}


def note_seen(connection: sqlite3.Connection, collection: str, seen: Iterable[tuple[str, int]]) -> None:
    """Everything of these clients up to these revisions was applied. Never goes back."""
    statement = (
        "INSERT INTO shared_seen VALUES (?, ?, ?) ON CONFLICT (collection, client) DO UPDATE SET seq = excluded.seq "
        "WHERE excluded.seq > shared_seen.seq"
    )
    connection.executemany(statement, [(collection, client, seq) for client, seq in seen])


def forget_seen(connection: sqlite3.Connection, collection: str) -> None:
    """The next pull reads all of the collection again."""
    connection.execute("DELETE FROM shared_seen WHERE collection = ?", (collection,))


def note_offer(connection: sqlite3.Connection, collection: str, document: str, keys: tuple[str, str]) -> None:
    """A document offers the fix with these keys."""
    connection.execute("INSERT OR REPLACE INTO shared_offers VALUES (?, ?, ?, ?)", (collection, document, *keys))


def drop_offer(connection: sqlite3.Connection, collection: str, document: str) -> tuple[str, str] | None:
    """The document offers nothing any more: the keys of what it offered, when nothing else offers that, else None."""
    where = "WHERE collection = ? AND document = ?"
    row = connection.execute(f"SELECT experience, fix_key FROM shared_offers {where}", (collection, document)).fetchone()  # noqa: S608
    if row is None:
        return None
    connection.execute(f"DELETE FROM shared_offers {where}", (collection, document))  # noqa: S608 - a constant
    others = connection.execute("SELECT 1 FROM shared_offers WHERE experience = ? AND fix_key = ? LIMIT 1", row).fetchone()
    return None if others else (str(row[0]), str(row[1]))
