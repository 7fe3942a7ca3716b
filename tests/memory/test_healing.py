"""A damaged or missing ledger mends itself: what is readable, what only the backup has, and one line about it."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from errors import MemoryDamagedError, MemoryHealedError, StorageFailedError
from memory import admin
from memory.backup import back_up, backup_path
from memory.damage import marker_path
from memory.judging import judge
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from memory.recover import recover
from memory.tally import tally_path
from schema.source import Source
from tests.memory.rows import Clock, an_experience, numbered, prepared
from tests.test_architecture import ROOT

OLD, NEW = 60, 5
"""Fixes that the backup has, and fixes that came after it."""
PAGE = 4096


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Sixty fixes that the backup has, and five that it has not."""
    made = Ledger(tmp_path / "ledger.sqlite3", lock_timeout_s=20, clock=Clock())
    made.store([prepared(numbered(number)) for number in range(OLD)])
    assert back_up(made)
    made.store([prepared(numbered(number)) for number in range(OLD, OLD + NEW)])
    return made


Damage = Callable[[Path], None]


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _text(path: Path) -> None:
    path.write_text("no database\n" * 1000, encoding="ascii")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _deleted(path: Path) -> None:
    path.unlink()


def _other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
        connection.commit()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _header(path: Path) -> None:
    _overwrite(path, 0, bytes(range(156, 256)))


def _first_page(path: Path) -> None:
    _overwrite(path, 0, b"\xa5" * PAGE)


def _middle(path: Path) -> None:
    """Two pages of the table of fixes, found by what stands there."""
    place = path.read_bytes().index(b"def part30(") // PAGE * PAGE
    _overwrite(path, place, b"\xff" * 2 * PAGE)


def _overwrite(path: Path, start: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


ALL, OF_THE_BACKUP = OLD + NEW, OLD
DAMAGES: list[tuple[Damage, int]] = [
    (_half, OF_THE_BACKUP),
    (_text, OF_THE_BACKUP),
    (_empty, OF_THE_BACKUP),
    (_deleted, OF_THE_BACKUP),
    (_other_program, OF_THE_BACKUP),
    (_folder, OF_THE_BACKUP),
    (_header, ALL),
    (_first_page, ALL),
    (_middle, OF_THE_BACKUP),
]


@pytest.mark.parametrize("use", ["read", "write"])
@pytest.mark.parametrize(("damage", "least"), DAMAGES, ids=lambda each: each.__name__.strip("_") if callable(each) else "")
def test_the_next_use_is_answered_and_one_line_says_what_happened(ledger: Ledger, damage: Damage, least: int, use: str) -> None:
    """Everything that the backup has is back, and what can be read beside; the line counts what is missing and names the damaged file."""
    damage(ledger.path)

    _use(ledger, use)
    _use(ledger, "read")  # a write may not come near to a broken page

    there = admin.stats(ledger).alternatives - (use == "write")
    assert least <= there <= ALL
    assert admin.health(ledger).problem == ""
    said = ledger.take_note()
    assert f"{there} fixes are back" in said or (use == "write" and f"{there + 1} fixes are back" in said)
    missing = ALL - there
    assert ("none is missing" in said) if not missing else (f"at most {missing} fix" in said)
    if damage is not _deleted:
        (aside,) = [file for file in ledger.path.parent.glob("ledger.damaged-*.sqlite3")]
        assert str(aside) in said
    assert ledger.take_note() == ""
    assert not marker_path(ledger.path).exists()
    assert not list(ledger.path.parent.glob("ledger.healing*"))


def _use(ledger: Ledger, use: str) -> None:
    if use == "write":
        ledger.store([prepared(numbered(5000))])
        return
    try:
        admin.list_experiences(ledger)
    except MemoryHealedError:
        assert len(admin.list_experiences(ledger)) >= OLD


def test_recall_is_answered_through_damage_with_the_line_among_its_notes(ledger: Ledger) -> None:
    """IDENTICAL before and after; the second recall says nothing."""
    memory = LongTermMemory(ledger)
    known = Source(numbered(3).code, "python")
    _text(ledger.path)

    first, second = memory.recall(known), memory.recall(known)

    assert (first.match.status, second.match.status) == ("IDENTICAL", "IDENTICAL")
    (note,) = first.notes
    assert "The memory was damaged and has been mended" in note
    assert second.notes == ()


def test_a_fix_that_is_not_what_was_stored_is_never_handed_out(ledger: Ledger) -> None:
    """SQLite has no checksums: a byte that changed inside a row is noticed by the row's own hash, and the backup's row is taken."""
    _change_text(ledger.path, b"return 3\n    return sum(values) / len(values) + 3", b"return 9\n    return sum(values) / len(values) + 3")

    recalled = LongTermMemory(ledger).recall(Source(numbered(3).code, "python"))

    assert recalled.fix is not None
    assert recalled.fix.code == numbered(3).fixed_code
    assert "1 of them from the backup" in recalled.notes[0]
    assert "none is missing" in recalled.notes[0]


def test_text_that_is_none_is_damage_and_no_traceback(ledger: Ledger) -> None:
    """Random bytes inside a row can't be decoded."""
    _change_text(ledger.path, b"def part3(values):\n    if", b"def part3(\xff\xfe\xfdlues):\n    \xff")

    assert LongTermMemory(ledger).recall(Source(numbered(3).code, "python")).match.status == "IDENTICAL"


def test_recover_and_the_backup_find_what_no_question_has_read(ledger: Ledger) -> None:
    """Pages are sound, a row is not: it takes no good backup's place, and is mended by what looks at everything."""
    _change_text(ledger.path, b"return 3\n    return sum(values) / len(values) + 3", b"return 9\n    return sum(values) / len(values) + 3")
    assert admin.health(ledger).problem == "a fix is not what was stored"

    done = recover(ledger)

    assert (done.saved, done.from_backup, done.lost) == (ALL, 1, 0)
    assert admin.health(ledger).problem == ""
    assert back_up(ledger)


def _change_text(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    assert len(old) == len(new)
    path.write_bytes(content.replace(old, new))


def test_what_was_read_is_newer_than_the_backup(ledger: Ledger) -> None:
    """A verdict and a counter that came after the backup stay; numbers stay, too."""
    before = {row.id: row.best.id for row in admin.list_experiences(ledger)}
    judge(ledger, before[prepared(numbered(3)).id], accepted=True)
    judge(ledger, before[prepared(numbered(OLD + 1)).id], accepted=False)
    _header(ledger.path)

    after = {row.id: row.best for row in admin.list_experiences(ledger)}

    assert {key: best.id for key, best in after.items()} == before
    assert after[prepared(numbered(3)).id].trust == "proved"
    assert after[prepared(numbered(OLD + 1)).id].trust == "rejected"


def test_what_was_forgotten_is_not_brought_back(ledger: Ledger) -> None:
    """Neither by the damaged file nor by an older backup that somebody put there."""
    old = backup_path(ledger.path).read_bytes()
    admin.forget(ledger, prepared(numbered(3)).id)
    backup_path(ledger.path).write_bytes(old)
    _header(ledger.path)

    assert prepared(numbered(3)).id not in {row.id for row in admin.list_experiences(ledger)}
    assert ledger.store([prepared(numbered(3))])[0].why == "rejected"


def test_what_a_whole_file_does_not_have_is_not_brought_back_by_the_backup(ledger: Ledger) -> None:
    """It was taken back after the backup was made."""
    (saved,) = ledger.store([prepared(an_experience())])
    back_up(ledger)
    LongTermMemory(ledger).undo(saved)
    _overwrite(ledger.path, 68, bytes(4))  # only the mark of whose file it is

    assert len(admin.list_experiences(ledger)) == ALL
    assert "none is missing" in ledger.take_note()


def test_a_missing_ledger_without_a_backup_is_no_new_home(ledger: Ledger) -> None:
    """Reading and writing say so; starting anew takes a second word."""
    backup_path(ledger.path).unlink()
    _deleted(ledger.path)

    for use in ("read", "write"):
        with pytest.raises(MemoryDamagedError, match="is gone, and there is no backup of it"):
            _use(ledger, use)
    with pytest.raises(MemoryDamagedError, match="--empty"):
        recover(ledger)
    assert recover(ledger, empty=True).saved == 0
    assert admin.stats(ledger).alternatives == 0


def test_a_home_that_was_never_used_is_empty(tmp_path: Path) -> None:
    """No file, no backup, no trace of one: nothing to mend."""
    assert admin.count(Ledger(tmp_path / "ledger.sqlite3")) == 0
    assert list(tmp_path.iterdir()) == []


def test_an_old_log_is_not_played_back_into_the_new_ledger(ledger: Ledger) -> None:
    """A deleted ledger leaves its write-ahead log behind when its last user was killed."""
    _leave_log(ledger.path)
    _deleted(ledger.path)

    assert len(admin.list_experiences(ledger)) == OLD
    with ledger.reading() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def _leave_log(path: Path) -> None:
    keep = 'import os, sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.execute("DELETE FROM keys"); c.commit(); os._exit(0)'
    subprocess.run([sys.executable, "-c", keep, str(path)], check=True)
    assert Path(f"{path}-wal").stat().st_size > 0


def test_a_broken_backup_is_not_used(ledger: Ledger) -> None:
    """What can be read of the ledger itself is brought back all the same."""
    _middle(backup_path(ledger.path))
    _header(ledger.path)

    assert len(admin.list_experiences(ledger)) == ALL


def test_a_backup_of_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    """It was made before an update, and the damage came after."""
    from memory.schema_sql import MIGRATIONS

    old = Ledger(tmp_path / "ledger.sqlite3", clock=Clock(), migrations=MIGRATIONS[:4])
    with old.writing() as connection:
        connection.execute("INSERT INTO experiences VALUES (1, 'a', 'python', '2026', NULL, NULL)")
    tally_path(old.path).write_text('{"generation": 1, "last": 1}', encoding="ascii")
    assert back_up(old)
    new = Ledger(old.path, clock=Clock())
    assert admin.stats(new).alternatives == 0
    _text(new.path)

    assert admin.stats(new).alternatives == 0
    assert "has been mended" in new.take_note()


HEAL = """
import sys
from pathlib import Path
from memory import admin
from memory.ledger import Ledger
from errors import MemoryHealedError
ledger = Ledger(Path(sys.argv[1]), lock_timeout_s=60)
try:
    found = admin.list_experiences(ledger)
except MemoryHealedError:
    found = admin.list_experiences(ledger)
print(len(found), len(ledger.take_note()) > 0)
"""


def _start(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", HEAL, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("damage", [_text, _deleted, _middle], ids=lambda each: each.__name__.strip("_"))
def test_of_several_processes_one_mends_and_the_others_wait(ledger: Ledger, damage: Damage) -> None:
    """All answer with the whole memory; one of them says what happened; one file lies aside."""
    damage(ledger.path)

    answers = [each.communicate(timeout=120)[0].split() for each in [_start(ledger.path) for _ in range(4)]]

    assert {count for count, _ in answers} <= {str(number) for number in range(OLD, ALL + 1)}
    assert len({count for count, _ in answers}) == 1
    assert [told for _, told in answers].count("True") == 1
    assert len(list(ledger.path.parent.glob("ledger.damaged-*.sqlite3"))) == (damage is not _deleted)


def test_a_kill_while_it_mends_is_repeated_by_whoever_comes_next(ledger: Ledger) -> None:
    """At ten moments of it: afterwards everything is there, nothing of the half-made lies about, and the user is told."""
    for number in range(10):
        _header(ledger.path)
        process = _start(ledger.path)
        time.sleep(0.15 + 0.06 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate()

        try:
            there = len(admin.list_experiences(ledger))
        except MemoryHealedError:
            there = len(admin.list_experiences(ledger))

        assert there == ALL
        assert not list(ledger.path.parent.glob("ledger.healing*"))
        assert not marker_path(ledger.path).exists()
        ledger.take_note()


def test_a_full_disk_while_mending_is_one_sentence_and_is_tried_again(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost: the marker stays, and the next use with room mends it."""
    _text(ledger.path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfile", full)
        with pytest.raises(StorageFailedError, match="no space left"):
            admin.list_experiences(ledger)

    assert len(admin.list_experiences(ledger)) == OLD


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root, to become somebody else")
def test_a_read_only_home_says_that_it_can_not_be_mended(ledger: Ledger) -> None:
    """Nothing is moved, and the sentence says what to do."""
    _text(ledger.path)
    program = HEAL.replace("ledger = ", "import filelock, memory.healing, os; os.setgid(65534); os.setuid(65534)\nledger = ", 1)
    home = Path("/tmp") / f"codemind-read-only-{os.getpid()}"  # noqa: S108 - pytest's own folders are closed to others
    shutil.copytree(ledger.path.parent, home)
    try:
        for file in home.iterdir():
            file.chmod(0o444)
        home.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", program, str(home / "ledger.sqlite3")], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
    finally:
        home.chmod(0o700)
        shutil.rmtree(home)
    assert "could not be moved aside" in done.stderr
