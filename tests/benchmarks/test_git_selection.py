"""The measure of the selection, on a labelled history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.git_selection import main
from tests.memory.git_histories import make_history
from tests.memory.git_tables import script_project


def test_the_figures_are_those_of_the_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Precision, recall, what was missed, and that every function is exact."""
    history = make_history(tmp_path / "p", *script_project())
    labels = tmp_path / "labels.jsonl"
    rows = [json.dumps({"commit": commit, "is_fix": label.is_fix}) for commit, label in history.labels.items()]
    labels.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert main([str(history.folder), str(labels)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"labelled {len(rows)}: precision ")
    assert ", not exact 0\n" in said


def test_wrong_usage_and_no_repository(tmp_path: Path) -> None:
    """Exit status 2."""
    (tmp_path / "labels").write_text("", encoding="utf-8")
    assert main([]) == 2
    assert main([str(tmp_path), str(tmp_path / "labels")]) == 2
