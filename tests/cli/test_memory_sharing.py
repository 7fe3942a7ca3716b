"""Sharing as a user meets it: `memory sync`, sessions that share by themselves, a server that is away, what is said of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from cli.repl import where_session_goes
from integrations.chroma_server import COLLECTION
from memory.ledger import LEDGER_NAME, Ledger
from memory.sharing import LOCK_NAME, only_one
from tests.cli.harness import AVERAGE, KEEP, CommandLine
from tests.sharing_servers import ChromaProcess, chroma_at, direct_client, free_port

T = TypeVar("T")
LONGEST_S = 60.0


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaProcess]:
    """One server for all tests of this file."""
    with chroma_at(tmp_path_factory.mktemp("chroma")) as server:
        yield server


@pytest.fixture
def team(process: ChromaProcess, tmp_path: Path) -> Iterator[tuple[CommandLine, CommandLine]]:
    """Ann and Bob, who share a server that is empty."""
    yield a_member("ann", tmp_path, process.address), a_member("bob", tmp_path, process.address)
    with direct_client(process.port) as direct:
        if COLLECTION in {each.name for each in direct.list_collections()}:
            direct.delete_collection(COLLECTION)


def a_member(name: str, folder: Path, address: str) -> CommandLine:
    """The command line of somebody with a home of their own."""
    return CommandLine(folder / name, (("CHROMA_URL", address), ("MEMORY_AUTHOR", name)))


def alone(member: CommandLine) -> CommandLine:
    """The same home without a shared memory."""
    return replace(member, environment=())


def test_a_colleagues_fix_is_identical_after_a_pull(team: tuple[CommandLine, CommandLine]) -> None:
    """Saved by Ann, synchronised by both, found by Bob without network: exact, plausible, from Ann."""
    ann, bob = team
    alone(ann).run("--json", stdin=KEEP)
    sent, came = ann.spawn("memory", "sync", "--json").record, bob.spawn("memory", "sync", "--json").record

    record = alone(bob).run("--json", stdin=KEEP).record
    assert (sent["pushed"], came["pulled"]) == (1, 1)
    assert (record["match"]["status"], record["match"]["trust"], record["fix"]["origin"]) == ("IDENTICAL", "plausible", "memory")
    assert alone(bob).run("memory", "list", "--json").record["alternatives"][0]["provenance"]["author"] == "ann"


def test_sync_says_in_words_what_it_did(team: tuple[CommandLine, CommandLine]) -> None:
    """Where, and what went which way."""
    ann, _ = team
    alone(ann).run("--json", stdin=KEEP)

    ran = ann.spawn("memory", "sync")

    assert ran.out.startswith("Shared memory at 127.0.0.1:")
    assert "  pulled: 0 new; 0 known already\n  pushed: 1\n" in ran.out


def test_a_piped_session_shares_by_itself(team: tuple[CommandLine, CommandLine]) -> None:
    """What Ann saves is on the server when her session has ended; Bob's session pulls it beside his own work."""
    ann, bob = team
    record = ann.spawn("--json", stdin=KEEP.encode()).record
    assert record["saved"]["status"] == "added"
    found = wait_for_documents(ann, 1)

    session = bob.start("--json")
    assert session.stdin is not None
    session.stdin.write(AVERAGE.encode())
    session.stdin.flush()
    arrived = wait_for(lambda: alone(bob).run("memory", "list", "--json").records)
    session.communicate(timeout=60)

    assert found == 1
    assert arrived[-1]["alternatives"][0]["provenance"]["kind"] == "peer"


def test_no_save_shares_nothing(team: tuple[CommandLine, CommandLine]) -> None:
    """It leaves nothing behind, and so nothing on a server; and says that code stays here."""
    ann, bob = team
    alone(bob).run("--json", stdin=KEEP)
    bob.spawn("memory", "sync")

    ran = ann.spawn("--no-save", stdin=KEEP.encode())

    assert not ann.home.exists()
    assert ran.out.rstrip().endswith("nothing leaves this machine")


def test_the_last_line_names_where_saved_fixes_go(team: tuple[CommandLine, CommandLine], process: ChromaProcess) -> None:
    """With a shared memory it can't be said that nothing leaves."""
    ann, _ = team

    ran = ann.spawn(stdin=KEEP.encode())

    assert ran.out.rstrip().endswith(f"saved fixes go to 127.0.0.1:{process.port}")
    assert "nothing leaves" not in ran.out


def test_the_first_line_of_a_session_names_it_too() -> None:
    """Alone, with a model, and with neither."""
    assert where_session_goes("", "") == "Nothing leaves this machine"
    assert where_session_goes("", "memory.example") == "Saved fixes go to memory.example"
    assert where_session_goes("api.example", "memory.example") == "Code goes to api.example; saved fixes go to memory.example"


def test_a_server_that_is_away_costs_one_line(tmp_path: Path) -> None:
    """The task is answered and saved, one line says what waits; `memory sync` ends with 3, one sentence, and the count."""
    ann = a_member("ann", tmp_path, f"http://127.0.0.1:{free_port()}")

    session = ann.start("--json")
    assert session.stdin is not None
    session.stdin.write(KEEP.encode())
    session.stdin.close()
    session.wait(60)
    assert session.stdout is not None
    assert session.stderr is not None
    with session.stdout, session.stderr:
        assert b'"status": "added"' in session.stdout.read()
    ran = ann.spawn("memory", "sync")

    assert ran.status == 3
    assert "codemind: until then 0 fixes came and 0 were sent; 1 wait here, and the same command does the rest\n" in ran.err
    assert "storage_failed: The shared memory at 127.0.0.1:" in ran.err
    assert "Traceback" not in ran.err


def test_what_was_saved_offline_is_sent_by_the_next_session(team: tuple[CommandLine, CommandLine]) -> None:
    """No command is needed for it."""
    ann, _ = team
    alone(ann).run("--json", stdin=KEEP)

    ann.spawn("--json", stdin=AVERAGE.encode())

    assert ann.spawn("memory", "sync", "--json").record["pushed"] in {0, 1}
    assert wait_for_documents(ann, 1) >= 1


def test_without_an_address_there_is_nothing_to_synchronise(codemind: CommandLine) -> None:
    """Wrong usage, with what to set."""
    ran = codemind.run("memory", "sync")

    assert (ran.status, ran.out) == (2, "")
    assert "config_invalid: CHROMA_URL is not set" in ran.err


def test_a_session_that_synchronises_is_waited_for(team: tuple[CommandLine, CommandLine]) -> None:
    """One process of a home at a time; the lock is beside the ledger."""
    ann, _ = team
    ledger = Ledger(ann.home / LEDGER_NAME)

    with only_one(ledger, 0):
        assert ledger.path.with_name(LOCK_NAME).exists()
        session = ann.spawn("--json", stdin=KEEP.encode())
    assert session.record["saved"]["status"] == "added"
    assert ann.spawn("memory", "sync", "--json").record["pushed"] == 1


def test_doctor_names_server_versions_and_what_waits(team: tuple[CommandLine, CommandLine], process: ChromaProcess) -> None:
    """Sound when it answers; a problem when it does not; the token is never shown."""
    ann, _ = team
    token = "-".join(("tok", "en", "123"))
    ann = replace(ann, environment=(*ann.environment, ("CHROMA_TOKEN", token)))
    alone(ann).run("--json", stdin=KEEP)

    ran = ann.spawn("doctor")
    assert ran.status == 0
    assert f"Shared memory: {process.address}: 1 changes wait; last synchronised never; Chroma server " in ran.out
    assert token not in ran.out + ran.err
    away = replace(ann, environment=(("CHROMA_URL", f"http://127.0.0.1:{free_port()}"), ("CHROMA_TOKEN", token))).spawn(
        "doctor", "--report"
    )
    assert away.status == 3
    assert "BROKEN: shared memory:" in away.out
    assert token not in away.out + away.err


def wait_for_documents(member: CommandLine, count: int) -> int:
    """How many fixes a new colleague finds, once there are `count`."""
    number = 0

    def found() -> list[int]:
        nonlocal number
        number += 1
        newcomer = replace(member, home=member.home.with_name(f"newcomer-{number}"))
        pulled = newcomer.spawn("memory", "sync", "--json").record["pulled"]
        return [pulled] if pulled >= count else []

    return wait_for(found)[0]


def wait_for(look: Callable[[], list[T]]) -> list[T]:
    """What `look` finds, as soon as it finds something."""
    ends = time.monotonic() + LONGEST_S
    while not (found := look()):
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.2)
    return found
