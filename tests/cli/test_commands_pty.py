"""The commands on a real pseudo terminal, as a user types them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.harness import KEEP, KEPT, CommandLine
from tests.cli.screen import Screen, opened

SECRET = "ghp_" + "a1B2" * 9
TWO = "import os\n\n\n" + KEEP
REPORTED = "leaves this machine"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working folder of the session."""
    made = tmp_path / "here"
    made.mkdir()
    return made


@pytest.fixture
def typing(codemind: CommandLine, folder: Path) -> Iterator[Screen]:
    """A session in that folder, without programs that have a clipboard; left by /quit."""
    codemind = replace(codemind, environment=(("ALLOW_UNSANDBOXED", "true"), ("DISPLAY", ""), ("WAYLAND_DISPLAY", ""), ("TMUX", "")))
    with opened(codemind, cwd=folder, columns=100) as screen:
        yield screen
        screen.type("/quit\r")


def obey(screen: Screen, line: str, answer: str) -> str:
    """Type a command and wait for its answer, and for the prompt behind it."""
    screen.type(line + "\r")
    printed = screen.wait_for(answer)
    screen.wait_for("code>")
    screen.quiet()
    return printed


def reviewed(screen: Screen, code: str) -> str:
    """Paste and wait for the report, and for the prompt behind it."""
    screen.paste(code)
    printed = screen.wait_for(REPORTED)
    screen.wait_for("code>")
    screen.quiet()
    return printed


def test_load_write_undo_undo(typing: Screen, folder: Path) -> None:
    """A file is loaded, mended, and given back; then the save is taken back, and then there is nothing more."""
    (folder / "my file.py").write_text(TWO)
    obey(typing, "/load my file.py", REPORTED)
    obey(typing, "/write", "Wrote my file.py: ")
    assert (folder / "my file.py").read_text() == TWO.replace(KEEP, KEPT)
    obey(typing, "/undo", "Taken back: the write of my file.py")
    assert (folder / "my file.py").read_text() == TWO
    obey(typing, "/undo", "Taken back: the save of my file.py (python, 6 lines)")
    obey(typing, "/memory", "The memory is empty")
    obey(typing, "/undo", "There is nothing to take back")


def test_a_secret_is_pasted_and_written_in_its_place(typing: Screen, folder: Path) -> None:
    """The home holds it nowhere."""
    reviewed(typing, f'TOKEN = "{SECRET}"\n{KEEP}')
    obey(typing, "/write a.py", "Wrote a.py: a new file of 6 lines")
    assert (folder / "a.py").read_text() == f'TOKEN = "{SECRET}"\n{KEPT}'
    home = folder.parent / "home"
    assert not [path for path in home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_retry_test_and_fix_review_again(typing: Screen) -> None:
    """Past the memory; with a command that must pass; and only what was chosen."""
    reviewed(typing, TWO)
    assert "memory was not asked" in obey(typing, "/retry", REPORTED)
    assert "level tested" in obey(typing, "/test grep -q 'seen is None' {file} || true", REPORTED)
    assert "1 finding\r\n" in obey(typing, "/fix 2", REPORTED)


def test_verdicts_are_given_and_taken_back(typing: Screen) -> None:
    """/ignore, /accept, /reject; each can be undone."""
    reviewed(typing, TWO)
    obey(typing, "/ignore 1", "Ignored: ruff/F401")
    assert "ruff/F401" not in reviewed(typing, TWO)
    obey(typing, "/accept", "Accepted")
    obey(typing, "/undo", "Taken back: your verdict (accepted)")
    obey(typing, "/reject", "Rejected")
    assert "+def keep" not in reviewed(typing, TWO)
    obey(typing, "/undo", "Taken back: your verdict (rejected)")
    obey(typing, "/undo", "Taken back: ignoring ruff/F401")
    assert "ruff/F401" in reviewed(typing, TWO)


def test_the_memory_is_read_and_forgotten(typing: Screen, codemind: CommandLine) -> None:
    """Found by a word, shown with its evidence, gone for good."""
    reviewed(typing, KEEP)
    (key,) = [line.split()[0] for line in codemind.run("memory", "list").out.splitlines()]
    assert key[:12] in obey(typing, "/memory seen", "/show ID shows one")
    obey(typing, f"/show {key[:8]}", "Evidence: level clean")
    obey(typing, f"/forget {key[:8]}", "Forgotten for good")
    assert codemind.run("memory", "list").out == ""


def test_the_fix_is_seen_again_and_copied(typing: Screen) -> None:
    """The terminal is handed the whole fixed code, in a form that can't be told from nothing else."""
    reviewed(typing, KEEP)
    assert "+    if seen is None:" in obey(typing, "/diff", "return seen")
    obey(typing, "/copy", "handed to the terminal's clipboard")
    _, _, coded = typing.printed.partition(b"\x1b]52;c;")
    assert base64.b64decode(coded.partition(b"\x07")[0]).decode() == KEPT


def test_what_is_missing_is_said_in_one_line(typing: Screen) -> None:
    """Before anything was reviewed; and an unknown word gets a suggestion."""
    for line in ("/diff", "/write a.py", "/accept", "/fix 1"):
        obey(typing, line, "Nothing was reviewed yet: paste code, or /example")
    obey(typing, "/wriet", "/write")
    obey(typing, "/load nowhere.py", "nowhere.py can't be read: no such file or directory")
