"""The questions of the scale benchmark, on a memory of a few programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import scale
from benchmarks.programs import program
from memory.ledger import LEDGER_NAME, Ledger
from schema.experience import Experience, Provenance
from tests.memory.rows import prepared

ROWS = 24


def test_every_question_is_answered_by_the_program_it_came_from(tmp_path: Path) -> None:
    """Layout by the exact key, names by the renamed one, small edits by the near tier, and what is not stored by nothing."""
    stored = [program(number) for number in range(ROWS)]
    rows = [Experience(each.language, each.written(), each.written(fixed=True), "", Provenance("jsonl")) for each in stored]
    Ledger(tmp_path / LEDGER_NAME).store([prepared(row) for row in rows])

    found, measured = scale._warm(tmp_path, ROWS, 32)

    assert all(each.is_right for each in found)
    tiers = {(each.kind, each.tier) for each in found}
    assert tiers == {
        ("exact", "exact"),
        ("renamed", "renamed"),
        ("near", "near"),
        ("unrelated", "none"),
    }
    assert {row.limit for row in measured} == {None, 30.0, scale.RSS_MB}
    assert [row.unit for row in scale._brute_force(tmp_path, ROWS)] == ["ms", "ms"]


def test_a_size_that_can_not_be_measured_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, not a traceback."""
    monkeypatch.setattr(sys, "argv", ["scale", "--rows", "0"])

    with pytest.raises(SystemExit):
        scale.main()

    assert "at least one row" in capsys.readouterr().err
