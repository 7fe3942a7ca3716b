"""Compaction: what is merged, what expires, what is never touched, and that a kill loses nothing."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory import admin
from memory.compacting import Compaction, Request, compact_entries, plan_compaction
from memory.export import export_jsonl
from memory.history import history
from memory.ledger import Ledger
from memory.old_backups import outdated_backups
from memory.recall import LongTermMemory
from memory.upkeep import accept, pin, reject
from schema.experience import Experience, Provenance
from tests.memory.recalls import python
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, Clock, an_experience, numbered, prepared
from tests.memory.test_audit import RENAMED, YEAR_AGO, aged

EVERYTHING = Request(older_than=30)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return Ledger(tmp_path / "ledger.sqlite3", clock=Clock())


def stored(ledger: Ledger, *experiences: Experience) -> list[str]:
    """Their ids."""
    return [saved.id or "" for saved in ledger.store([prepared(each) for each in experiences])]


def from_source(source: str, code: str = MEAN, fixed: str = MEAN_FIXED, scope: str = "") -> Experience:
    """An import."""
    return replace(an_experience(code, fixed, scope=scope), provenance=Provenance("jsonl", source))


def test_duplicates_become_one_that_sums_them_up(ledger: Ledger) -> None:
    """Uses, the last use and scopes are added; where the other came from stands in the history; its code is found under its names."""
    kept, gone = stored(ledger, from_source("a", scope="shop"), from_source("b", *RENAMED, scope="bank"))
    with ledger.writing() as connection:
        connection.execute("UPDATE alternatives SET uses = 3, last_used_at = '2026-01-02' WHERE ref = 'a'")
        connection.execute("UPDATE alternatives SET uses = 2, last_used_at = '2026-05-06' WHERE ref = 'b'")

    done = compact_entries(ledger, Request())

    (left,) = admin.list_experiences(ledger)
    assert (done.merged, done.expired, done.fixes, left.id) == (1, 0, 1, kept)
    assert (left.best.uses, left.best.last_used_at) == (5, "2026-05-06")
    with ledger.reading() as connection:
        assert connection.execute("SELECT scope FROM scopes ORDER BY scope").fetchall() == [("bank",), ("shop",)]
    told = history(ledger, kept)[-1].event
    assert (told.action, told.origin, told.detail) == ("merged", "jsonl b", f"took over {gone}")
    assert history(ledger, gone)[-1].event.detail == f"into {kept}"
    match = LongTermMemory(ledger).recall(python(RENAMED[0])).match
    assert (match.status, match.tier, match.regions[0].experience_id) == ("SIMILAR", "renamed", kept)


def test_seeding_and_compacting_again_ends_in_the_same(ledger: Ledger) -> None:
    """Of equals the oldest stays, however often the other comes back."""
    both = [prepared(from_source("a")), prepared(from_source("b", *RENAMED))]
    ledger.store(both)
    compact_entries(ledger, Request())
    kept = [each.id for each in admin.list_experiences(ledger)]

    ledger.store(both)

    assert compact_entries(ledger, Request()).merged == 1
    assert [each.id for each in admin.list_experiences(ledger)] == kept
    assert compact_entries(ledger, Request()) == Compaction(0, 0, dict.fromkeys(compact_entries(ledger, Request()).ownerless, 0), 1)


def test_one_of_two_fixes_is_merged_and_the_other_stays(ledger: Ledger) -> None:
    """An experience goes only with its last fix."""
    _, second = stored(ledger, from_source("a"), from_source("b", *RENAMED))
    other = MEAN_OTHER_FIX.replace("values", "numbers")
    stored(ledger, from_source("c", RENAMED[0], other))

    compact_entries(ledger, Request())

    assert [each.fixed_code for each in admin.show(ledger, second).alternatives] == [other]


def vouched_for(ledger: Ledger) -> dict[str, str]:
    """For each reason to stay a duplicate, unused import that is old, by its id."""
    names = ("pinned", "accepted", "proved", "approved", "corrected", "kept in Git", "session", "rejected", "waiting")
    keys = {}
    for number, name in enumerate(names):
        bare, special = (
            (numbered(number).code.replace("values", word), numbered(number).fixed_code.replace("values", word))
            for word in ("items", "rows")
        )
        kind = "session" if name == "session" else "jsonl"
        keys[name] = stored(
            ledger, an_experience(*special, kind=kind, trust="quarantined" if name in ("waiting", "approved") else "plausible")
        )[0]
        stored(ledger, an_experience(*bare))
    pin(ledger, keys["pinned"])
    accept(ledger, keys["accepted"])
    reject(ledger, keys["rejected"])
    admin.approve(ledger, keys["approved"])
    changes = {"proved": "trust = 'proved'", "corrected": "corrected = 1", "kept in Git": "kept_in = '1a2b'"}
    with ledger.writing() as connection:
        for name, change in changes.items():
            query = f"UPDATE alternatives SET {change} WHERE experience = (SELECT seq FROM experiences WHERE id = ?)"  # noqa: S608
            connection.execute(query, (keys[name],))
    aged(ledger)
    return keys


def test_what_someone_vouched_for_is_never_touched(ledger: Ledger) -> None:
    """Pinned, accepted, proved, approved, edited, kept in Git, made here; and what is rejected or waits, as that protects."""
    keys = vouched_for(ledger)

    done = compact_entries(ledger, Request(older_than=0, keep=0))

    assert sorted(each.id for each in admin.list_experiences(ledger)) == sorted(keys.values())
    assert done.merged + done.expired == len(keys)


def test_only_the_unused_that_came_long_ago_expires(ledger: Ledger) -> None:
    """By when it came in, not by the date that it brought along; what was used stays; seeding brings the rest back."""
    ledger.store([prepared(numbered(1))], ["2015-01-01T00:00:00+00:00"])
    assert compact_entries(ledger, EVERYTHING).expired == 0
    ledger.store([prepared(numbered(2))])
    aged(ledger)
    LongTermMemory(ledger).mark_used(LongTermMemory(ledger).recall(python(numbered(2).code)).match)

    assert compact_entries(ledger, Request()).expired == 0
    assert compact_entries(ledger, EVERYTHING).expired == 1

    assert [each.best.code for each in admin.list_experiences(ledger)] == [numbered(2).code]
    (again,) = ledger.store([prepared(numbered(1))])
    assert again.status == "added"
    assert [told.event.action for told in history(ledger, again.id)] == ["added", "expired", "added"]
    assert compact_entries(ledger, EVERYTHING).expired == 0


def test_an_entry_older_than_the_history_counts_from_its_beginning(ledger: Ledger) -> None:
    """Nobody knows when it came: it is not thrown away for the date of its commit."""
    ledger.store([prepared(numbered(1))], ["2015-01-01T00:00:00+00:00"])
    with ledger.writing() as connection:
        connection.execute("DELETE FROM events")
        connection.execute("UPDATE meta SET value = '2026-11-20T00:00:00+00:00' WHERE name = 'events.since'")
    assert compact_entries(ledger, EVERYTHING).expired == 0

    with ledger.writing() as connection:
        connection.execute("UPDATE meta SET value = ? WHERE name = 'events.since'", (YEAR_AGO,))
    assert compact_entries(ledger, EVERYTHING).expired == 1


def test_keep_lets_the_oldest_go_until_so_many_are_left(ledger: Ledger) -> None:
    """With an age, too, only those that are older."""
    for number in range(6):
        stored(ledger, numbered(number))
    assert compact_entries(ledger, Request(keep=10)).expired == 0
    assert compact_entries(ledger, Request(keep=4)).expired == 2
    assert compact_entries(ledger, Request(keep=0, older_than=30)).expired == 0
    left = [each.best.code for each in admin.list_experiences(ledger)]
    assert left == [numbered(number).code for number in (5, 4, 3, 2)]
    aged(ledger)
    assert compact_entries(ledger, Request(keep=3, older_than=30)).expired == 1


def test_a_plan_says_what_would_be_done_and_does_nothing(ledger: Ledger) -> None:
    """The same counts as doing it."""
    vouched_for(ledger)
    stored(ledger, from_source("a"), from_source("b", *RENAMED))
    before = list(export_jsonl(ledger))

    plan = plan_compaction(ledger, EVERYTHING)

    assert list(export_jsonl(ledger)) == before
    assert compact_entries(ledger, EVERYTHING) == plan


def test_rows_that_nothing_leads_to_are_dropped(ledger: Ledger) -> None:
    """Vectors, streams and accepted verdicts without a fix; tombstones and rejections stay, since they protect."""
    stored(ledger, numbered(1), numbered(2))
    memory = LongTermMemory(ledger)
    memory.judge(None, accepted=True, source=python("a = 1\n"), fixed_code="a = 2\n")
    memory.judge(None, accepted=False, source=python("b = 1\n"), fixed_code="b = 2\n")
    admin.forget(ledger, admin.list_experiences(ledger)[0].id)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO vectors (hash, embedder, language, vector) VALUES ('gone', 'e', 'python', x'00')")
        connection.execute("INSERT INTO streams VALUES (999, 0, 'r', x'00', x'00')")

    done = compact_entries(ledger, Request())

    assert {name: count for name, count in done.ownerless.items() if count} == {"verdicts": 1, "vectors": 1, "streams": 1}
    assert memory.is_rejected(python("b = 1\n"), "b = 2\n")
    assert ledger.store([prepared(numbered(2))])[0].status == "skipped"
    assert admin.count(ledger) == 1


def test_no_withdrawal_is_left_for_a_shared_memory(ledger: Ledger) -> None:
    """Housekeeping here takes nothing from colleagues; forgetting does."""
    stored(ledger, from_source("a"), from_source("b", *RENAMED), numbered(1))
    aged(ledger)
    compact_entries(ledger, Request(keep=1))

    with ledger.reading() as connection:
        assert connection.execute("SELECT count(*) FROM revisions WHERE alternative IS NULL").fetchone() == (0,)


def test_a_cut_in_the_middle_changes_nothing(ledger: Ledger) -> None:
    """All is one transaction: a trigger that fails at the last fix stands for a kill."""
    for number in range(5):
        stored(ledger, numbered(number))
    stored(ledger, from_source("a"), from_source("b", *RENAMED))
    aged(ledger)
    before, events = list(export_jsonl(ledger)), len(history(ledger, None, None))
    with ledger.writing() as connection:
        connection.execute(
            "CREATE TRIGGER cut BEFORE DELETE ON alternatives WHEN OLD.code LIKE '%part4%' BEGIN SELECT RAISE(ABORT, 'cut'); END"
        )

    with pytest.raises(sqlite3.IntegrityError, match="cut"):
        compact_entries(ledger, EVERYTHING)

    assert (list(export_jsonl(ledger)), len(history(ledger, None, None))) == (before, events)


def test_what_changes_while_it_is_planned_is_left_alone(ledger: Ledger) -> None:
    """A use that comes in between saves the fix."""

    class Busy(Ledger):
        """Another process uses the fix just before the lock is taken."""

        def writing(self):  # type: ignore[no-untyped-def]  # as Ledger.writing
            with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
                connection.execute("UPDATE alternatives SET uses = 1")
            return super().writing()

    stored(ledger, numbered(1))
    aged(ledger)
    assert plan_compaction(ledger, EVERYTHING).expired == 1

    assert compact_entries(Busy(ledger.path, clock=Clock()), EVERYTHING).expired == 0


def test_the_newest_two_backups_stay(ledger: Ledger) -> None:
    """Those of migrations; the automatic one is none of them."""
    stored(ledger, numbered(1))
    names = ["v1-20260101T000000Z", "v2-20260102T000000Z", "v3-20260103T000000Z", "auto"]
    for second, name in enumerate(names):
        file = ledger.path.with_name(f"ledger.backup-{name}.sqlite3")
        file.write_bytes(b"x")
        os.utime(file, (1_000 + second, 1_000 + second))

    assert [file.name for file in outdated_backups(ledger.path)] == ["ledger.backup-v1-20260101T000000Z.sqlite3"]
