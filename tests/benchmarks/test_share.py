"""The benchmark of sharing, in small: three clients, a server that is killed twice; and that it would see a loss."""

from __future__ import annotations

from pathlib import Path

from benchmarks.share import Client, experience, judge_clients, run
from memory.ledger import LEDGER_NAME, Ledger
from memory.prepare import prepare


def test_every_fix_arrives_once_though_the_server_is_killed_twice() -> None:
    """Three processes, one server, SIGKILL twice while they send."""
    figures = {row.what: row for row in run(3, 30)}

    assert figures["server killed"].value == 2
    assert all(row.holds for row in figures.values()), [row for row in figures.values() if not row.holds]


def test_a_missing_fix_and_one_of_another_author_are_seen(tmp_path: Path) -> None:
    """The judge of the clients can say no."""
    ledger = Ledger(tmp_path / LEDGER_NAME)
    ledger.store([row for number in (0, 1) if (row := prepare(experience(1, number))) is not None])
    client = Client.__new__(Client)
    client.number, client.home = 0, tmp_path

    assert judge_clients([client], each=3) == (3, 2)
    client.number = 1
    assert judge_clients([client], each=3) == (1, 0)
    with ledger.writing() as connection:
        connection.execute("UPDATE alternatives SET kind = 'peer'")
    assert judge_clients([client], each=3) == (1, 2)
