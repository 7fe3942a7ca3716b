"""`recall`: memory only."""

from __future__ import annotations

from pathlib import Path

from tests.cli.harness import KEEP, KEPT, CommandLine


def test_a_known_paste_is_recalled_with_its_fix(codemind: CommandLine) -> None:
    """IDENTICAL, the stored fix, and no step but the look into the memory."""
    codemind.run("--json", stdin=KEEP)
    ran = codemind.run("recall", "-", "--json", stdin=KEEP)
    assert ran.record["match"]["status"] == "IDENTICAL"
    assert ran.record["fix"]["code"] == KEPT
    assert ran.record["route"] == ["retrieve_memory"]
    assert ran.status == 0


def test_an_unknown_file_is_none(codemind: CommandLine, tmp_path: Path) -> None:
    """Nothing is written, not even a home."""
    file = tmp_path / "x.py"
    file.write_text(KEEP, encoding="utf-8")
    ran = codemind.run("recall", str(file), "--json")
    assert ran.record["match"]["status"] == "NONE"
    assert not codemind.home.exists()


def test_bad_input_is_one_line(codemind: CommandLine) -> None:
    """Like everywhere."""
    ran = codemind.run("recall", "-", stdin=b"\xff\xfe\x00")
    assert ran.status == 2
    assert ran.err.count("\n") == 1
