"""Comments that silence findings: they are obeyed, and what they silence is counted and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.model_reviewer import review_question
from checks.inspect import StaticInspector
from checks.silenced import without_directives
from checks.verify import FixVerifier
from integrations.ruff import RuffAnalyzer
from memory.recall import open_memory
from rules.engine import RuleEngine
from rules.load import rule_aliases
from schema.assemble import silenced_note
from schema.ports import Inspection, ReviewRequest
from schema.source import Source
from tests.fakes import a_match, a_task
from tests.memory.rows import an_experience

INSPECTOR = StaticInspector([RuffAnalyzer(), RuleEngine()], rule_aliases())


def inspected(text: str) -> Inspection:
    """By ruff and the rules, as Python."""
    return INSPECTOR.inspect(Source(text, "python"))


def note(text: str) -> str:
    """What the user reads; empty when nothing is said."""
    return " ".join(silenced_note(inspected(text), a_task(text)))


@pytest.mark.parametrize(
    "text",
    [
        "# ruff: noqa\ndef keep(text):\n    return eval(text)\n",
        "# flake8: noqa\ndef keep(text):\n    return eval(text)\n",
        "# ruff: noqa: S307\ndef keep(text):\n    return eval(text)\n",
        "# ruff: file-ignore[S307]\ndef keep(text):\n    return eval(text)\n",
        "# ruff: disable[S307]\ndef keep(text):\n    return eval(text)\n# ruff: enable[S307]\n",
        "\ndef keep(text):\n    return eval(text)  # noqa\n",
        "\ndef keep(text):\n    return eval(text)  # fine here #NOQA\n",
    ],
)
def test_a_grave_finding_that_no_comment_names_is_told(text: str) -> None:
    """It is silent in the findings, and in the note with its rule and line."""
    assert not inspected(text).findings
    assert "1 finding is silenced by a comment in the code (noqa)" in note(text)
    assert "line 3: high, ruff/S307" in note(text)


def test_a_finding_that_is_named_on_its_line_is_only_counted() -> None:
    """Its author has looked at it; the others are there."""
    text = "def keep(text, seen=[]):\n    return eval(text)  # noqa: S307\n"

    assert {finding.start_line for finding in inspected(text).findings} == {1}
    assert note(text) == "1 finding is silenced by a comment in the code (noqa)"


def test_another_rules_name_on_the_line_does_not_speak_for_the_finding() -> None:
    """The comment for the whole file silences it, not the one on its line."""
    assert "ruff/S307" in note("# ruff: noqa\ndef keep(text):\n    return eval(text)  # noqa: E501\n")


def test_rules_of_our_own_are_counted_too() -> None:
    """A mutable default and `eval` are two."""
    assert "2 findings are silenced by comments" in note("# ruff: noqa\ndef keep(text, seen=[]):\n    return seen, eval(text)\n")


@pytest.mark.parametrize("text", ["x = 1\n", "x = 1  # noqa\n", "def f(a):\n    return eval(a)  # nosec\n", '"""# noqa"""\nx = eval(y)\n'])
def test_nothing_is_said_where_nothing_is_silenced(text: str) -> None:
    """A comment that silences nothing, one that no tool here obeys, and a word in a string."""
    assert not note(text)


def test_the_lines_in_the_note_are_those_of_the_paste() -> None:
    """The code stood in a fence two lines further down."""
    text = "def keep(text):\n    return eval(text)  # noqa\n"
    task = a_task(text, line_map=((3, 0), (4, 0), (5, 0)))

    assert "line 4: high" in silenced_note(inspected(text), task)[0]


def test_many_are_counted_and_some_are_named() -> None:
    """A note stays one that is read."""
    said = note("# ruff: noqa\n" + "".join(f"def f{number}(a):\n    return eval(a)\n" for number in range(9)))

    assert said.startswith("9 findings")
    assert said.count("S307") == 5
    assert said.endswith("; and 4 more")


def test_evidence_is_the_code_as_it_was_written() -> None:
    """With the comment that silences it."""
    assert inspected("x = eval(y)  # noqa\n").silenced[0].evidence == "x = eval(y)  # noqa"


@pytest.mark.parametrize("text", ["x = 1  # NoQA: F401\n", "# ruff : noqa\n", "#flake8:noqa\n"])
def test_places_stay_without_the_comments(text: str) -> None:
    """The text has the same length, and no comment that a tool obeys."""
    bare = without_directives(text, "python")

    assert (len(bare), bare.count("\n"), bare != text) == (len(text), text.count("\n"), True)
    assert without_directives(text, "javascript") == text


def test_a_model_sees_what_is_silenced() -> None:
    """In a block of its own, beside the evidence."""
    text = "def keep(text):\n    return eval(text)  # noqa\n"
    request = ReviewRequest(a_task(text), (), a_match("NONE"), (), "", inspected(text).silenced)

    (block,) = [block for block in review_question(request).blocks if block.label == "silenced"]

    assert '"by": "ruff/S307"' in block.text


def test_a_fix_that_only_silences_is_not_clean() -> None:
    """The finding is still there, whatever the fix's comment says."""
    before = Source("def keep(text):\n    return eval(text)\n", "python")
    verification = FixVerifier(INSPECTOR).verify(before, before.text.replace("(text)\n", "(text)  # noqa: S307\n"))

    assert verification.level != "clean"


def test_code_without_its_comment_is_not_the_same_code(tmp_path: Path) -> None:
    """What a seed with a `# noqa` had as its fix is not offered as IDENTICAL, and the finding is reported."""
    memory = open_memory(tmp_path)
    code = "def run(cmd):\n    import subprocess\n    return subprocess.call(cmd, shell=True)  # noqa: S602\n"
    fixed = code.replace("cmd, shell=True)  # noqa: S602", '["sh", "-c", cmd])  # noqa: S603')
    memory.remember(an_experience(code, fixed))
    bare = code.replace("  # noqa: S602", "")

    assert memory.recall(Source(code, "python")).match.status == "IDENTICAL"
    assert memory.recall(Source(bare, "python")).match.status != "IDENTICAL"
    assert 3 in [finding.start_line for finding in inspected(bare).findings]
