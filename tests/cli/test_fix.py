"""`fix`: one file, reviewed and, when asked, written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.harness import KEEP, KEPT, CommandLine


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file with a known defect."""
    path = tmp_path / "keep.py"
    path.write_text(KEEP, encoding="utf-8")
    return path


def test_without_write_the_file_is_left_alone(codemind: CommandLine, source: Path) -> None:
    """The fix is shown as a diff of that file."""
    ran = codemind.run("fix", str(source))
    assert "+    if seen is None:" in ran.out
    assert f"--- a{source}" in ran.out
    assert source.read_text(encoding="utf-8") == KEEP


def test_write_puts_the_fix_in_place(codemind: CommandLine, source: Path) -> None:
    """And says so; the record names the file."""
    ran = codemind.run("fix", str(source), "--write", "--json")
    assert ran.status == 0
    assert ran.record["findings"][0]["path"] == str(source)
    assert source.read_text(encoding="utf-8") == KEPT
    assert "was written" in ran.err


def test_write_keeps_mark_line_ends_and_mode(codemind: CommandLine, source: Path) -> None:
    """The mark once, CRLF throughout, the mode, and the link that led there."""
    source.write_bytes(b"\xef\xbb\xbf" + KEEP.replace("\n", "\r\n").encode())
    source.chmod(0o640)
    link = source.with_name("link.py")
    link.symlink_to(source)
    assert codemind.run("fix", str(link), "--write").status == 0
    assert source.read_bytes() == b"\xef\xbb\xbf" + KEPT.replace("\n", "\r\n").encode()
    assert source.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()


def test_a_clean_file_is_not_written(codemind: CommandLine, source: Path) -> None:
    """There is no fix; that is no failure."""
    source.write_text("x = 1\n", encoding="utf-8")
    ran = codemind.run("fix", str(source), "--write")
    assert ran.status == 0
    assert "is unchanged" in ran.err


def test_standard_input_can_be_fixed_but_not_written(codemind: CommandLine) -> None:
    """A line EOF in it is code: it is one text."""
    assert codemind.run("fix", "-", "--json", "--lang", "python", stdin=KEEP).record["fix"]["code"] == KEPT
    assert codemind.run("fix", "-", "--write", stdin=KEEP).status == 2


def test_a_text_with_prose_around_its_code_is_not_written(codemind: CommandLine, tmp_path: Path) -> None:
    """Only a part of it is code: writing the fix would lose the rest."""
    note = tmp_path / "note"
    text = f"Why does it keep old values?\n\n```python\n{KEEP}```\n"
    note.write_text(text, encoding="utf-8")
    assert codemind.run("fix", str(note), "--write").status == 2
    assert note.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("content", [b"", b"  \n", b"\x7fELF\x00\x01", "# é\nx = 1\n".encode("latin-1"), "x = 1\n".encode("utf-16")])
def test_a_file_that_is_no_source_is_refused(codemind: CommandLine, source: Path, content: bytes) -> None:
    """One line, input_invalid, and with --json a record that says so."""
    source.write_bytes(content)
    ran = codemind.run("fix", str(source), "--json")
    assert ran.status == 2
    assert ran.record["error"]["code"] == "input_invalid"
    assert ran.err.startswith("codemind: input_invalid: ")
    assert ran.err.count("\n") == 1


def test_a_file_that_is_not_there_is_refused(codemind: CommandLine, tmp_path: Path) -> None:
    """So is a folder."""
    assert codemind.run("fix", str(tmp_path / "none.py")).status == 2
    assert codemind.run("fix", str(tmp_path)).status == 2


@pytest.mark.skipif(os.name == "nt", reason="such names are not allowed there")
def test_a_name_with_a_line_end_stays_one_line(codemind: CommandLine, tmp_path: Path) -> None:
    """And what a terminal would obey in it is spelled out."""
    path = tmp_path / "a\nb\x1b[31m.py"
    path.write_text(KEEP, encoding="utf-8")
    ran = codemind.run("fix", str(path), "--write", "--json")
    assert path.read_text(encoding="utf-8") == KEPT
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


def test_a_fix_that_fails_the_tests_is_not_written(codemind: CommandLine, source: Path) -> None:
    """The file stays, the report says so, and the memory does not learn it."""
    ran = codemind.run("fix", str(source), "--write", "--allow-unsandboxed", "--test-cmd", "false")
    assert source.read_text(encoding="utf-8") == KEEP
    assert "is unchanged: the test command does not pass" in ran.err
    assert "your test command did not pass" in ran.out
    assert "nothing was run" not in ran.out
