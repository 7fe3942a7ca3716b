"""Bytes where the ledger should hold a text: SQLite puts up with them, so every reader has to call them damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import MemoryHealedError
from memory import admin
from memory.backup import back_up
from memory.ledger import Ledger
from memory.storage_errors import NotALedgerError
from memory.vector_rows import missing
from tests.memory.rows import Clock, numbered, prepared

ALL = 3
BYTES = {
    "code": "UPDATE alternatives SET code = x'fffe' WHERE seq = 2",
    "fixed_code": "UPDATE alternatives SET fixed_code = x'fffe' WHERE seq = 2",
    "explanation": "UPDATE alternatives SET explanation = x'fffe' WHERE seq = 2",
    "ref": "UPDATE alternatives SET ref = x'fffe' WHERE seq = 2",
}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Three experiences, and a backup of them."""
    made = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    made.store([prepared(numbered(number)) for number in range(ALL)])
    assert back_up(made)
    return made


def spoil(ledger: Ledger, column: str) -> str:
    """Put bytes there; the id of that experience."""
    with ledger.writing() as connection:
        connection.execute(BYTES[column])
    return prepared(numbered(1)).id


@pytest.mark.parametrize("column", BYTES)
def test_a_list_mends_them(ledger: Ledger, column: str) -> None:
    """And does not end with an error of our own for ever."""
    spoil(ledger, column)

    with pytest.raises(MemoryHealedError, match="1 of them from the backup"):
        admin.list_experiences(ledger)

    assert len(admin.list_experiences(ledger)) == ALL


@pytest.mark.parametrize("column", ["code", "fixed_code", "explanation"])
def test_what_holds_them_can_be_forgotten(ledger: Ledger, column: str) -> None:
    """Mended first, then forgotten."""
    key = spoil(ledger, column)

    with pytest.raises(MemoryHealedError):
        admin.forget(ledger, key)
    admin.forget(ledger, key)

    assert len(admin.list_experiences(ledger)) == ALL - 1


def test_no_vector_is_made_of_them(ledger: Ledger) -> None:
    """An embedder reads text only."""
    spoil(ledger, "code")

    with ledger.reading() as connection, pytest.raises(NotALedgerError):
        missing(connection, "another embedder")
