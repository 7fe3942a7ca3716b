"""/write and /undo: the fix goes to the place its code came from, and is taken back from there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest

from cli.edge import Entry
from cli.shown import Shown
from tests.cli.commanding import Commanded, commanded
from tests.cli.harness import KEEP, KEPT
from tests.fakes import a_quoted, a_review
from tests.model_server import ModelServer

SECRET = "ghp_" + "a1B2" * 9
MODULE = f"import os\n\n\nclass Box:\n{indent(KEEP, '    ')}\n\nprint(os.sep)\n"
FILE_TEXT = f"import os\n\n\n{KEEP}\n\nprint(os.sep)\n"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commanded]:
    """A session in an empty working folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    opened = commanded(tmp_path / "home")
    yield opened
    opened.close()


def test_a_new_file_is_created_and_gone_again(session: Commanded) -> None:
    """A path with blanks, quoted or not; `~` is the home."""
    session.paste(KEEP)
    for line in ("/write a new.py", '/write "a new.py"', "/write 'a new.py'", "/write ./a new.py"):
        assert "a new file of 5 lines" in session.do(line)
        assert Path("a new.py").read_text() == KEPT
        assert "the file is gone" in session.do("/undo")
        assert not Path("a new.py").exists()


def test_the_home_is_expanded(session: Commanded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell does it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    session.paste(KEEP)
    session.do("/write ~/kept.py")
    assert (tmp_path / "kept.py").read_text() == KEPT


def test_a_loaded_file_is_written_without_a_path(session: Commanded) -> None:
    """CRLF, byte order mark and mode stay; a second /write does nothing; /undo gives every byte back."""
    before = b"\xef\xbb\xbf" + KEEP.replace("\n", "\r\n").encode()
    Path("a.py").write_bytes(before)
    Path("a.py").chmod(0o600)
    session.do("/load a.py")
    assert "Wrote a.py" in session.do("/write")
    assert Path("a.py").read_bytes() == b"\xef\xbb\xbf" + KEPT.replace("\n", "\r\n").encode()
    assert Path("a.py").stat().st_mode & 0o777 == 0o600
    assert "holds the fixed code already" in session.do("/write")
    assert "as it was before" in session.do("/undo")
    assert Path("a.py").read_bytes() == before


def test_the_pasted_block_is_replaced_in_its_file(session: Commanded) -> None:
    """Everything around it stays, also where it stands indented."""
    Path("a.py").write_text(FILE_TEXT)
    Path("b.py").write_text(MODULE)
    session.paste(KEEP)
    assert "3 lines added, 1 removed, the first is line 4" in session.do("/write a.py")
    assert Path("a.py").read_text() == FILE_TEXT.replace(KEEP, KEPT)
    session.do("/write b.py")
    assert Path("b.py").read_text() == MODULE.replace(indent(KEEP, "    "), indent(KEPT, "    "))


@pytest.mark.parametrize(
    ("content", "why"),
    [("x = 1\n", "does not hold the code"), (FILE_TEXT + KEEP, "2 times")],
)
def test_a_file_with_no_one_place_is_left(session: Commanded, content: str, why: str) -> None:
    """One line says why and what replaces the whole file; that works, and is taken back."""
    Path("a.py").write_text(content)
    session.paste(KEEP)
    said = session.do("/write a.py")
    assert why in said
    assert "/write --over a.py replaces the whole file" in said
    assert Path("a.py").read_text() == content
    session.do("/write --over a.py")
    assert Path("a.py").read_text() == KEPT
    session.do("/undo")
    assert Path("a.py").read_text() == content


def test_only_files_are_written(session: Commanded) -> None:
    """A folder, a device and a link that leads nowhere are left alone; --over is no way around that."""
    Path("folder").mkdir()
    Path("dangling").symlink_to("nowhere")
    os.mkfifo("fifo")
    session.paste(KEEP)
    for path in ("folder", "folder/", "fifo", "dangling", os.devnull, "missing/a.py"):
        for line in (f"/write {path}", f"/write --over {path}"):
            assert "Wrote" not in session.do(line)
            assert session.said
    assert not Path("nowhere").exists()


def test_a_link_is_followed_to_a_file(session: Commanded) -> None:
    """As `fix --write` does it: the link stays a link."""
    Path("a.py").write_text(KEEP)
    Path("link.py").symlink_to("a.py")
    session.do("/load link.py")
    session.do("/write")
    assert (Path("link.py").is_symlink(), Path("a.py").read_text()) == (True, KEPT)


def test_a_file_that_changed_since_stays(session: Commanded) -> None:
    """After the load, and after the write: one line each; the next /undo takes what came before."""
    Path("a.py").write_text(KEEP)
    session.do("/load a.py")
    Path("a.py").write_text("mine = 1\n")
    assert "did it change since?" in session.do("/write")
    session.do("/write --over")
    Path("a.py").write_text("mine = 2\n")
    assert "changed since it was written" in session.do("/undo")
    assert Path("a.py").read_text() == "mine = 2\n"
    assert "Taken back: the save of a.py (python, 3 lines)" in session.do("/undo")


def test_undo_takes_back_the_newest_first(session: Commanded) -> None:
    """A save, then a write: the write, then the save, then nothing."""
    session.paste(KEEP)
    session.do("/write a.py")
    assert "Taken back: the write of a.py" in session.do("/undo")
    assert "Taken back: the save of paste 1 (python, 3 lines)" in session.do("/undo")
    assert session.counter.status().memories == 0
    assert "nothing to take back" in session.do("/undo")


def test_a_secret_is_written_in_its_place(session: Commanded) -> None:
    """Into a new file and into the one it came from; no file of the home holds it."""
    code = f'TOKEN = "{SECRET}"\n\n\n{KEEP}'
    fixed = f'TOKEN = "{SECRET}"\n\n\n{KEPT}'
    session.paste(code)
    session.do("/write a.py")
    assert Path("a.py").read_text() == fixed
    Path("b.py").write_text(f"# mine\n{code}")
    session.do("/write b.py")
    assert Path("b.py").read_text() == f"# mine\n{fixed}"
    home = session.counter.settings.codemind_home
    assert not [path for path in home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize("stays", [True, False])
def test_a_secret_that_the_fix_moves_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stays: bool) -> None:
    """A model that copies it into a call, or moves it there: shown with placeholders, and /write says what to do."""
    monkeypatch.chdir(tmp_path)
    code = f'def last_index(xs):\n    token = "{SECRET}"\n    return len(xs), token\n'
    placeholder = "CMSECRET1GH".ljust(len(SECRET), "x")
    first = f'    token = "{placeholder}"\n' if stays else ""
    mended = f'def last_index(xs):\n{first}    return len(xs) - 1, "{placeholder}"\n'
    found = a_quoted("return len(xs), token")
    answers = {"review": a_review(found), "fix": {"fixed_code": mended, "explanation": "subtract one"}}
    with ModelServer(answers=answers) as server:
        session = commanded(tmp_path / "home", server)
        report = session.paste(code)
        assert "left as placeholders" in report
        assert not [line for line in session.printed.getvalue().splitlines() if line.startswith("+") and SECRET in line]
        said = session.do("/write a.py")
        session.close()
    assert "still a placeholder" in said
    assert not Path("a.py").exists()
    assert SECRET not in "".join(request.text for request in server.requests)


def test_a_resumed_task_has_no_secrets_to_write(session: Commanded) -> None:
    """They died with the session that read them."""
    code = f'TOKEN = "{SECRET}"\n\n\n{KEEP}'
    session.paste(code)
    shown = session.counter.shown
    assert shown is not None
    session.run(session.counter.again(Shown(Entry.resumed(shown.entry.task), shown.options)))
    said = session.do("/write a.py")
    assert "1 secret is still a placeholder" in said
    assert not Path("a.py").exists()
    assert "1 secret is still a placeholder" in session.do("/write --over a.py")
    session.do("/retry")
    assert "1 secret is still a placeholder" in session.do("/write a.py")


def test_code_with_prose_around_it_is_put_back_into_its_file(session: Commanded) -> None:
    """A document with one block of code: only the block changes."""
    text = f"# Notes\n\nLook at this:\n\n```python\n{KEEP}```\n\nThe end.\n"
    Path("notes.md").write_text(text)
    session.paste(text)
    session.do("/write notes.md")
    assert Path("notes.md").read_text() == text.replace(KEEP, KEPT)


def test_a_fix_that_fails_the_users_test_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report shows the fix and that the command did not pass; without the command it is written."""
    monkeypatch.chdir(tmp_path)
    session = commanded(tmp_path / "home", ALLOW_UNSANDBOXED="true")
    session.paste(KEEP)
    session.do("/test exit 3")
    assert "Not written: the test command does not pass" in session.do("/write a.py")
    assert not Path("a.py").exists()
    session.do("/test off")
    session.do("/retry")
    assert "Wrote a.py" in session.do("/write a.py")
    session.close()
