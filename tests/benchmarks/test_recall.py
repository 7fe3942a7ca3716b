"""The recall benchmark on a small folder: its table, its musts, and what it lists."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks import recall
from benchmarks.recall_tables import Asked, Share, figures
from schema.match import Match

MEAN = "def mean(values):\n    total = sum(values)\n    return total / len(values)\n"
MEAN_FIXED = MEAN.replace("len(values)", "max(1, len(values))")
TAIL = "def tail(path, count):\n    with open(path) as lines:\n        return list(lines)[count:]\n"
TAIL_FIXED = TAIL.replace("[count:]", "[-count:]")


def _pair(name: str, buggy: str, fixed: str) -> dict[str, str]:
    return {"id": name, "language": "python", "buggy": buggy, "fixed": fixed, "description": "why", "source": "notes"}


def _query(kind: str, code: str, *targets: str) -> dict[str, object]:
    return {"id": f"{kind}-1", "kind": kind, "language": "python", "of": "mean", "code": code, "targets": list(targets)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two stored pairs, and a query of most kinds."""
    queries = [
        _query("v1", MEAN.replace("    ", "\t"), "mean"),
        _query("v2", MEAN.replace("total", "s").replace("values", "xs").replace("mean", "average"), "mean"),
        _query("hn_fixed", MEAN_FIXED),
        _query("neg", "def slug(title):\n    return title.strip().lower().replace(' ', '-')\n"),
    ]
    files: dict[str, Sequence[Mapping[str, object]]] = {
        "pairs": [_pair("mean", MEAN, MEAN_FIXED), _pair("tail", TAIL, TAIL_FIXED)],
        "memory": [{"id": "mean"}, {"id": "tail"}],
        "queries": queries,
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def _run(monkeypatch: pytest.MonkeyPatch, *given: str) -> int:
    monkeypatch.setattr("sys.argv", ["recall", *given])
    return recall.main()


def test_all_that_is_recognised_holds(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The table with musts and aims, split by language and size; nothing wrong is listed."""
    assert _run(monkeypatch, "--data", str(folder), "--wrong", "--missed") == 0
    shown = capsys.readouterr()

    assert "| v1 (layout): IDENTICAL | 1 | 1.0000 | 0.983 | 0.99 | yes |" in shown.out
    assert "| unrelated code accepted | 1 | 0.0000 | ≤ 0.02 | ≤ 0.01 | yes |" in shown.out
    assert "| python | 4 | 1.000 | 1.000 | 1.000 |" in shown.out
    assert "| under 40 | 4 |" in shown.out
    assert shown.err == ""


def test_a_broken_must_fails_the_run_and_says_which_query(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stored bug that is said to belong to another pair was missed; the answer is listed as wrong."""
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").replace('["mean"]', '["tail"]')
    (folder / "queries.jsonl").write_text(lines, encoding="utf-8")

    assert _run(monkeypatch, "--data", str(folder), "--json", "--wrong", "--missed") == 1
    shown = capsys.readouterr()

    printed = json.loads(shown.out)
    assert printed["wrong"] == ["v1-1", "v2-1"]
    assert {row["what"]: row["holds"] for row in printed["figures"]}["v1 (layout): IDENTICAL"] is False
    assert shown.err.count("wrong: ") == shown.err.count("missed: ") == 2


def _asked(kind: str, match: Match, *, is_right: bool = False, is_chain: bool = False, is_listed: bool = False) -> Asked:
    return Asked(f"{kind}-1", kind, "python", 50, match, is_right, is_chain, is_listed, is_right, False, 1.0)


def test_a_fixed_side_that_is_another_stored_bug_is_no_error() -> None:
    """A chain of fixes is called IDENTICAL to its next link, and rightly."""
    known = Match("IDENTICAL", tier="exact", experience_id="next")
    row = next(each for each in figures([_asked("hn_fixed", known, is_chain=True)]) if each.what == "FIXED called IDENTICAL")

    assert (row.part, row.of, row.holds) == (0, 0, True)
    assert _asked("hn_fixed", known).is_wrong
    assert not _asked("hn_fixed", known, is_chain=True).is_wrong


def test_a_program_by_another_hand_counts_when_the_right_one_is_listed() -> None:
    """Offered or among ten to read."""
    asked = [_asked("v4", Match(), is_listed=True), _asked("v4", Match())]
    row = next(each for each in figures(asked) if each.what.startswith("v4"))

    assert (row.part, row.of, row.must) == (1, 2, 0.8)
    assert not row.holds


def test_limits_hold_in_both_directions() -> None:
    """At least, and at most."""
    assert Share("x", 9, 10, 0.9).holds
    assert not Share("x", 8, 10, 0.9).holds
    assert Share("x", 1, 100, 0.02, at_most=True).holds
    assert not Share("x", 3, 100, 0.02, at_most=True).holds
    assert Share("x", 0, 0, 0.02, at_most=True).holds
