"""Cases that need real processes: a reader that goes away, several writers, an empty environment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.case import Case, load_cases
from tests.cases.running import ROOT, TIMEOUT_S, environment_of, run_here, run_process

PIPED = [case for case in load_cases() if case.id in {"pipe-not-a-terminal", "pipe-latin-1", "pipe-lone-surrogate"}]
MANY = "".join(f"def hold{i}(x, kept=[]):\n    kept.append(x)\n    return kept\nEOF\n" for i in range(40))
NOISE = ("Traceback", "BrokenPipeError", "Exception ignored", "database is locked")


@pytest.mark.parametrize("case", PIPED, ids=lambda case: case.id)
def test_piped_process_ends_as_its_fixture_says(case: Case, home: Path) -> None:
    """Exit status, records and streams of `python main.py --json < input`."""
    ran = run_process(["--json"], case.steps[0].given, home, unset=case.unset)
    expect = case.steps[0].expect
    assert ran.exit_code in expect.get("exit", [0]), ran.stderr
    assert len(ran.records()) == len(expect["records"])
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "not a terminal" not in ran.stderr
    assert ran.stderr.count("\n") <= 2


def test_reader_that_goes_away_ends_the_process_quietly(home: Path) -> None:
    """`| head -1` gets one whole line; what was reported is saved."""
    command = [sys.executable, str(ROOT / "main.py"), "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(environment_of(home))
    ) as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        running.stdin.write(MANY.encode())
        running.stdin.close()
        first = json.loads(running.stdout.readline())
        running.stdout.close()
        exit_code = running.wait(TIMEOUT_S)
        stderr = running.stderr.read().decode()
    assert exit_code in {0, 141}
    assert not [word for word in NOISE if word in stderr], stderr
    assert first["saved"]["status"] == "added"
    assert first["saved"]["id"] in run_here(["memory", "export"], b"", home).stdout


def test_four_seeds_at_once_lose_nothing(home: Path, tmp_path: Path) -> None:
    """Each writer waits for the others; all entries are found afterwards."""
    files = [seed_file(tmp_path / f"seed.{k}.jsonl", range(10 * k, 10 * k + 10)) for k in range(4)]
    writers = [
        subprocess.Popen(
            [sys.executable, str(ROOT / "main.py"), "memory", "seed", "--jsonl", str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment_of(home)),
        )
        for file in files
    ]
    ends = [(writer.communicate(timeout=TIMEOUT_S), writer.returncode) for writer in writers]
    assert [code for _, code in ends] == [0, 0, 0, 0], ends
    assert not [word for (_, stderr), _ in ends for word in NOISE if word in stderr.decode()]
    pastes = "".join(f"{part(i)}EOF\n" for i in range(40))
    assert [record["match"]["status"] for record in run_here(["--json"], pastes.encode(), home).records()] == ["IDENTICAL"] * 40


def seed_file(path: Path, numbers: range) -> Path:
    """A file of past fixes, one for each number."""
    entries = [{"code": part(i), "fixed_code": guarded(i), "explanation": "Empty list.", "language": "python"} for i in numbers]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def part(i: int) -> str:
    """A function that divides by a length."""
    return f"def share{i}(values):\n    return sum(values) / len(values) + {i}\n"


def guarded(i: int) -> str:
    """The same with a guard."""
    return f"def share{i}(values):\n    if not values:\n        return {i}\n    return sum(values) / len(values) + {i}\n"
