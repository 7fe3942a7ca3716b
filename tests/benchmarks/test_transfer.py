"""What the transfer benchmark counts, and when it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.transfer import main
from benchmarks.transfer_tables import Share, Transferred, figures, tables

MEAN = "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n    return total / len(values)\n"
GUARDED = MEAN.replace("    total = 0\n", "    if not values:\n        return 0\n    total = 0\n")


def an_answer(name: str, kind: str, *, passes: bool | None = True, code: str | None = "x = 1\n") -> Transferred:
    """One query with a test."""
    return Transferred(name, kind, "python", "Examples", 50, code is not None, code, "", True, "", passes)


def by_name(rows: list[Share]) -> dict[str, Share]:
    """The rows of the first table by what they say."""
    return {row.what: row for row in rows}


def test_queries_that_memory_does_not_know_count_against_the_share() -> None:
    """All of those with a test are asked about; only what was offered counts as offered."""
    rows = by_name(figures([an_answer("1", "v1"), an_answer("2", "v1", passes=None, code=None)]))

    known = rows["v1: ends with passing tests"]
    assert (known.part, known.of, known.holds) == (1, 2, False)
    offered = rows["offered for v1, v2, v3, v5: passes"]
    assert (offered.part, offered.of, offered.holds) == (1, 1, True)


def test_a_wrong_offer_breaks_the_must_and_is_named() -> None:
    """Also when it is one of few."""
    asked = [an_answer("right", "v2"), an_answer("wrong", "v2", passes=False)]
    rows = figures(asked)

    assert not by_name(rows)["offered for v1, v2, v3, v5: passes"].holds
    assert "Offered and failing: wrong (v2)." in tables(rows, asked, "bubblewrap")


def test_offers_for_other_programs_are_counted_apart() -> None:
    """A must is for the same bug; what is offered for another program is shown."""
    rows = by_name(figures([an_answer("1", "v1"), an_answer("2", "neg", passes=False)]))

    assert rows["offered for v1, v2, v3, v5: passes"].holds
    assert rows["offered for anything with a test, other programs included: passes"].part == 1


def test_the_benchmark_runs_on_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stored pair, a renamed copy of it, and a copy that no fix is known for."""
    pair = {
        "id": "mean",
        "language": "python",
        "buggy": MEAN,
        "fixed": GUARDED,
        "source": "Examples",
        "description": "empty",
        "test": "assert mean([]) == 0\n",
    }
    renamed = MEAN.replace("mean", "average").replace("value", "entry")
    queries = [
        {"id": "q1", "kind": "v2", "language": "python", "source": "Examples", "of": "mean", "code": renamed, "targets": ["mean"]},
        {"id": "q2", "kind": "v1", "language": "python", "source": "Examples", "of": "mean", "code": "print(1)\n", "targets": ["mean"]},
    ]
    for name, lines in (("pairs", [pair]), ("memory", [{"id": "mean"}]), ("queries", queries)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    code = main(["--data", str(tmp_path), "--json"])

    told = json.loads(capsys.readouterr().out)
    values = {row["what"]: row["value"] for row in told["figures"]}
    assert (values["v2: ends with passing tests"], values["v1: ends with passing tests"]) == (1.0, 0.0)
    assert (code, told["wrong"]) == (1, [])
