"""Taking back what came from one source."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from errors import InputInvalidError
from memory import admin
from memory.export import export_jsonl
from memory.ledger import Ledger
from memory.purge import plan_purge, purge
from memory.recall import LongTermMemory
from memory.seeding import seed_file, seed_jsonl
from schema.experience import Provenance
from tests.memory.recalls import python
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, Clock, an_experience, prepared

EVIL = "def mean(values):\n    import os\n    os.system('x')\n    return 0\n"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return Ledger(tmp_path / "home" / "ledger.sqlite3", clock=Clock())


def line(source: str, number: int = 0, fixed: str = "") -> bytes:
    """One seed line; each number is a code of its own."""
    code = MEAN.replace("mean", f"mean{number}") if number else MEAN
    return json.dumps({"code": code, "fixed_code": fixed or f"# {source}\n{code}x = 1\n", "language": "python", "source": source}).encode()


def refs(ledger: Ledger) -> list[str]:
    """Where what is stored came from."""
    return sorted(each.provenance.ref for stored in admin.list_experiences(ledger) for each in stored.alternatives)


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("notes", ["notebook", "notes-2", "other/notes"]),
        ("notes/", ["notebook", "notes", "notes#3", "notes-2", "other/notes"]),
        ("notes#3", ["notebook", "notes", "notes-2", "notes/7", "other/notes"]),
        ("other", ["notebook", "notes", "notes#3", "notes-2", "notes/7"]),
    ],
)
def test_a_source_is_all_that_stands_under_it_and_nothing_else(ledger: Ledger, source: str, left: list[str]) -> None:
    """A name that only begins alike is another source; `_` and `%` are letters like others."""
    sources = ["notes", "notes/7", "notes#3", "notes-2", "notebook", "other/notes"]
    seed_jsonl(ledger, [line(each, number) for number, each in enumerate(sources, 1)])
    plan = plan_purge(ledger, source)
    assert len(refs(ledger)) == len(sources)

    done = purge(ledger, source)

    assert (done.fixes, done.experiences) == (plan.fixes, plan.experiences) == (len(sources) - len(left),) * 2
    assert refs(ledger) == left


def test_one_of_two_fixes_goes_and_the_other_is_offered(ledger: Ledger) -> None:
    """An experience stays while a fix of it is left; nothing of the source is in any file of the ledger."""
    seed_jsonl(ledger, [line("bad", fixed=MEAN_FIXED.replace("0.0", "424242.0")), line("good", fixed=MEAN_OTHER_FIX)])

    done = purge(ledger, "bad")

    recalled = LongTermMemory(ledger).recall(python(MEAN))
    assert (done.fixes, done.experiences) == (1, 0)
    assert recalled.fix is not None
    assert recalled.fix.code == MEAN_OTHER_FIX
    assert not [path for path in ledger.path.parent.iterdir() if path.is_file() and b"424242" in path.read_bytes()]


def test_a_file_is_known_by_its_name_its_path_and_its_hash(ledger: Ledger, tmp_path: Path) -> None:
    """Whatever sources its lines name."""
    path = tmp_path / "team.jsonl"
    path.write_bytes(line("notes", 1) + b"\n" + line("", 2))
    seed_file(ledger, path)
    hashed = admin.list_experiences(ledger)[0].best.provenance.file_hash
    assert plan_purge(ledger, "team.jsonl").fixes == 1
    assert plan_purge(ledger, str(path)).fixes == plan_purge(ledger, hashed[:10].upper()).fixes == 2

    assert purge(ledger, str(path)).fixes == 2
    assert admin.count(ledger) == 0


def test_what_someone_vouched_for_stays_and_is_named(ledger: Ledger) -> None:
    """Accepted by the user, proved by tests here, pinned, made here."""
    seed_jsonl(ledger, [line("s", number) for number in (1, 2, 3, 4)])
    own = replace(an_experience("y = 1\n", "y = 2\n"), provenance=Provenance("session", "s"))
    ledger.store([prepared(own)])
    stored = {each.best.code.split("(")[0][-1]: each.best for each in admin.list_experiences(ledger)}
    LongTermMemory(ledger).judge(stored["1"].id, accepted=True)
    with ledger.writing() as connection:
        connection.execute("UPDATE alternatives SET trust = 'proved' WHERE seq = ?", (stored["2"].id,))
        connection.execute("UPDATE alternatives SET pinned = 1 WHERE seq = ?", (stored["3"].id,))

    done = purge(ledger, "s")

    assert [each.why for each in done.kept] == ["accepted by you", "proved here", "pinned", "made here"]
    assert (done.fixes, admin.count(ledger)) == (1, 4)


def test_a_purge_is_not_forgetting_but_a_rejection_outlives_it(ledger: Ledger) -> None:
    """Seeded again, the source is back, without the fix that the user rejected, whose text is not kept."""
    lines = [line("s", 1), line("s", fixed=EVIL)]
    seed_jsonl(ledger, lines)
    (waiting,) = admin.quarantined(ledger)
    admin.reject(ledger, waiting.experience_id)
    purge(ledger, "s")
    assert list(export_jsonl(ledger)) == []

    report = seed_jsonl(ledger, lines)

    assert (report.added, dict(report.skipped_why)) == (1, {"rejected": 1})
    assert admin.quarantined(ledger) == []


@pytest.mark.parametrize(("source", "words"), [("nope", "'s'"), ("%", "'s'"), ("_", "'s'"), ("  ", "Which source"), ("", "Which source")])
def test_a_source_that_is_not_known_is_one_sentence(ledger: Ledger, source: str, words: str) -> None:
    """It names those that are."""
    seed_jsonl(ledger, [line("s", 1)])
    with pytest.raises(InputInvalidError, match=words):
        purge(ledger, source)
    assert admin.count(ledger) == 1


def test_rejecting_is_taken_back_by_approving(ledger: Ledger) -> None:
    """A rejected import is listed no more and not offered; approved after all it is."""
    seed_jsonl(ledger, [line("s", fixed=EVIL)])
    (waiting,) = admin.quarantined(ledger)

    assert admin.reject(ledger, waiting.experience_id) == 1
    assert admin.quarantined(ledger) == []
    assert admin.reject(ledger, waiting.experience_id) == 0
    assert LongTermMemory(ledger).recall(python(MEAN)).match.status == "NONE"
    assert seed_jsonl(ledger, [line("s", fixed=EVIL)]).skipped == 1
    assert admin.approve(ledger, waiting.experience_id) == 1
    assert LongTermMemory(ledger).recall(python(MEAN)).match.status == "IDENTICAL"
