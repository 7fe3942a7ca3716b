"""`memory export` and `memory import` at the command line: what is said, exit statuses, JSON, standard input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.export_record import FORMAT
from tests.cli.harness import KEEP, CommandLine

OWN = "taken as your own backup: trust, counters, pins, times and evidence are those of the file"
FOREIGN = "taken as from anybody: each fix was judged anew and nothing is counted; for your own backup use --restore"


@pytest.fixture
def other(codemind: CommandLine, tmp_path: Path) -> CommandLine:
    """The same on another machine."""
    return replace(codemind, home=tmp_path / "other")


@pytest.fixture
def exported(codemind: CommandLine, tmp_path: Path) -> Path:
    """The export of a home in which a fix was made, pinned, and something was forgotten."""
    codemind.run("--json", stdin=KEEP)
    seed = {"code": "gone = 1\n", "fixed_code": "gone = 2\n", "language": "python"}
    codemind.run("memory", "seed", "--jsonl", "-", stdin=json.dumps(seed))
    (key,) = [each["id"] for each in codemind.run("memory", "search", "gone", "--json").records]
    codemind.run("memory", "forget", key)
    codemind.run("memory", "pin", codemind.run("memory", "list", "--json").record["id"])
    path = tmp_path / "own.jsonl"
    path.write_text(codemind.run("memory", "export", "--with-tombstones").out, encoding="utf-8")
    return path


def test_a_backup_is_restored_on_another_machine(codemind: CommandLine, other: CommandLine, exported: Path) -> None:
    """One line says how it was taken; the exports are the same, and so is the answer to a paste."""
    ran = other.run("memory", "import", str(exported), "--restore")

    assert ran.status == 0
    assert ran.out.splitlines()[0] == "lines 2, added 1, updated 0, duplicate 0, skipped 0, quarantined 0, bad 0"
    assert ran.out.splitlines()[-2:] == [OWN, "forgotten from now on: 1 text that the backup says you have forgotten"]
    assert other.run("memory", "export", "--with-tombstones").out == exported.read_text(encoding="utf-8")
    assert other.run("--json", "--no-save", stdin=KEEP).record["match"]["status"] == "IDENTICAL"


def test_a_colleague_s_file_says_where_things_came_from(other: CommandLine, exported: Path) -> None:
    """Show, list, statistics and a purge name the file; what whoever wrote it has forgotten is left out with a count."""
    ran = other.run("memory", "import", str(exported))
    row = other.run("memory", "list", "--json").record

    assert ran.out.splitlines()[1] == "skipped: 1 forgotten by whoever wrote them"
    assert ran.out.splitlines()[-1] == FOREIGN
    assert (row["alternatives"][0]["pinned"], row["alternatives"][0]["uses"]) == (False, 0)
    assert "from peer own.jsonl#" in other.run("memory", "show", row["id"]).out
    assert "sources: own.jsonl 1\n" in other.run("memory", "stats").out
    assert other.run("memory", "stats", "--json").record["sources"] == {"own.jsonl": 1}
    assert other.run("memory", "purge", "--source", "own.jsonl", "--yes", "--json").record["fixes"] == 1


def test_a_dry_run_changes_nothing(other: CommandLine, exported: Path) -> None:
    """The same words, with what they are worth in front; no home is made, but for the log."""
    ran = other.run("memory", "import", str(exported), "--restore", "--dry-run")
    assert ran.out.splitlines()[:2] == [
        "nothing was changed; without --dry-run this would become of it:",
        "lines 2, added 1, updated 0, duplicate 0, skipped 0, quarantined 0, bad 0",
    ]
    assert not (other.home / "ledger.sqlite3").exists()
    plain = other.run("memory", "import", str(exported), "--dry-run", "--json").record
    assert (plain["dry_run"], plain["restore"], plain["added"], plain["index"]) == (True, False, 1, "")


def test_standard_input_is_imported(codemind: CommandLine, other: CommandLine, exported: Path) -> None:
    """Straight from another export; again it is all known."""
    text = codemind.run("memory", "export").out
    for added, known in ((1, 0), (0, 1)):
        plain = other.run("memory", "import", "-", "--json", stdin=text).record
        assert (plain["added"], plain["duplicate"], plain["bad"]) == (added, known, 0)


def test_bad_lines_are_named_and_make_the_exit_status_2(other: CommandLine, exported: Path) -> None:
    """The good ones are taken all the same."""
    tombstone, good = exported.read_bytes().splitlines(keepends=True)
    line: dict[str, Any] = json.loads(good)
    newer = json.dumps({**line, "format": FORMAT + 1}).encode() + b"\n"
    changed = json.dumps({**line, "code": "x = 1\n"}).encode() + b"\n"
    exported.write_bytes(tombstone + newer + changed + b'{"code": "\xe4"}\n' + good)

    ran = other.run("memory", "import", str(exported))

    assert ran.status == 2
    assert "lines 5, added 1," in ran.out
    install = f"written by a newer CodeMind (format {FORMAT + 1}; this one reads up to {FORMAT}): install a newer one"
    assert f"line 2: {install}\nline 3: damaged: its `id` is not that of its code\nline 4: not UTF-8\n" in ran.out


def test_a_file_that_is_no_export_says_what_is(other: CommandLine, tmp_path: Path) -> None:
    """One line for a file that can't be read at all; a hint for one of another kind."""
    path = tmp_path / "list.jsonl"
    missing = other.run("memory", "import", str(path))
    assert (missing.status, missing.out) == (2, "")
    assert missing.err.startswith("codemind: input_invalid: ")
    path.write_text('{"name": "a"}\n{"name": "b"}\n', encoding="utf-8")
    for words in ([], ["--restore"]):
        ran = other.run("memory", "import", str(path), *words)
        assert (ran.status, ran.err.count("\n")) == (2, 1)
        assert "takes what `memory export` has written" in ran.err
    assert not (other.home / "ledger.sqlite3").exists()


def test_a_name_that_no_terminal_shows_is_no_fault(other: CommandLine, exported: Path, tmp_path: Path) -> None:
    """The name is stored and printed with its odd bytes written out."""
    odd = tmp_path / "te\udcffam\x1b[2J.jsonl"
    odd.write_bytes(exported.read_bytes())
    assert other.run("memory", "import", str(odd)).status == 0
    shown = other.run("memory", "stats").out
    assert "te\\udcffam" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("words", [["import"], ["import", "a", "b"], ["import", "a", "--empty"], ["export", "file"]])
def test_wrong_use_is_one_line(codemind: CommandLine, words: list[str]) -> None:
    """Exit status 2, nothing on standard output."""
    ran = codemind.run("memory", *words)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
