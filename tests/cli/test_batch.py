"""`batch`: many tasks from one file."""

from __future__ import annotations

import json
from pathlib import Path

from cli.batch import lines_of
from tests.cli.harness import AVERAGE, KEEP, CommandLine


def lines(*jobs: object) -> str:
    """JSON lines."""
    return "".join(json.dumps(job) + "\n" for job in jobs)


def test_each_line_is_a_task_with_its_id(codemind: CommandLine, tmp_path: Path) -> None:
    """The second asks the memory that the first filled; a line without an id has its number."""
    file = tmp_path / "tasks.jsonl"
    file.write_text(lines({"id": "a", "code": KEEP}, {"id": 7, "code": KEEP, "language": "py"}, {"code": AVERAGE}), encoding="utf-8")
    ran = codemind.run("batch", str(file), "--json")
    assert [record["id"] for record in ran.records] == ["a", "7", "3"]
    assert [record["match"]["status"] for record in ran.records] == ["NONE", "IDENTICAL", "NONE"]
    assert ran.status == 0


def test_several_at_a_time_answer_all(codemind: CommandLine) -> None:
    """In the order in which they end."""
    codes = [AVERAGE.replace("cal_average", f"average_{number}") for number in range(6)]
    jobs = [{"id": str(number), "code": code} for number, code in enumerate(codes)]
    ran = codemind.run("batch", "-", "--json", "--jobs", "3", stdin=lines(*jobs))
    assert {record["id"] for record in ran.records} == {"0", "1", "2", "3", "4", "5"}
    assert all(record["error"] is None for record in ran.records)


def test_a_bad_line_is_a_record_and_the_rest_is_served(codemind: CommandLine) -> None:
    """With the line's own id where it has one, else its number; the exit status is the worst."""
    bad = ['{"id": "x"', "[1]", '{"id": "y", "code": 5}', '{"id": "z", "code": "  "}', '{"id": "l", "code": "x", "language": "klingon"}']
    ran = codemind.run("batch", "-", "--json", "--no-save", stdin="\n".join([*bad, "", lines({"id": "good", "code": KEEP})]))
    errors = {record["id"]: record["error"] and record["error"]["code"] for record in ran.records}
    invalid = "input_invalid"
    assert errors == {"1": invalid, "2": invalid, "y": invalid, "z": invalid, "l": invalid, "good": None}
    assert ran.status == 2


def test_lone_surrogates_and_nul_in_a_line_are_refused(codemind: CommandLine) -> None:
    """JSON can spell what UTF-8 can't hold."""
    ran = codemind.run("batch", "-", "--json", stdin='{"id": "s", "code": "x = \\"\\ud800\\""}\n{"id": "n", "code": "x\\u0000"}\n')
    assert [record["error"]["code"] for record in ran.records] == ["input_invalid", "input_invalid"]


def test_nothing_to_do_is_wrong_input(codemind: CommandLine, tmp_path: Path) -> None:
    """An empty file, and one that is not there."""
    assert codemind.run("batch", "-", "--json", stdin="\n").status == 2
    assert codemind.run("batch", str(tmp_path / "none.jsonl")).status == 2


def test_an_overlong_line_is_dropped_whole() -> None:
    """Nothing of it is kept, and the next line is whole again."""
    found = list(lines_of([b"aaaa", b"aaaa\n", b"b\n", b"c"], limit=5))
    assert [(line.number, line.raw) for line in found] == [(1, None), (2, b"b\n"), (3, b"c")]
