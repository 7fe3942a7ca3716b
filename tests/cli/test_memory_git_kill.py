"""Killed at any moment, `memory seed --git` loses nothing that it said, and the same command ends as if nothing had happened."""

from __future__ import annotations

import json
import random
import signal
import time
from pathlib import Path

import pytest

from tests.cli.harness import CommandLine
from tests.git_repositories import Step, make_repository

KILLS = 5
FIXES = 420


def bug(number: int) -> str:
    """A function that no other number has."""
    return f"def last_{number}(items):\n    offset = {number}\n    return items[len(items)] + offset\n"


def mended(number: int) -> str:
    """The same with its fix."""
    return bug(number).replace("[len(items)]", "[len(items) - 1]")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Several transactions' worth of fixes; every seventh is taken back later."""
    steps = [Step("Begin", {f"m{n // 20}/f{n}.py": bug(n) for n in range(FIXES)})]
    for number in range(FIXES):
        path = f"m{number // 20}/f{number}.py"
        steps.append(Step(f"Fix the crash at the end of {number}", {path: mended(number)}))
        if number % 7 == 0:
            steps.append(Step(f'Revert "Fix the crash at the end of {number}"', {path: bug(number)}))
    make_repository(tmp_path / "long", steps, checkout=False)
    return tmp_path / "long"


def exported(codemind: CommandLine) -> set[tuple[str, str, str, str]]:
    """Everything that the memory holds: code, fix, where from, trust."""
    lines = [json.loads(line) for line in codemind.run("memory", "export").out.splitlines()]
    return {(line["code"], line["fixed_code"], line["provenance"]["ref"], line["trust"]) for line in lines}


def test_five_kills_lose_nothing(codemind: CommandLine, repository: Path, tmp_path: Path) -> None:
    """After each the ledger opens, what was there is there, and at last the set is that of an undisturbed run."""
    seed = ("memory", "seed", "--git", str(repository), "--since", "last", "--json")
    undisturbed = CommandLine(tmp_path / "other")
    begun = time.monotonic()
    assert undisturbed.spawn(*seed).status == 0
    whole_s = time.monotonic() - begun
    moment = random.Random(20)  # noqa: S311 - moments of a kill, not a secret
    held: set[tuple[str, str, str, str]] = set()
    for number in range(KILLS):
        process = codemind.start(*seed)
        time.sleep(whole_s * (number + moment.random()) / KILLS)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        now = exported(codemind)
        assert held <= now
        held = now
    assert codemind.run(*seed).status == 0
    assert exported(codemind) == exported(undisturbed)
    assert len(exported(codemind)) == FIXES
