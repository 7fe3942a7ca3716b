"""Forget means forget: after it no file of CODEMIND_HOME holds a word of the text, and no import brings it back."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory import admin
from memory.export import export_jsonl
from memory.importing import ImportRequest, import_stream
from memory.ledger import Ledger
from memory.schema_sql import MIGRATIONS
from memory.seeding import seed_jsonl
from schema.finding import Finding
from tests.cli.commanding import Commanded, commanded
from tests.cli.harness import CommandLine
from tests.cli.planted import written_in
from tests.memory.git_learning import learn, simple
from tests.memory.rows import Clock, an_experience, numbered, prepared
from tests.memory.test_costs import second_version
from tests.model_replies import Reply
from tests.model_server import ModelServer

CODE = "def gather_marzipan(kettle, drawer=[]):\n    drawer.append(kettle.whistle_quietly())\n    return drawer  # zeppelin hangar\n"
SEEDED_FIX = CODE.replace("drawer=[]", "drawer=()").replace("drawer.append(", "drawer = (*drawer, ").replace("# zeppelin", "# obsidian")
EXPLANATION = "The porcupine default is shared between calls."
WORDS = ("marzipan", "whistle_quietly", "zeppelin", "obsidian", "porcupine")
"""Of the code, of the seeded fix, and of its explanation."""
OTHER = "def keep(x, seen=[]):\n    seen.append(x)\n    return seen\n"


def seed_line() -> bytes:
    """A fix of the code from somebody else's notes, with a finding that quotes it."""
    place = {"path": "a.py", "start_line": 1, "end_line": 1, "start_column": 1, "end_column": 4}
    kind = {"severity": "high", "category": "bug", "rule_id": "ruff/B006", "source": "ruff:B006"}
    finding = {**place, **kind, "message": "The porcupine default", "suggestion": "", "evidence": CODE.split("\n")[0]}
    row = {"code": CODE, "fixed_code": SEEDED_FIX, "explanation": EXPLANATION, "language": "python", "source": "notes"}
    return json.dumps({**row, "findings": [finding]}).encode()


def found(home: Path) -> set[str]:
    """Which of the words any file holds, as UTF-8 or UTF-16; in names of files too."""
    content = written_in(home).lower()
    return {word for word in WORDS if word.encode() in content or word.encode("utf-16-le") in content}


@pytest.fixture
def codemind(tmp_path: Path) -> CommandLine:
    """The command line with an empty home."""
    return CommandLine(tmp_path / "home")


@pytest.fixture
def session(codemind: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commanded]:
    """A session in a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    opened = commanded(codemind.home)
    yield opened
    opened.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return Ledger(tmp_path / "home" / "ledger.sqlite3", lock_timeout_s=2, clock=Clock())


def worked_on(session: Commanded, codemind: CommandLine) -> str:
    """Seed a fix, paste the code with a test command, accept what is offered, go past it, judge, ignore, paste what is like it; the id."""
    codemind.run("memory", "seed", "--jsonl", "-", stdin=seed_line())
    session.do(f"/test {sys.executable} -c 'import sys; sys.exit(0)'")
    session.paste(CODE)
    session.do("/accept")
    session.do("/retry")
    session.do("/ignore 1")
    session.paste(OTHER)
    settle(session, codemind)
    (key,) = [each["id"] for each in codemind.run("memory", "list", "--json").records if each["alternatives"][0]["code"] == CODE]
    return str(key)


def settle(session: Commanded, codemind: CommandLine) -> None:
    """Wait as the prompt does, until the checkpoints of the last task have gone."""
    for _ in range(500):
        session.run(asyncio.sleep(0.02))
        kept = b"".join(path.read_bytes().lower() for path in codemind.home.glob("sessions.sqlite3*"))
        if not any(word.encode() in kept for word in WORDS):
            return


def test_no_word_is_left_when_another_process_forgets(session: Commanded, codemind: CommandLine) -> None:
    """While the session that worked on it goes on. What memory had said of other code goes, too, and that code stays known."""
    key = worked_on(session, codemind)
    assert found(codemind.home) == set(WORDS)

    gone = codemind.spawn("memory", "forget", key, "--json").record

    assert (gone["id"], gone["leftovers"], found(codemind.home)) == (key, [], set())
    assert "IDENTICAL" not in session.paste(CODE)
    assert "IDENTICAL" in session.paste(OTHER)
    settle(session, codemind)
    assert found(codemind.home) == set()


def test_no_word_is_left_when_the_session_itself_forgets(session: Commanded, codemind: CommandLine) -> None:
    """What is still on the screen can be judged, and leaves no text either."""
    key = worked_on(session, codemind)
    session.paste(CODE)
    settle(session, codemind)
    assert found(codemind.home) == set(WORDS)

    said = session.do(f"/forget {key}")
    session.do("/reject")
    session.do("/undo")

    assert "Its text may still be in" not in said
    assert found(codemind.home) == set()


def test_what_came_from_it_goes_out_of_other_fixes(ledger: Ledger) -> None:
    """A finding that memory carried over quotes the forgotten fix; the others of the same fix stay."""
    carried, own = (json.loads(seed_line())["findings"][0] for _ in range(2))
    seed_jsonl(ledger, [seed_line()])
    (key,) = [each.id for each in admin.list_experiences(ledger)]
    carried["source"], own["message"] = f"memory:{key}", "Its own"
    findings = tuple(Finding.from_plain({**each, "confidence": 1.0, "fingerprint": ""}) for each in (carried, own))
    ledger.store([prepared(replace(an_experience(), findings=findings))])

    admin.forget(ledger, key)

    (left,) = admin.list_experiences(ledger)
    assert [each.message for each in left.best.findings] == ["Its own"]


def test_an_interrupted_task_with_that_code_goes_too(codemind: CommandLine) -> None:
    """Its session was killed in a call to the model; forgetting says that it is gone, and `resume` has nothing to offer."""
    codemind.run("memory", "seed", "--jsonl", "-", stdin=seed_line())
    killed_in_a_call(codemind, CODE)
    assert found(codemind.home) == set(WORDS)
    (row,) = codemind.run("memory", "list", "--json").records

    gone = codemind.run("memory", "forget", row["id"])

    assert gone.out.splitlines()[1] == "dropped, too: 1 interrupted task with that code"
    assert "still be in" not in gone.out
    assert found(codemind.home) == set()
    assert codemind.run("resume", "--json").out == ""


def test_an_interrupted_task_with_more_than_that_code_is_named(codemind: CommandLine) -> None:
    """It is work of the user's: it stays, with where it lies and how to be rid of it."""
    codemind.run("memory", "seed", "--jsonl", "-", stdin=seed_line())
    killed_in_a_call(codemind, f"import os\n\n\n{CODE}\nprint(gather_marzipan(os))\n")
    (row,) = codemind.run("memory", "list", "--json").records

    gone = codemind.run("memory", "forget", row["id"])

    assert "sessions.sqlite3 (a task that runs or was interrupted: `codemind resume --discard` drops it)" in gone.out
    assert b"whistle_quietly" in (codemind.home / "sessions.sqlite3").read_bytes()
    codemind.run("resume", "--discard")
    assert found(codemind.home) == set()


def killed_in_a_call(codemind: CommandLine, code: str) -> None:
    """Paste the code into a session that is killed while it waits for its model."""
    with ModelServer(Reply("hang")) as server:
        model = (("LLM_BASE_URL", server.url), ("LLM_API_KEY", "k-1"), ("LLM_MODEL", "m"), ("LLM_TIMEOUT_SECONDS", "5"))
        process = replace(codemind, environment=model).start("--json", "--no-memory")
        assert process.stdin is not None
        process.stdin.write(code.encode() + b"\nEOF\n")
        process.stdin.flush()
        assert server.wait_until(lambda seen: bool(seen.chats), timeout_s=60)
        process.kill()
        process.communicate(timeout=60)


def test_older_copies_of_the_ledger_are_cleaned(ledger: Ledger) -> None:
    """Backups made before a migration lose the text and get the tombstone, keep the rest, and stay usable; nothing is left to be named."""
    seed_jsonl(ledger, [seed_line()])
    ledger.store([prepared(numbered(1))])
    newer = Ledger(ledger.path, lock_timeout_s=2, clock=Clock(), migrations=(*MIGRATIONS, "CREATE TABLE notes (id INTEGER)"))
    with newer.writing():
        pass
    (backup,) = [path for path in ledger.path.parent.glob("ledger.backup-v*")]
    assert b"marzipan" in backup.read_bytes()

    gone = admin.forget(newer, key_of(newer))

    assert gone.leftovers == ()
    assert found(ledger.path.parent) == set()
    copy = Ledger(backup, clock=Clock())
    assert [each.best.code for each in admin.list_experiences(copy)] == [numbered(1).code]
    assert seed_jsonl(copy, [seed_line()]).skipped == 1


def test_a_copy_of_the_second_schema_is_cleaned(tmp_path: Path) -> None:
    """It lacks tables that are there today."""
    path = tmp_path / "ledger.sqlite3"
    second_version(path)
    ledger = Ledger(path, clock=Clock())
    (row,) = [each for each in admin.list_experiences(ledger) if "part1" in each.best.code]

    gone = admin.forget(ledger, row.id)

    assert gone.leftovers == ()
    assert len(list(tmp_path.glob("ledger.backup-v*"))) >= 2
    assert b"part1(" not in written_in(tmp_path)
    assert b"part2(" in written_in(tmp_path)


def test_what_cannot_be_cleaned_is_named(codemind: CommandLine) -> None:
    """A damaged ledger and a copy that is none, when they hold the text; not those that don't."""
    codemind.run("memory", "seed", "--jsonl", "-", stdin=seed_line())
    for name, content in {"damaged-1": CODE, "damaged-2": OTHER, "backup-v1": CODE}.items():
        (codemind.home / f"ledger.{name}.sqlite3").write_text(content, encoding="utf-8")
    (codemind.home / "own-notes.txt").write_text(EXPLANATION, encoding="utf-8")
    (row,) = codemind.run("memory", "list", "--json").records

    gone = codemind.run("memory", "forget", row["id"], "--json").record

    names = {Path(each).name for each in gone["leftovers"]}
    assert names == {"ledger.damaged-1.sqlite3", "ledger.backup-v1.sqlite3", "own-notes.txt"}


def test_a_write_ahead_log_that_somebody_reads_is_named(ledger: Ledger) -> None:
    """Another program's reader keeps SQLite from emptying it; when that ends, the next write does."""
    seed_jsonl(ledger, [seed_line()])
    key = key_of(ledger)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM alternatives").fetchone()
        gone = admin.forget(ledger, key)
    assert [path.name for path in gone.leftovers] == ["ledger.sqlite3-wal"]


def test_no_way_of_learning_brings_it_back(ledger: Ledger, tmp_path: Path) -> None:
    """A seed, another's export, one's own backup, a Git history: each counts it as forgotten and takes the rest."""
    other = Ledger(tmp_path / "other" / "ledger.sqlite3", clock=Clock())
    seed_jsonl(other, [seed_line()])
    other.store([prepared(numbered(1))])
    exported = [line.encode() + b"\n" for line in export_jsonl(other)]
    seed_jsonl(ledger, [seed_line()])
    admin.forget(ledger, key_of(ledger))

    seeded = seed_jsonl(ledger, [seed_line()])
    imported = import_stream(ledger, exported, ImportRequest())
    restored = import_stream(ledger, exported, ImportRequest(restore=True))

    assert dict(seeded.skipped_why) == dict(imported.skipped_why) == dict(restored.skipped_why) == {"forgotten": 1}
    assert (imported.added, restored.duplicate) == (1, 1)
    assert found(ledger.path.parent) == set()


def test_a_history_does_not_bring_it_back(ledger: Ledger, tmp_path: Path) -> None:
    """Read again from its beginning, the dry run says the same."""
    repository = tmp_path / "shop"
    simple(repository)
    learn(ledger, repository)
    (learnt,) = admin.list_experiences(ledger)
    admin.forget(ledger, learnt.id)

    again = learn(ledger, repository)

    assert (again.stored.added, dict(again.stored.skipped_why)) == (0, {"forgotten": 1})
    assert admin.count(ledger) == 0


def test_a_renamed_copy_is_another_text(ledger: Ledger) -> None:
    """What is forgotten is that text, whatever its line ends; the same with other names, or laid out anew, may be learnt."""
    seed_jsonl(ledger, [seed_line()])
    admin.forget(ledger, key_of(ledger))
    crlf = {**json.loads(seed_line()), "code": CODE.replace("\n", "\r\n").rstrip()}
    renamed = {**json.loads(seed_line()), "code": CODE.replace("drawer", "tray"), "fixed_code": SEEDED_FIX.replace("drawer", "tray")}

    assert seed_jsonl(ledger, [json.dumps(crlf).encode()]).skipped == 1
    assert seed_jsonl(ledger, [json.dumps(renamed).encode()]).added == 1


def key_of(ledger: Ledger) -> str:
    """The id of what is known of the code."""
    (key,) = [each.id for each in admin.list_experiences(ledger) if each.best.code == CODE]
    return key
