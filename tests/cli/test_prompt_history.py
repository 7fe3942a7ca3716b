"""What the up arrow recalls, and what of it is written down."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from cli.prompt_history import HISTORY_FILE, MOST_LINES, SessionHistory

TOKEN = "ghp_" + "a1B2" * 9


def recalled(history: SessionHistory) -> list[str]:
    """What earlier sessions left, the newest first."""
    return list(history.load_history_strings())


def test_commands_are_kept_for_later_sessions_in_a_private_file(tmp_path: Path) -> None:
    """The newest is recalled first; nobody else may read it."""
    home = tmp_path / "home"
    for line in ("/load a.py", "/memory mutable default", "exit"):
        SessionHistory(home).append_string(line)

    assert recalled(SessionHistory(home)) == ["exit", "/memory mutable default", "/load a.py"]
    assert stat.S_IMODE((home / HISTORY_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == [HISTORY_FILE]


@pytest.mark.parametrize("code", ["password = 'x'\nEOF", "x = 1", "// a comment", "/* a */", "/quit\nx = 1"])
def test_code_is_recalled_in_this_session_and_never_written(code: str, tmp_path: Path) -> None:
    """A paste may hold anything."""
    history = SessionHistory(tmp_path / "home")
    history.append_string(code)
    assert history.get_strings() == [code]
    assert not (tmp_path / "home").exists()


def test_secrets_in_commands_are_replaced_in_the_file(tmp_path: Path) -> None:
    """A test command may be given a token."""
    SessionHistory(tmp_path).append_string(f"/test TOKEN={TOKEN} pytest -q")
    written = (tmp_path / HISTORY_FILE).read_text()
    assert TOKEN not in written
    assert written.startswith("/test TOKEN=CMSECRET")


def test_the_file_stays_short(tmp_path: Path) -> None:
    """The oldest lines go."""
    (tmp_path / HISTORY_FILE).write_text("".join(f"/show {number}\n" for number in range(MOST_LINES + 50)))
    history = SessionHistory(tmp_path)
    history.append_string("/undo")
    lines = (tmp_path / HISTORY_FILE).read_text().splitlines()
    assert (len(lines), lines[0], lines[-1]) == (MOST_LINES, "/show 51", "/undo")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01\n/undo\n", b"code = 1\n/undo\n\x1b[2J/x\n", b"/undo\n/" + b"a" * 600_000])
def test_whatever_else_stands_in_the_file_is_passed_over(content: bytes, tmp_path: Path) -> None:
    """Bytes, code, control sequences and endless lines."""
    (tmp_path / HISTORY_FILE).write_bytes(content)
    assert recalled(SessionHistory(tmp_path)) in (["/undo"], [])
    SessionHistory(tmp_path).append_string("/diff")
    assert recalled(SessionHistory(tmp_path))[0] == "/diff"


def test_a_file_that_may_not_be_written_is_left_alone(tmp_path: Path) -> None:
    """A folder in its place, and a home that can't be made."""
    (tmp_path / HISTORY_FILE).mkdir()
    (tmp_path / "file").write_text("")
    for home in (tmp_path, tmp_path / "file"):
        history = SessionHistory(home)
        history.append_string("/undo")
        assert recalled(history) == []
        assert history.get_strings() == ["/undo"]
    assert not list(tmp_path.glob(f"{HISTORY_FILE}.*"))


def test_without_a_folder_nothing_is_read_or_written() -> None:
    """--no-save."""
    history = SessionHistory(None)
    history.append_string("/undo")
    assert recalled(history) == []
    assert history.get_strings() == ["/undo"]


def test_what_was_discarded_is_at_hand(tmp_path: Path) -> None:
    """In this session only; blanks alone are nothing."""
    history = SessionHistory(tmp_path)
    assert history.keep("/forget abc")
    assert not history.keep(" \n")
    assert history.get_strings() == ["/forget abc"]
    assert not (tmp_path / HISTORY_FILE).exists()
