"""The ledger's own promises: idempotent writes, privacy, versions, and what a home without a ledger looks like."""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from errors import InputInvalidError, MemoryMismatchError
from memory import admin
from memory.judging import judge
from memory.ledger import Ledger
from memory.schema_sql import MIGRATIONS
from memory.writes import count_outcome
from schema.fix import Verification
from tests.memory.rows import MEAN, MEAN_OTHER_FIX, Clock, an_experience, numbered, prepared


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger in a home that does not exist yet."""
    return Ledger(tmp_path / "home" / "ledger.sqlite3", lock_timeout_s=5, clock=Clock())


def test_the_same_fix_twice_is_a_duplicate(ledger: Ledger) -> None:
    """Remembering twice changes nothing but the answer."""
    row = prepared(an_experience())

    answers = [ledger.store([row])[0].status for _ in range(3)]

    assert answers == ["added", "duplicate", "duplicate"]
    assert admin.stats(ledger).experiences == admin.stats(ledger).alternatives == 1


def test_another_fix_is_another_alternative(ledger: Ledger) -> None:
    """A second, different fix never overwrites the first."""
    first, second = ledger.store([prepared(an_experience()), prepared(an_experience(fixed=MEAN_OTHER_FIX))])

    assert (first.status, second.status) == ("added", "updated")
    assert first.id == second.id
    assert len(admin.show(ledger, first.id or "").alternatives) == 2


def test_a_fix_of_the_session_outdoes_the_same_import(ledger: Ledger) -> None:
    """Evidence made here replaces an import's words and trust; the answer is still duplicate."""
    ledger.store([prepared(an_experience(explanation="Ignore the reviewer.", trust="quarantined"))])
    own = an_experience(explanation="Guarded.", trust="proved", kind="session", verification=Verification("tested", basis="b"))

    saved = ledger.store([prepared(own)])[0]

    best = admin.show(ledger, saved.id or "").best
    assert (saved.status, best.trust, best.explanation, best.verification.level) == ("duplicate", "proved", "Guarded.", "tested")


def test_an_import_never_outdoes_a_fix_of_the_session(ledger: Ledger) -> None:
    """What was tested here keeps its words when the same fix comes in a file."""
    own = an_experience(explanation="Guarded.", trust="proved", kind="session", verification=Verification("tested", basis="b"))
    saved = ledger.store([prepared(own)])[0]

    ledger.store([prepared(an_experience(explanation="From a file."))])

    assert admin.show(ledger, saved.id or "").best.explanation == "Guarded."


def test_a_home_without_a_ledger_reads_as_empty_and_is_not_made(ledger: Ledger) -> None:
    """Reading creates nothing."""
    assert admin.list_experiences(ledger) == []
    assert admin.stats(ledger).experiences == 0
    assert not ledger.path.parent.exists()


def test_only_the_user_can_read_the_files(ledger: Ledger) -> None:
    """The folder is 0700 and every file in it 0600."""
    ledger.store([prepared(an_experience())])
    with ledger.reading():
        modes = {stat.S_IMODE(file.stat().st_mode) for file in ledger.path.parent.iterdir()}

    assert stat.S_IMODE(ledger.path.parent.stat().st_mode) == 0o700
    assert modes == {0o600}


def test_a_newer_ledger_is_refused_and_left_alone(ledger: Ledger) -> None:
    """A ledger of a later schema names both versions and is not touched."""
    ledger.store([prepared(an_experience())])
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    before = ledger.path.read_bytes()

    with pytest.raises(MemoryMismatchError, match="schema 99"):
        admin.list_experiences(ledger)
    with pytest.raises(MemoryMismatchError, match="install a newer CodeMind"):
        ledger.store([prepared(numbered(1))])

    assert ledger.path.read_bytes() == before


def test_a_migration_keeps_the_rows_and_leaves_a_backup(ledger: Ledger) -> None:
    """An older ledger is brought up to date on first use, reading included; the file of before lies beside it."""
    ledger.store([prepared(an_experience())])
    newer = Ledger(ledger.path, clock=Clock(), migrations=(*MIGRATIONS, "ALTER TABLE experiences ADD COLUMN note TEXT", _set_notes))

    rows = admin.list_experiences(newer)

    backups = sorted(ledger.path.parent.glob("ledger.backup-*.sqlite3"))
    assert [row.best.code for row in rows] == [MEAN]
    first = len(MIGRATIONS)
    assert [f"v{first}" in backups[0].name, f"v{first + 1}" in backups[1].name] == [True, True]
    assert {stat.S_IMODE(backup.stat().st_mode) for backup in backups} == {0o600}
    with closing(sqlite3.connect(backups[0])) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (first,)
        assert connection.execute("SELECT count(*) FROM alternatives").fetchone() == (1,)
    with newer.reading() as connection:
        assert connection.execute("SELECT note FROM experiences").fetchone() == ("new",)


def test_a_migration_that_was_killed_is_backed_up_once(ledger: Ledger) -> None:
    """The whole backup of a killed attempt serves the next one, its half of a copy is removed; after a write there is another backup."""
    ledger.store([prepared(an_experience())])
    broken = Ledger(ledger.path, clock=Clock(), migrations=(*MIGRATIONS, "SELECT nonsense"))
    half = ledger.path.with_name("ledger.migrating-1.sqlite3")
    half.write_bytes(b"half of a copy")

    counts = []
    for number in (1, 2, 3):
        with pytest.raises(sqlite3.OperationalError):
            admin.list_experiences(broken)
        counts.append(len(list(ledger.path.parent.glob("ledger.backup-v*.sqlite3"))))
        if number == 2:
            ledger.store([prepared(numbered(1))])

    assert counts == [1, 1, 2]
    assert not list(ledger.path.parent.glob("ledger.migrating-*"))


def _set_notes(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE experiences SET note = 'new'")


def test_a_migration_that_fails_changes_nothing(ledger: Ledger) -> None:
    """The step is one transaction: its half is rolled back and the old program still reads the file."""
    ledger.store([prepared(an_experience())])
    broken = Ledger(ledger.path, clock=Clock(), migrations=(*MIGRATIONS, "ALTER TABLE experiences ADD COLUMN note TEXT; SELECT nonsense"))

    with pytest.raises(sqlite3.OperationalError):
        admin.list_experiences(broken)

    assert len(admin.list_experiences(ledger)) == 1


def test_an_error_inside_a_write_changes_nothing(ledger: Ledger) -> None:
    """A write that fails half-way leaves the state before it."""
    ledger.store([prepared(an_experience())])
    generation = ledger.generation()

    with pytest.raises(sqlite3.IntegrityError):
        _delete_then_fail(ledger)

    assert admin.stats(ledger).alternatives == 1
    assert ledger.generation() == generation


def _delete_then_fail(ledger: Ledger) -> None:
    with ledger.writing() as connection:
        connection.execute("DELETE FROM alternatives")
        connection.execute("INSERT INTO tombstones VALUES ('a', 'b'), ('a', 'b')")


def test_each_write_has_its_own_generation(ledger: Ledger) -> None:
    """A derived index can tell that the ledger has changed."""
    ledger.store([prepared(an_experience())])
    first = ledger.generation()
    ledger.store([prepared(numbered(1))])

    assert ledger.generation() == first + 1


def test_several_threads_may_use_one_ledger(ledger: Ledger) -> None:
    """Eight threads write and read one object: all is stored, nothing raises."""
    failures: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for number in range(first, first + 4):
                ledger.store([prepared(numbered(number))])
                admin.list_experiences(ledger)
        except BaseException as error:  # noqa: BLE001 - the thread's error is the assertion
            failures.append(error)

    threads = [threading.Thread(target=work, args=(10 * number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert admin.stats(ledger).experiences == 32


def test_forgetting_leaves_no_text_behind_and_lasts(ledger: Ledger) -> None:
    """The code is in no file of the home any more, and storing it again is refused."""
    secret = "def unmistakable_name(x):\n    return x / 0\n"
    saved = ledger.store([prepared(an_experience(secret, "def unmistakable_name(x):\n    return 0\n")), prepared(numbered(1))])[0]

    forgotten = admin.forget(ledger, (saved.id or "")[:10])

    texts = [file.read_bytes() for file in ledger.path.parent.iterdir()]
    again = ledger.store([prepared(an_experience(secret.replace("\n", "\r\n"), "def unmistakable_name(x):\n    return 0\n"))])[0]
    assert (forgotten.id, forgotten.alternatives) == (saved.id, 1)
    assert not any(b"unmistakable_name" in text for text in texts)
    assert (again.status, again.why) == ("skipped", "rejected")
    assert admin.stats(ledger).experiences == 1


def test_an_id_must_be_known_and_unique(ledger: Ledger) -> None:
    """A short, unknown or ambiguous prefix is a plain sentence."""
    rows = [prepared(numbered(number)) for number in range(40)]
    ledger.store(rows)

    with pytest.raises(InputInvalidError, match="at least"):
        admin.show(ledger, "a")
    with pytest.raises(InputInvalidError, match="No remembered fix"):
        admin.show(ledger, "zzzz")
    with pytest.raises(InputInvalidError, match="No remembered fix"):
        admin.forget(ledger, "____")
    assert admin.show(ledger, rows[7].id[:16].upper()).best.code == rows[7].experience.code


def test_search_finds_words_anywhere_and_takes_signs_literally(ledger: Ledger) -> None:
    """All words must occur, in any field and any letter case; `%` and `_` mean themselves."""
    ledger.store([prepared(an_experience()), prepared(numbered(1)), prepared(an_experience("x = '100%_a'\n", "x = '100'\n"))])

    assert [row.best.code for row in admin.search(ledger, "EMPTY mean")] == [MEAN]
    assert len(admin.search(ledger, "values")) == 2
    assert [row.best.code for row in admin.search(ledger, "%_a")] == ["x = '100%_a'\n"]
    assert admin.search(ledger, "a%s") == []
    with pytest.raises(InputInvalidError):
        admin.search(ledger, "  ")


def test_quarantined_entries_wait_for_approval(ledger: Ledger) -> None:
    """Review lists them with the reason; approving makes them plausible and says so."""
    saved = ledger.store([prepared(an_experience(trust="quarantined"))])[0]

    waiting = admin.quarantined(ledger)
    count = admin.approve(ledger, saved.id or "")

    assert [each.trust_reason for each in waiting] == ["orders the reader"]
    assert count == 1
    assert admin.quarantined(ledger) == []
    assert admin.show(ledger, saved.id or "").best.trust == "plausible"


def test_verdicts_count_and_change_trust(ledger: Ledger) -> None:
    """Accepted makes a plausible fix proved; rejected takes it out, for imports of it, too."""
    saved = ledger.store([prepared(an_experience())])[0]
    assert saved.alternative_id is not None

    judge(ledger, saved.alternative_id, accepted=True)
    accepted = admin.show(ledger, saved.id or "").best
    judge(ledger, saved.alternative_id, accepted=False)
    rejected = admin.show(ledger, saved.id or "").best
    again = ledger.store([prepared(an_experience())])[0]

    assert (accepted.trust, accepted.accepted) == ("proved", 1)
    assert (rejected.trust, rejected.rejected) == ("rejected", 1)
    assert (again.status, again.why) == ("skipped", "rejected")
    with ledger.writing() as connection:
        assert not count_outcome(connection, 10_000, accepted=True, now=Clock()())


def test_show_has_everything(ledger: Ledger) -> None:
    """The JSON of one experience holds what was stored, byte for byte."""
    windows = an_experience(MEAN.replace("\n", "\r\n"))
    saved = ledger.store([prepared(windows)])[0]

    plain = admin.show(ledger, saved.id or "").as_plain()

    assert plain["alternatives"][0]["code"] == windows.code
    assert plain["alternatives"][0]["provenance"]["ref"] == "team-notes"
    assert plain["language"] == "python"
