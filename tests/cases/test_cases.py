"""Every fixture through the whole program: piped in as bytes, records out, in an empty home."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cases.case import Case, Step, load_cases, read_case
from tests.cases.expectations import check_record, evidence_is_source, fix_code
from tests.cases.inputs import many_secret_values
from tests.cases.running import Ran, run_here, run_python

CASES = load_cases()
GARBAGE = b"\x00\xffnot an index" * 400


def learn(case: Case, home: Path) -> None:
    """Seed the memory as the case says, twice where it says so."""
    file = home.parent / "seed.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in case.seed), encoding="utf-8")
    for _ in range(2 if case.seed_twice else 1):
        ran = run_here(["memory", "seed", "--jsonl", str(file)], b"", home)
        assert ran.exit_code == 0, ran.stderr


def damage(case: Case, home: Path) -> None:
    """Lay garbage where an index would be."""
    for name in case.garbage:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(GARBAGE)


def pasted_lines(case: Case, given: bytes) -> list[str]:
    """The lines of a case's (only) paste: without byte order mark, CR and the closing line."""
    lines = given.decode("utf-8-sig").replace("\r\n", "\n").split("\n")[case.first_line - 1 :]
    return lines[: lines.index("EOF")] if case.first_line == 1 and "EOF" in lines else lines


def run_step(step: Step, given: bytes, home: Path) -> Ran:
    """One run, with what holds for the run as a whole."""
    ran = run_here(["--json"], given, home)
    expect = step.expect
    assert ran.exit_code in expect.get("exit", [0]), (ran.exit_code, ran.stderr)
    assert not [text for text in expect.get("stdout_lacks", ()) if text in ran.stdout]
    assert not [text for text in [*expect.get("stderr_lacks", ()), "Traceback"] if text in ran.stderr], ran.stderr
    return ran


def check_step(case: Case, step: Step, given: bytes, records: list[dict[str, Any]]) -> None:
    """Every record against its expectation."""
    assert len(records) == len(step.expect["records"])
    lines = pasted_lines(case, given) if len(records) == 1 and records[0]["error"] is None else []
    for record, wanted in zip(records, step.expect["records"], strict=True):
        check_record(record, wanted, lines)
        if lines and case.evidence_is_source:
            evidence_is_source(record, lines)


def check_solution(case: Case, record: Mapping[str, Any], folder: Path) -> None:
    """A fix that is offered passes the case's test."""
    if case.test and record["fix"]:
        done = run_python(fix_code(record) + "\n" + case.test + "\n", folder)
        assert done.returncode == 0, (fix_code(record), done.stderr.decode())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case_comes_out_as_its_fixture_says(case: Case, home: Path, tmp_path: Path) -> None:
    """Findings, fix, match, what is saved, exit status: all that the fixture names."""
    if case.seed:
        learn(case, home)
    damage(case, home)
    last_fix = ""
    for number, step in enumerate(case.steps):
        here = tmp_path / f"home-{number}" if step.fresh_home else home
        given = last_fix.encode() if step.paste_last_fix else step.given
        records = run_step(step, given, here).records()
        check_step(case, step, given, records)
        if number == 0:
            check_solution(case, records[0], tmp_path)
        last_fix = fix_code(records[0]) or last_fix
    if case.ledger_count is not None:
        assert len(run_here(["memory", "export"], b"", home).stdout.splitlines()) == case.ledger_count


@pytest.mark.parametrize("case", [case for case in CASES if case.test and not case.seed], ids=lambda case: case.id)
def test_case_has_a_test_that_fails_on_its_paste(case: Case, tmp_path: Path) -> None:
    """A test that right and wrong code pass says nothing about a fix."""
    code = "\n".join(pasted_lines(case, case.steps[0].given)).removesuffix("END_OF_PASTE\n")
    assert run_python(code + "\n" + case.test + "\n", tmp_path).returncode != 0


@pytest.mark.parametrize("case", [case for case in CASES if case.text_lacks or case.text_line_limit], ids=lambda case: case.id)
def test_text_output_shows_nothing_raw(case: Case, home: Path) -> None:
    """Control characters of a paste never reach the screen, and a very long line is shortened."""
    ran = run_here([], case.steps[0].given, home)
    shown = ran.stdout + ran.stderr
    assert ran.exit_code == 0
    assert not [text for text in case.text_lacks if text in shown]
    assert max(map(len, shown.splitlines())) <= (case.text_line_limit or 1_000)


def test_secrets_of_a_paste_reach_no_file(home: Path) -> None:
    """Neither ledger, checkpoint nor trace holds one of them."""
    case = next(case for case in CASES if case.id == "paste-many-secrets")
    run_here(["--json"], case.steps[0].given, home)
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert written
    assert not [value for value in many_secret_values() if value.encode() in written]


def test_instruction_in_a_comment_changes_neither_route_nor_level(home: Path, tmp_path: Path) -> None:
    """The same code with and without the comment takes the same way to the same result."""
    case = next(case for case in CASES if case.id == "paste-injection-comment")
    given = case.steps[0].given
    bare = b"".join(given.splitlines(keepends=True)[2:])
    with_order, without = (run_here(["--json"], text, folder).records()[0] for text, folder in ((given, home), (bare, tmp_path / "other")))
    assert with_order["route"] == without["route"]
    assert bool(with_order["fix"]) is bool(without["fix"])
    assert with_order["match"]["trust"] == without["match"]["trust"]


def test_fixture_with_a_misspelt_key_is_refused(tmp_path: Path) -> None:
    """A check that nobody runs must not look like one."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"id": "x", "input": [], "expect": {}, "sede": []}), encoding="utf-8")
    with pytest.raises(KeyError):
        read_case(path)
