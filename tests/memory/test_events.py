"""The history of the memory: every change leaves one event, without text, and in the transaction of the change."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from errors import InputInvalidError
from memory import admin
from memory.events import note_event
from memory.history import history
from memory.ledger import Ledger
from memory.purge import purge
from memory.recall import LongTermMemory
from memory.seeding import seed_jsonl
from schema.experience import Provenance
from schema.fix import Verification
from tests.memory.old_ledgers import back_to_first_schema
from tests.memory.recalls import python
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, Clock, an_experience, numbered, prepared


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return Ledger(tmp_path / "ledger.sqlite3", clock=Clock())


def actions(ledger: Ledger, prefix: str | None = None) -> list[tuple[str, str, str]]:
    """Action, origin and detail of each event."""
    return [(told.event.action, told.event.origin, told.event.detail) for told in history(ledger, prefix, None)]


def test_storing_tells_what_came_and_from_where(ledger: Ledger) -> None:
    """A new code is added, another fix of it an update; what is known already is no event; a held back import says so."""
    bad = an_experience("x = 1\n", "x = 2\n", trust="quarantined")
    ledger.store([prepared(an_experience()), prepared(an_experience(fixed=MEAN_OTHER_FIX)), prepared(an_experience()), prepared(bad)])

    assert actions(ledger) == [
        ("added", "jsonl team-notes", ""),
        ("updated", "jsonl team-notes", ""),
        ("added", "jsonl team-notes", "quarantined"),
    ]


def test_better_evidence_for_a_known_fix_is_an_update(ledger: Ledger) -> None:
    """The same fix, made and tested here, takes the place of the import: the history tells who and how far."""
    own = replace(an_experience(kind="session", verification=Verification("clean")), provenance=Provenance("session", "s1"))
    ledger.store([prepared(an_experience()), prepared(own)])

    assert actions(ledger)[-1] == ("updated", "session s1", "plausible, level clean")


def test_verdicts_of_a_session_and_their_taking_back_are_told(ledger: Ledger) -> None:
    """Accepted, taken back, rejected; a verdict on a fix that is not stored stands in the history of its code."""
    memory = LongTermMemory(ledger)
    saved = memory.remember(an_experience())
    judged = memory.judge(saved.alternative_id, accepted=True)
    assert judged is not None
    memory.take_back(judged)
    memory.judge(saved.alternative_id, accepted=False, source=python(MEAN), fixed_code=MEAN_FIXED)
    memory.judge(None, accepted=False, source=python("y = 1\n"), fixed_code="y = 2\n")

    assert [each[0] for each in actions(ledger, saved.id)] == ["added", "accepted", "taken back", "rejected"]
    assert actions(ledger)[-1][0] == "rejected"
    assert len({told.event.experience_id for told in history(ledger, None, None)}) == 2


def test_an_undone_save_is_told(ledger: Ledger) -> None:
    """The experience is gone, its history is not."""
    memory = LongTermMemory(ledger)
    saved = memory.remember(an_experience())
    assert memory.undo(saved)

    assert actions(ledger, saved.id) == [("added", "jsonl team-notes", ""), ("taken back", "session", "added")]


def test_approval_and_rejection_of_what_waits_are_told(ledger: Ledger) -> None:
    """With what it was before."""
    (saved,) = ledger.store([prepared(an_experience(trust="quarantined"))])
    admin.reject(ledger, saved.id or "")
    admin.approve(ledger, saved.id or "")

    assert actions(ledger)[1:] == [("rejected", "command", "was quarantined"), ("approved", "command", "was rejected")]


def test_a_purge_leaves_one_event_a_fix(ledger: Ledger) -> None:
    """It names the source, and the history can be asked for although nothing is stored any more."""
    (saved,) = ledger.store([prepared(an_experience())])
    purge(ledger, "team-notes")

    assert actions(ledger, (saved.id or "")[:8]) == [("added", "jsonl team-notes", ""), ("purged", "jsonl team-notes", "")]


def test_forgetting_leaves_one_line_without_a_source(ledger: Ledger) -> None:
    """Nothing of where it came from is left, in no file."""
    source = "acme-" + "payroll"
    ledger.store([prepared(replace(an_experience(), provenance=Provenance("jsonl", source, author="J. Doe"))), prepared(numbered(1))])
    key = admin.list_experiences(ledger)[-1].id
    admin.forget(ledger, key)

    assert actions(ledger, key) == [("forgotten", "", "")]
    assert len(actions(ledger)) == 2
    assert not [path for path in ledger.path.parent.iterdir() if path.is_file() and source.encode() in path.read_bytes()]


def test_events_hold_no_text(ledger: Ledger) -> None:
    """Not the code, not the fix, not what an import says of itself, nor the reason that quotes it."""
    word = "swordfish" * 2
    experience = an_experience(f"{word} = 1\n", f"{word} = 2\n", explanation=word, trust="quarantined")
    ledger.store([prepared(replace(experience, trust_reason=f"its text says {word}"))])
    admin.reject(ledger, admin.list_experiences(ledger)[0].id)

    with ledger.reading() as connection:
        assert word not in repr(connection.execute("SELECT * FROM events").fetchall())


def test_an_event_stands_or_falls_with_its_change(ledger: Ledger) -> None:
    """A write that fails leaves neither."""
    ledger.store([prepared(an_experience())])

    def cut_off() -> None:
        with ledger.writing() as connection:
            note_event(connection, "pinned", "abcd")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut_off()

    assert len(actions(ledger)) == 1


def test_the_newest_are_told_last_and_fifty_at_most(ledger: Ledger) -> None:
    """Unless all are asked for."""
    seed_jsonl(ledger, [f'{{"code": "a = {n}\\n", "fixed_code": "a = {n} + 1\\n", "language": "python"}}'.encode() for n in range(60)])

    assert len(history(ledger)) == 50
    numbers = [told.event.number for told in history(ledger, None, None)]
    assert numbers == sorted(numbers)
    assert len(numbers) == 60


def test_the_author_of_what_came_in_is_told(ledger: Ledger) -> None:
    """While it is stored."""
    ledger.store([prepared(replace(an_experience(), provenance=Provenance("git", "shop@1a2b:cart.py", author="Ada")))])

    (told,) = history(ledger)
    assert (told.author, told.as_plain()["origin"]) == ("Ada", "git shop@1a2b:cart.py")


def test_an_entry_that_is_older_than_the_history_begins_with_a_word_on_that(tmp_path: Path) -> None:
    """The migration invents no event; the entry's own time is told, and what comes after it."""
    path = tmp_path / "ledger.sqlite3"
    old = Ledger(path, clock=Clock())
    (saved,) = old.store([prepared(an_experience())], ["2020-01-02T03:04:05+00:00"])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        back_to_first_schema(connection)
    ledger = Ledger(path, clock=Clock())
    LongTermMemory(ledger).judge(1, accepted=True)

    assert actions(ledger, saved.id) == [("added", "jsonl team-notes", "before this history began"), ("accepted", "session", "")]
    assert history(ledger, saved.id)[0].event.at == "2020-01-02T03:04:05+00:00"


@pytest.mark.parametrize("prefix", ["ffff0000", "ab", "%%%%", ""])
def test_the_history_of_nothing_is_one_sentence(ledger: Ledger, prefix: str) -> None:
    """It says how to find an id."""
    ledger.store([prepared(an_experience())])
    with pytest.raises(InputInvalidError, match="memory list"):
        history(ledger, prefix)
