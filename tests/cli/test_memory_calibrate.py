"""`memory calibrate`, and what `memory stats` says of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory.calibrating import FEWEST
from memory.starter import ClassicBug, classic_bugs
from tests.cli.harness import CommandLine
from tests.memory.test_near import LIKE
from tests.model_server import ModelServer

BUGS = tuple(classic_bugs())
PYTHON = tuple(bug for bug in BUGS if bug.language == "python")


def seeded(codemind: CommandLine, folder: Path, bugs: Sequence[ClassicBug] = PYTHON) -> int:
    """Seed classic bugs; how many."""
    lines = [{"code": bug.buggy, "fixed_code": bug.fixed, "explanation": bug.title, "language": bug.language} for bug in bugs]
    path = folder / "seeds.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert codemind.run("memory", "seed", "--jsonl", str(path)).status == 0
    return len(bugs)


def test_calibrating_is_told_in_numbers_and_shown_by_stats(codemind: CommandLine, tmp_path: Path) -> None:
    """Progress on standard error only; stats says the same scores, their origin, and what to expect."""
    assert "as shipped" in codemind.run("memory", "stats").out
    size = seeded(codemind, tmp_path)

    done = codemind.run("memory", "calibrate", "--target-precision", "0.95", "--json")
    stats = codemind.run("memory", "stats")
    found = codemind.run("memory", "stats", "--json").record["thresholds"]

    assert done.status == 0
    assert (done.record["origin"], done.record["stored"], done.record["target_precision"]) == ("calibrated", size, 0.95)
    assert done.record["precision"] >= 0.95
    assert f"measured on {size} of {size}" in done.err
    assert found == {**done.record, "outgrown": False}
    assert f"near: from a score of {found['near']:.2f} on" in stats.out
    assert f"measured on {size} fixes on {found['at'][:10]}, from this memory" in stats.out
    assert f"expected: precision {found['precision']:.3f}, recall {found['recall']:.3f}" in stats.out


def test_a_memory_that_has_doubled_is_to_be_measured_again(codemind: CommandLine, tmp_path: Path) -> None:
    """`memory stats` says so."""
    seeded(codemind, tmp_path)
    assert codemind.run("memory", "calibrate", "--target-precision", "0.9").status == 0
    assert "measures again" not in codemind.run("memory", "stats").out

    seeded(codemind, tmp_path, BUGS)

    assert "`codemind memory calibrate` measures again" in codemind.run("memory", "stats").out


def test_too_small_a_memory_is_refused_in_one_line(codemind: CommandLine, tmp_path: Path) -> None:
    """Exit status 2; what ships stays in force."""
    seeded(codemind, tmp_path, PYTHON[: FEWEST - 1])

    ran = codemind.run("memory", "calibrate")

    assert (ran.status, ran.out) == (2, "")
    assert f"from {FEWEST} on" in ran.err
    assert "as shipped" in codemind.run("memory", "stats").out


@pytest.mark.parametrize("share", ["2", "0.2", "1", "x", "nan"])
def test_a_target_that_is_no_share_is_a_wrong_use(codemind: CommandLine, share: str) -> None:
    """Exit status 2, before anything is opened."""
    ran = codemind.run("memory", "calibrate", "--target-precision", share)

    assert ran.status == 2
    assert "--target-precision" in ran.err
    assert not codemind.home.exists()


def test_an_embedding_endpoint_is_off_until_calibrated(codemind: CommandLine, tmp_path: Path) -> None:
    """Stats and the answer say so and no request is made; afterwards stats shows its own thresholds."""
    seeded(codemind, tmp_path)
    with ModelServer() as server:
        endpoint = replace(codemind, environment=(("EMBEDDER", "endpoint"), ("EMBEDDING_BASE_URL", server.url), ("EMBEDDING_MODEL", "bge")))

        assert "near: off, not calibrated" in endpoint.run("memory", "stats").out
        assert "not calibrated" in endpoint.run("recall", "-", "--json", stdin=LIKE).record["match"]["reason"]
        assert server.requests == []

        done = endpoint.run("memory", "calibrate", "--target-precision", "0.9", "--json").record
        asked = len(server.requests)
        assert asked > 0
        assert endpoint.run("memory", "stats", "--json").record["thresholds"]["fingerprint"] == done["fingerprint"]
        assert len(server.requests) == asked
    assert "as shipped" in codemind.run("memory", "stats").out
