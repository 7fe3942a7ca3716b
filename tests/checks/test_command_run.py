"""What a run of the user's test command says."""

from __future__ import annotations

import pytest

from checks.command_run import HEAD_CHARACTERS, MAX_CHARACTERS, both_ends, tail, why_not_started
from schema.fix import Verification
from schema.ports import SandboxRun
from tests.checks.sample import ScriptedSandbox
from tests.checks.test_verify import BUGGY, FIXED, of, the_finding, verifier


def ran(exit_code: int | None, output: str) -> SandboxRun:
    """A command that ended."""
    return SandboxRun(exit_code, False, output, 0.1)


@pytest.mark.parametrize(
    ("exit_code", "output", "why"),
    [
        (127, "sh: 1: pytset: not found\n", "pytset: not found"),
        (127, "sh: line 1: pytset: command not found\n", "pytset: command not found"),
        (127, "collecting\n/bin/sh: pytset: not found\n", "pytset: not found"),
        (127, "env: 'pyton': No such file or directory\n", "'pyton': No such file or directory"),
        (126, "sh: 1: ./run.sh: Permission denied\n", "./run.sh: Permission denied"),
        (1, "/usr/bin/python3: No module named pytset\n", "No module named pytset"),
        (2, "make: *** No rule to make target 'tset'.  Stop.\n", "No rule to make target 'tset'"),
        (4, "collected 0 items\nERROR: file or directory not found: tset_a.py\n\n", "file or directory not found: tset_a.py"),
        (127, "", ""),
        (127, "/srv/paste.sh: 3: cout: not found\n", ""),
        (1, "sh: 1: pytset: not found\n1 failed\n", ""),
        (1, "ModuleNotFoundError: No module named 'numpy'\n", ""),
        (0, "sh: 1: pytset: not found\n", ""),
        (None, "sh: 1: pytset: not found\n", ""),
    ],
)
def test_a_command_that_is_not_there_is_told_from_a_test_that_fails(exit_code: int | None, output: str, why: str) -> None:
    """By the shell's or the runner's own line; what the code under test prints or exits with is a failing test."""
    assert why_not_started(ran(exit_code, output)) == why


def test_a_mistyped_command_takes_nothing_from_the_fix() -> None:
    """One run, no second; the level stays, no test has failed, and the sentence says what was not found."""
    sandbox = ScriptedSandbox([ran(127, "sh: 1: pytset: not found")])

    verification = verifier(sandbox).verify(of(BUGGY), FIXED, findings=[the_finding(BUGGY)], test_cmd="pytset")

    assert (verification.level, verification.tests_failed, len(sandbox.texts)) == ("clean", False, 1)
    assert verification.not_started == "your test command could not be started: pytset: not found"


def test_a_failing_test_keeps_what_it_printed_for_the_fixer_only() -> None:
    """Head and tail; a record has the last lines."""
    printed = "first line\n" + "noise\n" * 3_000 + "AssertionError: 2\n"
    sandbox = ScriptedSandbox([ran(1, "x"), ran(1, printed)])

    verification = verifier(sandbox).verify(of(BUGGY), FIXED, test_cmd="pytest")

    assert verification.test_output.startswith("first line\nnoise\n")
    assert verification.test_output.endswith("noise\nAssertionError: 2")
    assert "first line" not in str(verification.as_plain())
    assert Verification.from_plain(verification.as_plain()) == verification


def test_long_output_is_cut_in_its_middle_at_whole_lines() -> None:
    """It says how much is left out."""
    lines = [f"line {number}" for number in range(2_000)]
    shown = both_ends("\n".join(lines)).split("\n")

    gap = next(line for line in shown if line.startswith("["))
    assert [line for line in shown if line not in lines] == [gap]
    assert (shown[0], shown[-1]) == ("line 0", "line 1999")
    assert len("\n".join(shown)) <= MAX_CHARACTERS + len(gap) + 2
    assert len(both_ends("x" * 10 * MAX_CHARACTERS)) < MAX_CHARACTERS + HEAD_CHARACTERS
    assert both_ends("short\n") == "short"


def test_output_has_no_secret_and_no_control_character() -> None:
    """Also one that the cut would have split."""
    secret = "ghp_" + "a1B2" * 9
    for output in (secret, "x" * (HEAD_CHARACTERS - 20) + "\n" + secret + "\ny" * MAX_CHARACTERS, f"\x1b[31m{secret}"):
        for shown in (both_ends(output), tail(output)):
            assert not [part for part in ("a1B2a1B2", "\x1b") if part in shown]
