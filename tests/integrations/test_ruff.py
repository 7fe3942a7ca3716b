"""integrations.ruff: what it reports on a paste, how grave, and what it leaves unsaid."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from errors import OperationError, StorageFailedError, ToolMissingError
from integrations.ruff import MAX_RAW_FINDINGS, RuffAnalyzer
from integrations.ruff_codes import grade
from schema.finding import Finding, severity_rank
from schema.source import Source
from utils.edits import apply_edits


def analyzed(text: str, path: str = "paste") -> list[Finding]:
    """Findings of a Python text."""
    return RuffAnalyzer().analyze(Source(text, "python", path))


def rules(text: str) -> list[tuple[str, int]]:
    """Rule and line of each finding."""
    return [(finding.rule_id, finding.start_line) for finding in analyzed(text)]


def test_a_mutable_default_is_found_with_a_fix_that_keeps_all_comments() -> None:
    """The edits are in characters of the text and put None where the list stood."""
    text = (
        "def f(\n    name,\n    # first wins\n    rules=[],  # default: none\n):\n    # a copy\n    rules.append(name)\n    return rules\n"
    )

    (finding,) = analyzed(text)

    assert (finding.rule_id, finding.start_line, finding.severity, finding.category) == ("ruff/B006", 4, "medium", "bug")
    assert finding.fix is not None
    assert finding.fix.applicability == "display"
    fixed = apply_edits(text, finding.fix.edits)
    assert "rules=None,  # default: none" in fixed
    assert fixed.count("#") == text.count("#")


def test_columns_are_characters() -> None:
    """Wide characters before the place count one each."""
    text = 'def f(標題, b=[]):\n    return 標題, b, "漢字" == None\n'

    assert [finding.start_column for finding in analyzed(text) if finding.rule_id == "ruff/B006"] == [13]


def test_empty_bodies_on_purpose_give_nothing() -> None:
    """A protocol, overloads and a documented placeholder are no defects."""
    text = (
        "from typing import Protocol, overload\n\nclass Store(Protocol):\n    def get(self, key: str) -> bytes: ...\n\n"
        "@overload\ndef read(path: str) -> str: ...\n@overload\ndef read(path: bytes) -> bytes: ...\n"
        "def read(path):\n    with open(path) as f:\n        return f.read()\n\n"
        'def not_ready() -> None:\n    """Placeholder until the importer is merged."""\n'
    )

    assert analyzed(text) == []


def test_new_decorator_syntax_parses_and_both_defects_are_found() -> None:
    """A decorator may be any expression."""
    text = "import time\n\nwrappers = [lambda f: f]\n@wrappers[0]\nasync def job(name, log=[]):\n    time.sleep(1)\n    return log\n"

    assert ("ruff/B006", 5) in rules(text)
    assert ("ruff/ASYNC251", 6) in rules(text)


def test_newest_syntax_is_no_error() -> None:
    """Type parameters, match, except* and nested f-string quotes."""
    text = "type P[T] = list[T]\n\ndef f[T](x: T) -> str:\n    match x:\n        case 1:\n            return f'{x!r:>{3}} {'a'}'\n"

    assert not [rule for rule, _ in rules(text) if rule == "ruff/invalid-syntax"]


def test_syntax_errors_are_few_and_high() -> None:
    """At most three, one a line, on lines that exist."""
    text = "def f(:\n  x = (\n" * 20

    found = [finding for finding in analyzed(text) if finding.rule_id == "ruff/invalid-syntax"]

    assert 1 <= len(found) <= 3
    assert len({finding.start_line for finding in found}) == len(found)
    assert {finding.severity for finding in found} == {"high"}
    assert all(finding.start_line <= text.count("\n") for finding in found)


def test_a_noqa_is_obeyed() -> None:
    """What the author silenced stays silent."""
    assert rules("def f(x=[]):  # noqa: B006\n    return x\n") == []


@pytest.mark.parametrize(
    ("text", "rule", "severity"),
    [
        ("def f(x):\n    return eval(x)\n", "ruff/S307", "high"),
        ("import subprocess\ndef f(x):\n    subprocess.run('ls ' + x, shell=True)\n", "ruff/S602", "high"),
        ("def f(c, n):\n    c.execute(f\"select * from t where n = '{n}'\")\n", "ruff/S608", "high"),
        ("def f(x):\n    assert (x, 'must be given')\n", "ruff/F631", "high"),
        ("def f(x):\n    if x is 'a':\n        return 1\n    return 2\n", "ruff/F632", "high"),
        ("def f(x):\n    return x == None\n", "ruff/E711", "medium"),
        ("def f(x):\n    try:\n        x()\n    except:\n        raise ValueError from None\n", "ruff/E722", "medium"),
        ("def f(xs):\n    for x in xs:\n        xs.remove(x)\n", "ruff/B909", "medium"),
        ("def f(names):\n    return [lambda: n for n in names]\n", "ruff/B023", "high"),
        ("PASSWORD = 'tr0ub4dor&3'\n", "ruff/S105", "high"),
        ("TOKEN_HEADER = 'x-token'\n", "ruff/S105", "low"),
        ("import requests\ndef f(u):\n    return requests.get(u, verify=False, timeout=3)\n", "ruff/S501", "high"),
        ("import requests\ndef f(u):\n    return requests.get(u)\n", "ruff/S113", "medium"),
        ("import os\n", "ruff/F401", "low"),
    ],
)
def test_severities_are_those_of_a_bug_review(text: str, rule: str, severity: str) -> None:
    """The table of grades, on real findings; each says what to do."""
    (finding,) = [finding for finding in analyzed(text) if finding.rule_id == rule]

    assert finding.severity == severity
    assert finding.suggestion


@pytest.mark.parametrize("code", ["B006", "S601", "S602", "S604", "S605", "S608", "S609", "S610", "S611", "S501", "S506"])
def test_dangerous_rules_are_at_least_medium(code: str) -> None:
    """Mutable defaults, shells, SQL and switched-off checks are always worth a look."""
    assert severity_rank(grade(code).severity) >= severity_rank("medium")


def test_names_of_a_fragment_are_one_low_finding() -> None:
    """A bare function uses its file's names: they are listed once and do not scream."""
    text = "def total(rows):\n    check(rows)\n    return TAX * sum(price_of(row) for row in rows)\n"

    (finding,) = analyzed(text)

    assert (finding.rule_id, finding.severity) == ("ruff/F821", "low")
    assert all(name in finding.message for name in ("`check`", "`TAX`", "`price_of`"))


def test_an_undefined_name_of_a_complete_text_is_high() -> None:
    """With its imports there, a name that nothing defines is a bug."""
    text = "import math\n\ndef area(r):\n    return math.pi * square(r)\n"

    assert [(f.rule_id, f.severity) for f in analyzed(text)] == [("ruff/F821", "high")]
    assert [f.severity for f in analyzed("def f():\n    return g()\n", path="src/a.py")] == ["high"]


def test_a_misspelt_name_is_told_in_a_fragment_too() -> None:
    """One slip of the pen from a name that is there."""
    found = [f for f in analyzed("def total(prices):\n    result = sum(prices)\n    return reslut\n") if f.rule_id == "ruff/F821"]

    assert [(f.severity, f.suggestion) for f in found] == [("medium", "Write `result`.")]


def test_comparison_with_none_is_left_alone_where_it_builds_a_query() -> None:
    """`column == None` is right in SQLAlchemy and pandas: low, and the fix is only shown."""
    text = "from sqlalchemy import select\n\ndef q(t):\n    return select(t).where(t.c.x == None)\n"

    (finding,) = [finding for finding in analyzed(text) if finding.rule_id == "ruff/E711"]

    assert finding.severity == "low"
    assert finding.fix is not None
    assert finding.fix.applicability == "display"


def test_ten_thousand_lines_give_the_one_finding() -> None:
    """The needle in the haystack, on its line."""
    text = "".join(
        f"def f{i}(x, seen=[]):\n    seen.append(x)\n    return seen\n\n"
        if i == 1944
        else f"def f{i}(x):\n    y = x + {i}\n    return y\n\n"
        for i in range(2500)
    )

    assert rules(text) == [("ruff/B006", 7777)]


def test_a_text_that_ruff_dies_of_is_an_error_and_not_a_crash() -> None:
    """60,000 additions overflow ruff's stack."""
    with pytest.raises(OperationError, match="nested too deeply"):
        analyzed("y = 1" + " + 1" * 60_000 + "\n")


def test_a_missing_ruff_says_what_to_do(tmp_path: Path) -> None:
    """A path that can't be started is one clear error."""
    with pytest.raises(ToolMissingError, match="ruff"):
        RuffAnalyzer(str(tmp_path / "ruff")).analyze(Source("x = 1\n", "python"))


def test_a_ruff_that_hangs_is_stopped(tmp_path: Path) -> None:
    """The time limit holds, and the process is gone."""
    slow = tmp_path / "ruff"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)

    with pytest.raises(OperationError, match="longer than"):
        RuffAnalyzer(str(slow), timeout_s=0.2).analyze(Source("x = 1\n", "python"))


def test_a_foreign_configuration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ruff.toml of the working folder and RUFF_ variables are not read."""
    (tmp_path / "ruff.toml").write_text("[lint]\nselect = ['D']\nignore = ['B006']\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUFF_OUTPUT_FORMAT", "full")

    assert rules("def f(x=[]):\n    return x\n") == [("ruff/B006", 1)]


def test_the_version_names_the_selection() -> None:
    """Whatever decides the findings is in the version, so that a stored level can be told from a new one."""
    analyzer = RuffAnalyzer()

    assert analyzer.describe("python").startswith("ruff 0.")
    assert analyzer.version().startswith(analyzer.describe("python"))
    assert "B909" in analyzer.version()
    assert analyzer.supports("python")
    assert not analyzer.supports("go")


def test_endless_findings_are_cut() -> None:
    """A long generated text does not fill the memory: what is read is bounded, and it still ends well."""
    text = "".join(f"def f{number}(x=[]):\n    return x\n" for number in range(6_000))

    assert len(analyzed(text)) == MAX_RAW_FINDINGS


def test_no_room_for_a_temporary_folder_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told in one line, so that the other analysers' findings are still shown."""
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")

    with pytest.raises(StorageFailedError, match="TMPDIR"):
        analyzed("x = 1\n")


def test_a_ruff_that_was_killed_says_nothing_about_the_code(tmp_path: Path) -> None:
    """No crash of its own: somebody ended it, and nesting is not the reason."""
    killed = tmp_path / "ruff"
    killed.write_text("#!/bin/sh\ncat > /dev/null\nkill -9 $$\n")
    killed.chmod(0o755)

    with pytest.raises(OperationError, match="killed by signal 9"):
        RuffAnalyzer(str(killed)).analyze(Source("x = 1\n", "python"))


@pytest.mark.skipif(not hasattr(os, "getsid"), reason="no sessions here")
def test_a_key_on_the_terminal_does_not_reach_ruff(tmp_path: Path) -> None:
    """Ctrl-C kills what stands in the terminal's group: ruff has a group of its own, lest its death pass for a finding about the text."""
    told = tmp_path / "group"
    program = tmp_path / "ruff"
    program.write_text(f"#!{sys.executable}\nimport os, sys\nsys.stdin.read()\nopen({str(told)!r}, 'w').write(str(os.getpgrp()))\n")
    program.chmod(0o755)

    assert RuffAnalyzer(str(program)).analyze(Source("x = 1\n", "python")) == []
    assert int(told.read_text()) != os.getpgrp()
