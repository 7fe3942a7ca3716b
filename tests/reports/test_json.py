"""Records as JSON."""

from __future__ import annotations

import json

from reports.json import LONG_LINE, record_line
from reports.jsonl import finding_lines
from schema.record import TaskRecord
from tests.reports.sample import finding

KEYS = ["id", "language", "provider", "match", "route", "findings", "fix", "saved", "llm", "elapsed_ms", "error", "notes"]


def record(*findings: object) -> TaskRecord:
    """A record with these findings."""
    return TaskRecord("1", "python", "static", findings=findings)  # type: ignore[arg-type]  # findings are Findings


def test_a_record_is_one_line_of_ascii_with_every_key() -> None:
    """Also with line separators and lone surrogates in its texts."""
    line = record_line(record(finding(message="a\u2028b\ud800")))
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    assert line.isascii()
    assert list(json.loads(line)) == KEYS


def test_overlong_evidence_is_cut_around_the_column() -> None:
    """A minified line of 270 kB is not repeated for each of its findings."""
    line = "a" * 5_000 + "HERE" + "b" * 5_000
    evidence = json.loads(record_line(record(finding(text=line, columns=(5_001, 5_005)))))["findings"][0]["evidence"]
    assert len(evidence) == LONG_LINE + 2
    assert "HERE" in evidence


def test_ordinary_evidence_is_exact() -> None:
    """Nothing is cut from a line of usual length."""
    assert json.loads(record_line(record(finding())))["findings"][0]["evidence"] == "    return total / len(xs)"


def test_findings_as_json_lines() -> None:
    """One finding a line and nothing else; nothing when nothing was found."""
    assert [json.loads(line)["start_line"] for line in finding_lines(record(finding(line=3), finding(line=9))).splitlines()] == [3, 9]
    assert finding_lines(record()) == ""
