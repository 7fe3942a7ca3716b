"""`memory seed --git`: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import io
import json
import signal
import time
from pathlib import Path

import pytest

from cli.console import Console
from cli.git_arguments import moment
from cli.git_progress import GitProgress
from memory.git_seeding import GitReport
from memory.seed_report import SeedReport
from tests.cli.harness import KEEP, KEPT, CommandLine
from tests.cli.test_memory_seed import Seconds, Terminal
from tests.git_repositories import Step, make_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One fix among three commits."""
    steps = [
        Step("Begin", {"a.py": KEEP}),
        Step("Fix the shared default\n\nFixes #3", {"a.py": KEPT, "tests/test_a.py": "def test_a():\n    assert True\n"}),
        Step("Document it", {"README.md": "# Keep\n"}),
    ]
    make_repository(tmp_path / "keeper", steps)
    return tmp_path / "keeper"


def test_a_history_is_learnt_and_answers_a_paste(codemind: CommandLine, repository: Path) -> None:
    """The fix comes back with the message that it was committed with."""
    ran = codemind.run("memory", "seed", "--git", str(repository))
    assert ran.status == 0
    assert ran.out.startswith("keeper: 3 commits read, 1 bug fix, 1 function\nadded 1, updated 0, duplicate 0, skipped 0\n")
    assert "       1  docs, build or other files only\n" in ran.out
    record = codemind.run("--json", stdin=KEEP).record
    assert record["match"]["status"] == "IDENTICAL"
    assert record["fix"]["explanation"].startswith("Fix the shared default")


def test_a_dry_run_says_why_and_stores_nothing(codemind: CommandLine, repository: Path) -> None:
    """Each fix with its reasons and functions; then the same counts as the real run."""
    dry = codemind.run("memory", "seed", "--git", str(repository), "--dry-run")
    assert "says fix" in dry.out
    assert "has a test" in dry.out
    assert "    a.py: keep\n" in dry.out
    assert not (codemind.home / "ledger.sqlite3").exists()
    plain = codemind.run("memory", "seed", "--git", str(repository), "--dry-run", "--json").records
    done = codemind.run("memory", "seed", "--git", str(repository), "--json").record
    assert plain[0]["subject"] == "Fix the shared default"
    assert {**plain[-1], "dry_run": False, "index": ""} == {**done, "index": ""}


def test_reading_on(codemind: CommandLine, repository: Path) -> None:
    """`--since last` reads what is new."""
    assert codemind.run("memory", "seed", "--git", str(repository), "--since", "last", "--json").record["commits"] == 3
    assert codemind.run("memory", "seed", "--git", str(repository), "--since", "last", "--json").record["commits"] == 0


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        (("--git", "nowhere"), 2, "not_a_repository"),
        (("--git", "."), 2, "not_a_repository"),
        (("--git", ".", "--since", "lately"), 2, "is no date"),
        (("--git", ".", "--until", "last"), 2, "is no date"),
        (("--git", ".", "--grep", "("), 2, "no regular expression"),
        (("--git", ".", "--max", "0"), 2, "no number of commits"),
        (("--git", ".", "--path", "../x"), 2, "no path from the top"),
        (("--git", ".", "--path", "/etc"), 2, "no path from the top"),
        (("--starter", "--dry-run"), 2, "with --git REPO"),
        (("--git", ".", "--lang", "python"), 2, "--pair"),
        (("--git", ".", "--starter"), 2, "not allowed with"),
    ],
    ids=str,
)
def test_wrong_usage_is_one_line(
    codemind: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, word: str
) -> None:
    """Nothing is read or stored."""
    monkeypatch.chdir(tmp_path)
    ran = codemind.run("memory", "seed", *arguments)
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    assert word in ran.err


def test_a_broken_repository_and_a_missing_git_exit_3(codemind: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the codes that say which it is."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/.git").write_text("gitdir: /nowhere/at/all\n")
    ran = codemind.run("memory", "seed", "--git", str(tmp_path / "broken"))
    assert (ran.status, "git_failed" in ran.err) == (3, True)
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = codemind.run("memory", "seed", "--git", str(tmp_path / "broken"))
    assert (ran.status, "tool_missing" in ran.err) == (3, True)


def test_notes_are_said_on_standard_error(codemind: CommandLine, tmp_path: Path) -> None:
    """An empty repository is no failure."""
    make_repository(tmp_path / "empty", [])
    ran = codemind.run("memory", "seed", "--git", str(tmp_path / "empty"))
    assert (ran.status, "no commit yet" in ran.err) == (0, True)


def test_control_characters_of_a_message_do_not_reach_the_terminal(codemind: CommandLine, tmp_path: Path) -> None:
    """Neither from a subject nor from a path."""
    steps = [Step("Begin", {"a\x1b.py": KEEP}), Step("Fix \x1b]0;title\x07 it", {"a\x1b.py": KEPT})]
    make_repository(tmp_path / "odd", steps, checkout=False)
    ran = codemind.run("memory", "seed", "--git", str(tmp_path / "odd"), "--dry-run")
    assert "1 bug fix" in ran.out
    assert "\x1b" not in ran.out


def test_a_killed_run_loses_nothing(codemind: CommandLine, tmp_path: Path) -> None:
    """Kill -9 at any moment; the same command adds the rest."""
    steps = [Step("Begin", {"a.py": KEEP})]
    for number in range(400):
        steps.append(Step(f"Fix number {number}", {"a.py": KEPT.replace("seen = []", f"seen = [{number}]")}))
    make_repository(tmp_path / "long", steps, checkout=False)
    process = codemind.start("memory", "seed", "--git", str(tmp_path / "long"), "--json")
    time.sleep(1.2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = codemind.run("memory", "seed", "--git", str(tmp_path / "long"), "--since", "last", "--json").record
    assert done["added"] + done["updated"] + done["duplicate"] == 400
    stored = codemind.run("memory", "export").out.splitlines()
    assert len({(json.loads(line)["code"], json.loads(line)["fixed_code"]) for line in stored}) == len(stored) == 400


def test_dates_are_read_strictly() -> None:
    """A day begins and ends; so long ago; a zone counts."""
    day = moment("2024-01-31", end_of_day=False)
    assert moment("2024-01-31", end_of_day=True) - day == 86_399
    assert moment("1970-01-02T00:00:00+00:00", end_of_day=False) == 86_400
    assert abs(time.time() - moment("3 days ago", end_of_day=False) - 3 * 86_400) < 5


def test_progress_is_told_in_a_pipe_every_ten_seconds() -> None:
    """And not at all when all is read at once."""
    stderr, clock = io.StringIO(), Seconds()
    with GitProgress(Console(lambda: b"", io.StringIO(), stderr), clock) as progress:
        for clock.now in (4.0, 9.9, 10.0, 15.0, 19.9):
            progress(GitReport("r", "", False, total=100, commits=25, taken=7, stored=SeedReport(added=6)))
    assert stderr.getvalue() == "codemind: reading: 25 of 100 commits, 7 bug fixes, about 30 s left\n"
    assert progress.stored == 6


def test_progress_on_a_terminal_makes_room_for_what_is_printed() -> None:
    """One live line, erased before anything else is written."""
    stderr, clock = Terminal(), Seconds()
    with GitProgress(Console(lambda: b"", io.StringIO(), stderr), clock) as progress:
        progress(GitReport("r", "", False, total=100, commits=5))
        assert stderr.getvalue() == ""
        clock.now = 1.0
        progress(GitReport("r", "", False, total=100, commits=50, taken=7))
        assert "reading: 50 of 100 commits, 7 bug fixes, about 1 s left" in stderr.getvalue()
        progress.clear()
        assert stderr.getvalue().endswith("\r\x1b[J")
        length = len(stderr.getvalue())
    assert len(stderr.getvalue()) == length


def test_an_interrupted_run_says_what_is_safe(codemind: CommandLine, tmp_path: Path) -> None:
    """Exit status 130, and the same command adds the rest."""
    steps = [Step("Begin", {"a.py": KEEP})]
    steps += [Step(f"Fix number {number}", {"a.py": KEPT.replace("seen = []", f"seen = [{number}]")}) for number in range(1500)]
    make_repository(tmp_path / "long", steps, checkout=False)
    process = codemind.start("memory", "seed", "--git", str(tmp_path / "long"))
    deadline = time.monotonic() + 50
    while not (codemind.home / "ledger.sqlite3").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=50)
    assert process.returncode == 130
    assert b"functions are learnt and safe; the same command adds the rest" in err
    assert len(codemind.run("memory", "export").out.splitlines()) >= int(err.split(b"interrupted: ")[1].split()[0])
