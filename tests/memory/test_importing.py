"""`memory import`: what a line becomes, from anybody and from one's own backup, and that a stop at any moment loses nothing."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from errors import InputInvalidError
from memory import admin
from memory.export import export_jsonl
from memory.export_record import FORMAT
from memory.importing import ImportReport, ImportRequest, import_file, import_stream
from memory.ledger import Ledger
from memory.purge import plan_purge
from memory.records import StoredAlternative, text_hash
from memory.seed_report import SeedReport
from memory.seeding import SLICE_ROWS, seed_jsonl
from memory.source_counts import count_sources
from schema.experience import Experience
from schema.fix import Verification
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, Clock, an_experience, numbered, prepared

PROJECT = Path(__file__).resolve().parent.parent.parent
EVIL = "import os\nos.system('x')\n"
TESTED = Verification("tested", (), "", "b")
ANYBODY, OWN = ImportRequest("p-1"), ImportRequest("p-1", restore=True)


def home(folder: Path, *experiences: Experience) -> Ledger:
    """A ledger that holds these."""
    ledger = Ledger(folder / "ledger.sqlite3", lock_timeout_s=5, clock=Clock())
    if experiences:
        ledger.store([prepared(each) for each in experiences])
    return ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return home(tmp_path / "home")


def lines_of(ledger: Ledger) -> list[dict[str, Any]]:
    """Its export."""
    return [json.loads(line) for line in export_jsonl(ledger)]


def taken(ledger: Ledger, *lines: Any, request: ImportRequest = ANYBODY) -> ImportReport:
    """Import these lines, given as objects or as bytes."""
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return import_stream(ledger, [b"\n".join(raw)], request)


def stored(ledger: Ledger) -> dict[str, StoredAlternative]:
    """By the fixed code."""
    return {each.fixed_code: each for found in admin.list_experiences(ledger) for each in found.alternatives}


def exported(tmp_path: Path, *experiences: Experience) -> list[dict[str, Any]]:
    """The export of another home that holds these."""
    return lines_of(home(tmp_path / "other", *experiences))


def test_a_file_has_no_authority(ledger: Ledger, tmp_path: Path) -> None:
    """What it calls proved is plausible, what orders a reader is quarantined, what it rejects waits for the user, nothing is counted."""
    lines = exported(
        tmp_path,
        an_experience(trust="proved", kind="session", verification=TESTED),
        an_experience("b = 1\n", EVIL, trust="proved"),
        an_experience("c = 1\n", "c = 2\n", trust="rejected"),
        an_experience("d = 1\n", "d = 2\n", trust="quarantined"),
    )
    lines[0]["counters"] |= {"uses": 999_999, "accepted": 50, "pinned": True}
    lines[0]["created_at"] = "2999-01-01T00:00:00+00:00"

    report = taken(ledger, *lines)

    found = stored(ledger)
    assert (report.added, report.quarantined, report.bad) == (4, 3, 0)
    assert [found[text].trust for text in (MEAN_FIXED, EVIL, "c = 2\n", "d = 2\n")] == [
        "plausible",
        "quarantined",
        "quarantined",
        "quarantined",
    ]
    mean = found[MEAN_FIXED]
    assert (mean.uses, mean.accepted, mean.pinned, mean.verification.level, mean.scope) == (0, 0, False, "none", "p-1")
    assert mean.created_at < "2027"


def test_one_s_own_backup_keeps_what_was_withheld(ledger: Ledger, tmp_path: Path) -> None:
    """Proved comes back proved; quarantined and rejected are offered no more than before, until the user says so."""
    own = an_experience(trust="proved", kind="session", verification=TESTED)
    aside = [an_experience("b = 1\n", EVIL, trust="quarantined"), an_experience("c = 1\n", "c = 2\n", trust="rejected")]

    report = taken(ledger, *exported(tmp_path, own, *aside), request=OWN)

    found = stored(ledger)
    assert (report.added, report.quarantined) == (3, 1)
    assert (found[MEAN_FIXED].trust, found[MEAN_FIXED].provenance.kind, found[MEAN_FIXED].verification) == ("proved", "session", TESTED)
    assert (found[EVIL].trust, found["c = 2\n"].trust) == ("quarantined", "rejected")
    assert admin.approve(ledger, found[EVIL].experience_id) == 1


def test_lines_that_can_not_be_used_are_named_and_the_others_are_taken(ledger: Ledger, tmp_path: Path) -> None:
    """Damaged, changed by hand, of a newer format, cut off, not UTF-8: each by its number and reason."""
    one, two, three, four = exported(tmp_path, *map(numbered, range(4)))
    lines: list[Any] = [
        one,
        {**two, "code": two["code"].replace("sum", "max")},
        {**two, "fixed_code": "pass\n"},
        {**three, "format": FORMAT + 1},
        json.dumps(three).encode()[:-20],
        json.dumps(three).encode().replace(b"part2", b"p\xe4rt2"),
        {"tombstone": "abc"},
        b"",
        four,
    ]
    for request in (ANYBODY, OWN):
        report = taken(ledger, *lines, request=request)
        assert [(each.line, each.reason.partition(" (")[0]) for each in report.bad_lines] == [
            (2, "damaged: its `id` is not that of its code"),
            (3, "damaged: its `fix_key` is not that of its code"),
            (4, "written by a newer CodeMind"),
            (5, "not JSON"),
            (6, "not UTF-8"),
            (7, "`tombstone` is no sha256"),
        ]
        assert report.stored == 2
    assert {each.best.code for each in admin.list_experiences(ledger)} == {one["code"], four["code"]}


def test_a_file_that_is_none_is_one_sentence(ledger: Ledger, tmp_path: Path) -> None:
    """Missing, empty, a folder, binary: nothing is stored, no ledger is made."""
    path = tmp_path / "export.jsonl"
    for content, words in ((None, "can't be read"), (b"\n", "is empty"), (b"\x00", "binary or UTF-16")):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(InputInvalidError, match=words):
            import_file(ledger, path, ANYBODY)
    with pytest.raises(InputInvalidError, match="can't be read"):
        import_file(ledger, tmp_path, ANYBODY)
    assert not ledger.path.exists()


def test_another_fix_becomes_an_alternative_and_the_same_changes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    """A conflict is no overwrite; what is proved here stays so, whatever the file says."""
    ledger.store([prepared(an_experience(trust="proved", kind="session", verification=TESTED))])
    lines = exported(tmp_path, an_experience(explanation="Other words."), an_experience(fixed=MEAN_OTHER_FIX))

    for request in (ANYBODY, OWN):
        report = taken(ledger, *lines, request=request)
        found = stored(ledger)
        assert len(found) == 2
        assert (found[MEAN_FIXED].trust, found[MEAN_FIXED].explanation) == ("proved", "An empty list divides by zero.")
    assert (report.duplicate, report.added, report.updated) == (2, 0, 0)


def test_of_a_backup_the_stronger_evidence_counts(ledger: Ledger, tmp_path: Path) -> None:
    """Onto the same fix as it came from anybody: trust, level, pins and counters of both together, and the earlier day."""
    other = home(tmp_path / "other", an_experience(trust="proved", verification=TESTED))
    with other.writing() as connection:
        connection.execute("UPDATE alternatives SET uses = 7, accepted = 2, pinned = 1, created_at = '2020-01-01T00:00:00+00:00'")
    ledger.store([prepared(an_experience())])
    with ledger.writing() as connection:
        connection.execute("UPDATE alternatives SET uses = 9, rejected = 1")

    for _ in range(2):
        taken(ledger, *lines_of(other), request=OWN)

    mean = stored(ledger)[MEAN_FIXED]
    assert (mean.trust, mean.verification.level, mean.pinned) == ("proved", "tested", True)
    assert (mean.uses, mean.accepted, mean.rejected, mean.created_at[:4]) == (9, 2, 1, "2020")


@pytest.mark.parametrize(
    ("here", "accepted", "there", "then"),
    [
        ("rejected", 0, "proved", "rejected"),
        ("plausible", 0, "rejected", "rejected"),
        ("quarantined", 0, "rejected", "rejected"),
        ("plausible", 1, "rejected", "plausible"),
        ("proved", 0, "rejected", "proved"),
        ("proved", 0, "quarantined", "proved"),
        ("quarantined", 0, "plausible", "plausible"),
    ],
)
def test_a_rejection_outweighs_all_but_the_user_s_word_here(
    ledger: Ledger, tmp_path: Path, here: Any, accepted: int, there: Any, then: str
) -> None:
    """Of the memory and of its backup."""
    ledger.store([prepared(an_experience(trust=here))])
    with ledger.writing() as connection:
        connection.execute("UPDATE alternatives SET accepted = ?", (accepted,))

    taken(ledger, *exported(tmp_path, an_experience(trust=there)), request=OWN)

    assert stored(ledger)[MEAN_FIXED].trust == then


def test_tombstones_bind_only_who_made_them(ledger: Ledger) -> None:
    """From a seed or anybody's file they are counted and left; one's own backup brings them back, text-free, and what is stored stays."""
    tombstone = {"tombstone": text_hash(MEAN), "created_at": "2026-01-01T00:00:00+00:00"}
    assert dict(seed_jsonl(ledger, [json.dumps(tombstone).encode()]).skipped_why) == {"tombstone": 1}
    assert dict(taken(ledger, tombstone).skipped_why) == {"tombstone": 1}
    assert admin.stats(ledger).tombstones == 0

    report = taken(ledger, tombstone, {"tombstone": text_hash("x = 1\n")}, tombstone, request=OWN)

    assert (report.as_plain()["tombstones"], report.duplicate, report.bad) == (2, 1, 0)
    assert admin.stats(ledger).tombstones == 2
    assert dict(seed_jsonl(ledger, [json.dumps({"code": MEAN, "fixed_code": MEAN_FIXED, "language": "python"}).encode()]).skipped_why) == {
        "forgotten": 1
    }
    assert json.loads(next(export_jsonl(ledger, with_tombstones=True))) == tombstone


def test_a_secret_in_a_backup_becomes_a_placeholder_and_is_counted(ledger: Ledger) -> None:
    """A backup may be older than the way in which secrets are found."""
    secret = "ghp_" + "a1B2" * 9
    line = {"language": "python", "code": f"token = '{secret}'\nx = [1][1]\n", "fixed_code": f"token = '{secret}'\nx = [1][0]\n"}
    report = taken(ledger, line, request=OWN)
    assert (report.secrets, report.added) == (1, 1)
    assert secret not in "".join(export_jsonl(ledger))


def test_what_was_taken_is_known_by_its_file_and_can_be_taken_back(ledger: Ledger, tmp_path: Path) -> None:
    """Sources that say something stay; a session elsewhere does not, so the file stands in front. The file's path names all of it."""
    path = tmp_path / "team.jsonl"
    rows = [replace(an_experience("a = 1\n", "a = 2\n", kind="session")), an_experience("b = 1\n", "b = 2\n")]
    path.write_text("".join(json.dumps(line) + "\n" for line in exported(tmp_path, *rows)), encoding="utf-8")
    ledger.store([prepared(an_experience(kind="session"))])

    import_file(ledger, path, ANYBODY)

    refs = [each.provenance.ref for each in stored(ledger).values()]
    assert sorted(refs) == ["team-notes", "team-notes", "team.jsonl#team-notes"]
    assert count_sources(ledger) == {"made here": 1, "team.jsonl": 1, "team-notes": 1}
    assert plan_purge(ledger, "team.jsonl").fixes == 1
    assert plan_purge(ledger, str(path)).fixes == 2


@pytest.mark.parametrize("request_made", [ANYBODY, OWN], ids=["anybody", "own"])
@pytest.mark.parametrize("is_filled", [False, True])
def test_a_dry_run_says_what_the_real_one_does(ledger: Ledger, tmp_path: Path, request_made: ImportRequest, is_filled: bool) -> None:
    """Over several slices, with fixes twice in the file, known, rejected, forgotten, conflicting; and it writes nothing, no home either."""
    two = (an_experience(trust="rejected"), an_experience(fixed=MEAN_OTHER_FIX))
    lines = exported(tmp_path, *map(numbered, range(SLICE_ROWS + 20)), *two)
    lines += [{"tombstone": text_hash(numbered(5).code)}, *lines[:9], lines[-1], {**lines[0], "trust": "rejected"}, {}]
    if is_filled:
        meet(ledger)
    before = lines_of(ledger)

    dry = taken(ledger, *lines, request=replace(request_made, dry_run=True)).as_plain()

    assert (lines_of(ledger), ledger.path.exists()) == (before, is_filled)
    assert taken(ledger, *lines, request=request_made).as_plain() == dry
    assert (dry["lines"], dry["bad"]) == (len(lines), 1)


def meet(ledger: Ledger) -> None:
    """Store, forget and reject what the lines hold, and another fix of the same code."""
    ledger.store([prepared(each) for each in (numbered(1), numbered(3), numbered(4), an_experience(fixed="z = 2\n"))])
    for each in admin.list_experiences(ledger):
        if each.best.code == numbered(3).code:
            admin.forget(ledger, each.id)
    with ledger.writing() as connection:
        connection.execute("UPDATE alternatives SET trust = 'rejected' WHERE code = ?", (numbered(4).code,))


def test_progress_is_told_with_each_slice(ledger: Ledger, tmp_path: Path) -> None:
    """Bytes read of bytes in all; only what is stored is counted."""
    lines = exported(tmp_path, *map(numbered, range(SLICE_ROWS + 5)))
    raw = b"\n".join(json.dumps(line).encode() for line in lines)
    told: list[tuple[int, int, int]] = []

    def progress(report: SeedReport) -> None:
        told.append((report.stored, report.read_bytes, report.total_bytes))

    import_stream(ledger, [raw], ANYBODY, progress)

    assert [each[0] for each in told] == [SLICE_ROWS, SLICE_ROWS + 5]
    assert told[-1][1:] == (len(raw), len(raw))


def test_an_interrupt_keeps_the_slices_before_and_the_same_again_adds_the_rest(ledger: Ledger, tmp_path: Path) -> None:
    """Ctrl-C as a slice is told."""
    lines = exported(tmp_path, *map(numbered, range(2 * SLICE_ROWS)))

    def interrupted(report: SeedReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_stream(ledger, [b"\n".join(json.dumps(line).encode() for line in lines)], OWN, interrupted)
    assert admin.count(ledger) == SLICE_ROWS
    again = taken(ledger, *lines, request=OWN)
    assert (again.duplicate, again.added) == (SLICE_ROWS, SLICE_ROWS)


KILLED = """
import sys
from pathlib import Path
from memory.importing import ImportRequest, import_file
from memory.ledger import Ledger
def told(report):
    print(report.stored, flush=True)
print("ready", flush=True)
import_file(Ledger(Path(sys.argv[1])), Path(sys.argv[2]), ImportRequest(restore=True), told)
"""


def killed_at(random_moments: random.Random) -> Iterator[float]:
    """Seconds after the import began."""
    while True:
        yield random_moments.uniform(0.0, 0.6)


def test_a_kill_at_any_moment_loses_nothing_that_was_told(tmp_path: Path) -> None:
    """kill -9, four times over; each time the ledger opens with all that was reported, and the same file again completes it."""
    source = home(tmp_path / "other", *map(numbered, range(3 * SLICE_ROWS)))
    path = tmp_path / "own.jsonl"
    path.write_text("".join(f"{line}\n" for line in export_jsonl(source)), encoding="utf-8")
    ledger = home(tmp_path / "home")
    moments = killed_at(random.Random(7))  # noqa: S311 - no secret
    for _ in range(4):
        command = [sys.executable, "-c", KILLED, str(ledger.path), str(path)]
        with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(next(moments))
            process.kill()
            told = [int(line) for line in process.stdout.read().split()]
        assert admin.health(ledger).problem == ""
        assert admin.count(ledger) >= max(told, default=0)
    import_file(ledger, path, OWN)
    assert list(export_jsonl(ledger)) == list(export_jsonl(source))
