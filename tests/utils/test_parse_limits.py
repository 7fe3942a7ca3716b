"""Texts that a parser would never end with, or that would end the process: they are told apart, and read in time that is bounded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from errors import OperationError
from rules.engine import RuleEngine
from schema.source import Source
from utils.blocks import DEFAULT_LIMIT
from utils.parse_limits import ALWAYS_SAFE, ALWAYS_TRIED, is_readable, may_be_endless, seconds_for
from utils.syntax import blocks, parse_errors

PROJECT = Path(__file__).resolve().parent.parent.parent
TIME_LIMIT_S = 400
"""For a process of its own that hangs, whatever else runs on the machine."""

ENDLESS = [("swift", "/*" * 2_000), ("ruby", "<!--" * 2_000), ("kotlin", "<!--" * 3_000), ("go", "/*\n" * 4_000), ("c", "*/\n" * 4_000)]
ABORTING = [
    ("yaml", "- " * 600 + "a"),
    ("yaml", "? " * 600 + "a"),
    ("kotlin", '"${\n' * 2_000),
    ("kotlin", '"""${' * 1_000),
    ("yaml", "".join(" " * depth + "a:\n" for depth in range(700))),
]
"""The scanners of these grammars keep a kilobyte at most; one byte more ends the process."""

NASTY = [
    *(
        "/*\n",
        '"""\n',
        "'",
        "(",
        "{",
        "<!--",
        "#",
        ">>> ",
        "```\n",
        "{{",
        "<?php ",
        "\\",
        "$(",
        "<<EOF\n",
        "//",
        "--",
        "@",
        'r"',
        "${",
        "\t",
    ),
    *(" ", "- ", '"${\n', "@@ -1 +1 @@\n", "In [1]: \n", "Traceback (most recent call last):\n", "{%", "> ", "password=", "<div>\n"),
]
SIZE = 150_000
PLAIN = "def part(values):\n    return sum(values) / len(values) + 1\n\n\n"
MOST_TIMES_PLAIN = 40
"""What takes quadratic time takes thousands of times as long as plain code of that size."""

_READ = """
import json, sys, time
from utils.paste import prepare
from utils.tokens import tokenize
plain, nasty, size = json.load(sys.stdin)
prepare(plain * 10)  # imports and patterns
def seconds(unit):
    text = "x" + (unit * (size // len(unit) + 1))[:size]
    begin = time.process_time()
    found = prepare(text)
    tokenize(text, found.language)
    return time.process_time() - begin
print(json.dumps([seconds(plain), [[unit, seconds(unit)] for unit in nasty]]))
"""
_COUNT = """
import json, sys
from utils.syntax import parse_errors
print([parse_errors(text, name) == len(text) for name, text in json.load(sys.stdin)])
"""


def run(program: str, given: object) -> subprocess.CompletedProcess[str]:
    """The program in a process that may hang or die."""
    return subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(given), text=True, capture_output=True, cwd=PROJECT, timeout=TIME_LIMIT_S
    )


@pytest.mark.parametrize("texts", [ENDLESS, ABORTING], ids=["endless", "aborting"])
def test_what_a_grammar_cannot_read_counts_as_unreadable(texts: list[tuple[str, str]]) -> None:
    """Each of these would take minutes, or end the process."""
    ran = run(_COUNT, texts)

    assert (ran.returncode, ran.stdout.strip()) == (0, str([True] * len(texts))), ran.stderr[-500:]


def test_every_text_is_read_in_time_that_grows_with_its_size() -> None:
    """Taken apart, its language named and its tokens counted, as plain code is; texts are those that quadratic readers stumble over."""
    ran = run(_READ, (PLAIN, NASTY, SIZE))
    assert ran.returncode == 0, ran.stderr[-500:]
    plain, nasty = json.loads(ran.stdout)

    assert not [(unit, seconds) for unit, seconds in nasty if seconds > MOST_TIMES_PLAIN * plain]


@pytest.mark.parametrize("language", ["python", "go", "rust", "html"])
def test_ordinary_code_is_read_here(language: str) -> None:
    """Also by the wrong grammar: no process is started for it."""
    assert not may_be_endless(Path(__file__).read_text(encoding="utf-8").replace("<!--", "")[:4_000], language)


def test_a_long_text_is_tried_apart_and_read() -> None:
    """Its size alone says nothing against it."""
    text = PLAIN * (ALWAYS_TRIED // len(PLAIN) + 1)

    assert may_be_endless(text, "python")
    assert is_readable(text, "python")
    assert parse_errors(text, "python") == 0
    assert seconds_for(text) < seconds_for(text * 2)


def test_the_longest_paste_holds_nobody_up() -> None:
    """A grammar is given less than three seconds for it: three grammars may be tried on the beginning, one on the whole."""
    assert seconds_for("(" * DEFAULT_LIMIT) < 3


def test_a_short_text_is_always_read() -> None:
    """No text of that length takes long."""
    assert is_readable(("/*" * ALWAYS_SAFE)[:ALWAYS_SAFE], "swift")


def test_no_module_of_the_working_folder_takes_the_parsers_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may belong to whoever wrote the code."""
    (tmp_path / "ast_grep_py.py").write_text("import pathlib\npathlib.Path('ran').touch()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert is_readable(PLAIN * 300 + "# a text that was not asked about before\n", "python")
    assert not (tmp_path / "ran").exists()


def test_nothing_is_made_of_a_text_that_is_not_read() -> None:
    """No outline; the rules say why they found nothing."""
    text = "/*\n" * 4_000

    assert blocks(text, "go") == ()
    with pytest.raises(OperationError, match="can't read this in the time"):
        RuleEngine().analyze(Source(text, "go"))
