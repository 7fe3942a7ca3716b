"""The loader: strict about the format, cheap when only one language is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import RuleInvalidError
from rules.load import load_rules, rule_aliases, set_digest

RULE = """schema: codemind-rule/1
id: demo/print-call
version: 1.0.0
severity: low
category: maintainability
confidence: 0.5
aliases: [ruff/T201, ruff/T203]
scope: {entity: file}
when:
  - has: call
report: site
message: "print: {{site.text}}"
suggestion: "Log it"
adapters:
  python:
    call:
      - match: {pattern: print($X)}
"""
TESTS = """---
tests:
  python:
    invalid: [{code: "print(1)\\n", line: 1}]
    valid: ["log(1)\\n"]
"""


def write(folder: Path, text: str, name: str = "print.yaml") -> Path:
    """A rule folder with one file."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_rule_of_two_documents_is_read_whole(tmp_path: Path) -> None:
    """The rule stands in the first document, its cases in the second."""
    (rule,) = load_rules(write(tmp_path, RULE + TESTS))

    assert (rule.id, rule.version, rule.severity, rule.aliases) == ("demo/print-call", "1.0.0", "low", ("ruff/T201", "ruff/T203"))
    assert rule.tests["python"].invalid[0].lines == (1,)
    assert rule.source.startswith("rule:demo/print-call@1.0.0+")


def test_cases_may_stand_in_the_rule_itself(tmp_path: Path) -> None:
    """One document with `tests:` is the same rule."""
    (rule,) = load_rules(write(tmp_path, RULE + TESTS.removeprefix("---\n")))

    assert rule.tests["python"].valid == ("log(1)\n",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("schema: codemind-rule/1", "schema: other/1", "`schema` must be one of"),
        ("id: demo/print-call", "id: Print Call", "`id` must look like"),
        ("version: 1.0.0", "version: '1'", "`version` must look like"),
        ("severity: low", "severity: awful", "`severity` must be one of"),
        ("category: maintainability", "category: style", "`category` must be one of"),
        ("confidence: 0.5", "confidence: 2", "`confidence` must be a number between 0 and 1"),
        ("aliases: [ruff/T201, ruff/T203]", "aliases: [T201]", "'T201' is no rule id"),
        ("scope: {entity: file}", "scope: {entity: planet}", "has no entity `planet`"),
        ("scope: {entity: file}", "scope: {entity: file, colour: red}", "unknown key `colour`"),
        ("  - has: call", "  - has: other", "lacks capability `other`"),
        ("  - has: call", "  - wants: call", "unknown condition `wants`"),
        ("report: site", "report: site\nnote: x", "unknown key `note`"),
        ("message:", "# message:", "`message` must be a text"),
        ("    call:", "    calls:", "lacks capability `call`"),
        ("      - match: {pattern: print($X)}", "      - match: {pattern: print($X)}\n        wrong: 1", "unknown key `wrong`"),
        ("      - match: {pattern: print($X)}", "      - match: {}", "`match` must be an ast-grep rule object"),
        (
            "      - match: {pattern: print($X)}",
            "      - match: {pattern: print($X)}\n        fix: {applicability: safe}",
            "changes nothing",
        ),
        ("  python:\n    call", "  klingon:\n    call", "rules/languages/klingon.yaml is missing"),
        ("scope: {entity: file}", "scope: {entity: file", "no valid YAML in line"),
    ],
)
def test_mistake_is_named_with_file_and_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    """Whatever breaks the format is refused in one line that says where."""
    assert old in RULE

    with pytest.raises(RuleInvalidError) as caught:
        load_rules(write(tmp_path, RULE.replace(old, new)), with_tests=False)

    assert said in caught.value.message
    assert caught.value.message.startswith(("print.yaml", "no rule can be written"))
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ("", "no cases for this adapter"),
        ('---\ntests:\n  python:\n    invalid: [{code: "print(1)", line: 1}]\n', "at least one invalid and one valid case"),
        ('---\ntests:\n  python:\n    invalid: [{code: "print(1)"}]\n    valid: [a]\n', "are numbers"),
        (TESTS + '  java:\n    invalid: [{code: "x", line: 1}]\n    valid: [a]\n', "there is no such adapter"),
        (TESTS + "---\nmore: 1\n", "at most two documents"),
    ],
)
def test_cases_are_required(tmp_path: Path, cases: str, said: str) -> None:
    """Every adapter has one invalid and one valid case at least."""
    with pytest.raises(RuleInvalidError, match=said):
        load_rules(write(tmp_path, RULE + cases))


def test_repeated_key_is_refused(tmp_path: Path) -> None:
    """YAML itself would take the last one and forget the first."""
    twice = RULE.replace("{pattern: print($X)}", "{pattern: print($X), pattern: show($X)}")

    with pytest.raises(RuleInvalidError, match=r"print\.yaml: no valid YAML in line 1\d: the key pattern stands twice"):
        load_rules(write(tmp_path, twice + TESTS))


def test_two_rules_with_one_id_are_refused(tmp_path: Path) -> None:
    """An id belongs to one file."""
    write(tmp_path, RULE + TESTS)

    with pytest.raises(RuleInvalidError, match=r"stands in (again|print)\.yaml already"):
        load_rules(write(tmp_path, RULE + TESTS, "again.yaml"))


def test_missing_folder_is_said(tmp_path: Path) -> None:
    """A folder that isn't there is a clear error."""
    with pytest.raises(RuleInvalidError, match="no folder of rules"):
        load_rules(tmp_path / "none")


def test_only_rules_of_the_language_are_loaded(tmp_path: Path) -> None:
    """`language` leaves out what has no adapter for it."""
    folder = write(tmp_path, RULE + TESTS)

    assert load_rules(folder, language="java") == ()
    assert [rule.id for rule in load_rules(folder, language="python", with_tests=False)] == ["demo/print-call"]


def test_digest_of_a_rule_pins_behaviour_not_words(tmp_path: Path) -> None:
    """Another message keeps the digest, another pattern changes it."""
    (first,) = load_rules(write(tmp_path / "a", RULE + TESTS))
    (reworded,) = load_rules(write(tmp_path / "b", RULE.replace("print: ", "call: ") + TESTS))
    (changed,) = load_rules(write(tmp_path / "c", RULE.replace("print($X)", "show($X)") + TESTS))

    assert first.digest == reworded.digest
    assert first.digest != changed.digest


def test_digest_of_the_set_needs_no_parsing(tmp_path: Path) -> None:
    """It follows every byte, and also works on a broken file."""
    folder = write(tmp_path, RULE)
    before = set_digest(folder)

    write(folder, RULE + "# more\n")
    after = set_digest(folder)
    write(folder, "{")

    assert len({before, after, set_digest(folder)}) == 3


def test_aliases_are_read_without_loading(tmp_path: Path) -> None:
    """The map for merging findings comes from two lines of each file."""
    folder = write(tmp_path, RULE)

    assert rule_aliases(folder) == {"demo/print-call": frozenset({"ruff/T201", "ruff/T203"})}
    assert rule_aliases() == {rule.id: frozenset(rule.aliases) for rule in load_rules() if rule.aliases}
