"""The engine: places, evidence, suppression, conditions, and input that is anything but friendly."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import OperationError, RuleInvalidError
from rules.document import EVIDENCE_LIMIT, MAX_DEPTH
from rules.engine import RuleEngine
from rules.load import load_rules
from schema.finding import Finding
from schema.source import Source

ENGINE = RuleEngine()


def found_in(code: str, language: str = "python") -> list[Finding]:
    """Findings of the packaged rules."""
    return ENGINE.analyze(Source(code, language))


def places(findings: list[Finding]) -> list[tuple[str, int, int]]:
    """Rule, line and column of each."""
    return [(finding.rule_id, finding.start_line, finding.start_column) for finding in findings]


def rule_folder(
    folder: Path, when: str, adapter: str, scope: str = "{entity: function}", report: str = "site", more: str = ""
) -> RuleEngine:
    """An engine with one small rule of its own."""
    (folder / "demo.yaml").write_text(
        f"schema: codemind-rule/1\nid: demo/one\nversion: 1.0.0\nseverity: low\ncategory: bug\nconfidence: 0.5\nscope: {scope}\n"
        f"when: {when}\nreport: site\nmessage: '{{{{entity.name}}}}: {{{{site.text}}}}'\n"
        f"suggestion: s\n{more}adapters:\n  python:\n{adapter}",
        encoding="utf-8",
    )
    return RuleEngine(folder)


CALL = "    call:\n      - match: {pattern: print($X)}\n"


def test_finding_has_every_field_of_the_contract() -> None:
    """Place, evidence, source with version and digest, and a fingerprint."""
    (finding,) = found_in("def mean(values):\n    return sum(values) / len(values)\n")

    assert places([finding]) == [("bugs/division-by-length", 2, 12)]
    assert (finding.end_line, finding.end_column) == (2, 37)
    assert finding.evidence == "    return sum(values) / len(values)"
    assert finding.source.startswith("rule:bugs/division-by-length@")
    assert finding.path == "paste"
    assert len(finding.fingerprint) == 16
    assert "{{" not in finding.message + finding.suggestion


def test_columns_count_code_points() -> None:
    """Chinese text before the site counts one column a character, and so do characters beyond the BMP."""
    findings = found_in("def 均(数据):\n    返 = '𝒳值'; return 1 / len(数据)\n")

    assert places(findings) == [("bugs/division-by-length", 2, 22)]


def test_equal_lines_have_fingerprints_of_their_own() -> None:
    """Two findings with the same evidence can be told apart."""
    first, second = found_in("def f(a=[], b=[]):\n    return a, b\n")

    assert first.evidence == second.evidence
    assert first.fingerprint != second.fingerprint


def test_evidence_of_a_minified_line_is_cut_around_the_column() -> None:
    """A line of 20,000 characters is quoted in at most 300, the site among them."""
    filler = ";".join(f"a{i}={i}" for i in range(2000))
    (finding,) = found_in(f"{filler};eval(x);{filler}\n", "javascript")

    assert len(finding.evidence) <= EVIDENCE_LIMIT
    assert "eval(x)" in finding.evidence
    assert finding.evidence.startswith("...")
    assert finding.evidence.endswith("...")


def test_text_is_no_code() -> None:
    """Bad examples in docstrings, comments and strings are not reported; a noqa in a string suppresses nothing."""
    findings = found_in(
        'def help_text():\n    """Never write:\n\n        eval(user_input)\n    """\n    # try: run()  except: pass\n'
        '    return "SELECT is a word; # noqa is only text here"\ndef check(flag):\n    assert (flag, "# noqa: F631")\n'
    )

    assert places(findings) == [("bugs/assert-on-tuple", 9, 5)]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# NOQA",
        "# noqa: B006",
        "# noqa: E501, B006",
        "#noqa:B006 - on purpose",
        "# noqa: mutable-default",
        "# noqa: bugs/mutable-default",
    ],
)
def test_noqa_comment_suppresses(comment: str) -> None:
    """A bare noqa, an alias's code or the rule's own name."""
    assert found_in(f"def f(a=[]):  {comment}\n    return a\n") == []


@pytest.mark.parametrize("comment", ["# noqa: E501", "# no qa", "# type: ignore", "# noqa-like words", "# ruff: noqa: E501"])
def test_other_comments_suppress_nothing(comment: str) -> None:
    """A noqa for another code leaves the finding."""
    assert len(found_in(f"def f(a=[]):  {comment}\n    return a\n")) == 1


@pytest.mark.parametrize("comment", ["# ruff: noqa", "# flake8: noqa", "# ruff: noqa: B006", "# flake8: noqa: E501, mutable-default"])
def test_a_noqa_for_the_file_suppresses_everywhere(comment: str) -> None:
    """As ruff takes it: all codes, or those that it names; the assertion is another rule's."""
    found = found_in(f"{comment}\ndef f(a=[]):\n    assert (a, 'x')\n")

    assert [finding.rule_id for finding in found] == (["bugs/assert-on-tuple"] if comment.count(":") > 1 else [])


def test_decorator_may_be_any_expression() -> None:
    """Rules look into functions with relaxed decorators."""
    findings = found_in(
        "import time\n\nwrappers = [lambda f: f]\n@wrappers[0]\nasync def job(name, log=[]):\n    time.sleep(1)\n    log.append(name)\n"
    )

    assert [(rule, line) for rule, line, _ in places(findings)] == [("bugs/mutable-default", 5), ("async/blocking-call-in-async", 6)]


def test_stubs_are_no_defects() -> None:
    """Protocols, overloads and a docstring as the whole body are left alone."""
    assert found_in('class P(Protocol):\n    def get(self, keys=[]) -> bytes: ...\n\ndef later() -> None:\n    """Later."""\n') == []


def test_positions_of_php_without_a_tag_are_those_of_the_text() -> None:
    """The opening tag that the grammar needs does not shift the first line."""
    (finding,) = found_in("if (strpos($a, 'x') == false) { f(); }\n", "php")

    assert (finding.start_line, finding.start_column, finding.evidence) == (1, 5, "if (strpos($a, 'x') == false) { f(); }")


@pytest.mark.parametrize(
    "code",
    ["x = " + "(" * 3000 + "1" + ")" * 3000 + "\n", "y = 1" + " + 1" * 60000 + "\n"],
    ids=["brackets", "additions"],
)
def test_deep_nesting_is_an_expected_failure(code: str) -> None:
    """Neither a crash nor minutes of work: one sentence, and the next text is checked as usual."""
    with pytest.raises(OperationError, match=f"more than {MAX_DEPTH} levels"):
        found_in(code)

    assert len(found_in("def keep(x, seen=[]):\n    seen.append(x)\n    return seen\n")) == 1


def test_finding_in_a_long_file_is_the_only_one() -> None:
    """One bad function among 2,500 good ones."""
    code = "".join(
        f"def f{i}(x, seen=[]):\n    seen.append(x)\n    return seen\n\n"
        if i == 1944
        else f"def f{i}(x):\n    y = x + {i}\n    return y\n\n"
        for i in range(2500)
    )

    assert [(rule, line) for rule, line, _ in places(found_in(code))] == [("bugs/mutable-default", 7777)]


@pytest.mark.parametrize("code", ["", "\n\n", "\x00", "def f(:\n  '''", "\ud800 = 1\n", "def f(a=[]):\n    return '\ud800'\n"])
def test_odd_text_does_no_harm(code: str) -> None:
    """Empty, binary, broken and surrogate text gives findings or none, and no error."""
    assert isinstance(found_in(code), list)


def test_unknown_language_has_no_findings() -> None:
    """What no vocabulary knows is not looked at."""
    assert not ENGINE.supports("cobol")
    assert found_in("def f(a=[]): pass\n", "cobol") == []
    assert ENGINE.describe("cobol") == "0 rules"


def test_version_is_there_before_any_rule_is_read(tmp_path: Path) -> None:
    """It is a digest of bytes: a broken file changes it and is only refused when a text is analysed."""
    (tmp_path / "broken.yaml").write_text("python: {", encoding="utf-8")
    engine = RuleEngine(tmp_path)

    assert engine.version().startswith("rules ")
    with pytest.raises(RuleInvalidError, match=r"broken\.yaml"):
        engine.analyze(Source("x = 1\n", "python"))


def test_pattern_that_does_not_compile_is_a_rule_error(tmp_path: Path) -> None:
    """One line without the engine's own stack trace."""
    engine = rule_folder(tmp_path, "[{has: call}]", "    call:\n      - match: {kind: nonsense}\n", scope="{entity: file}")

    with pytest.raises(RuleInvalidError, match="does not compile") as caught:
        engine.analyze(Source("x = 1\n", "python"))
    assert "backtrace" not in caught.value.message


def test_disabled_rule_is_silent(tmp_path: Path) -> None:
    """`enabled: false` switches a rule off."""
    engine = rule_folder(tmp_path, "[{has: call}]", CALL, more="enabled: false\n")

    assert engine.analyze(Source("def f():\n    print(1)\n", "python")) == []
    assert engine.describe("python") == "0 rules"


def test_site_is_charged_to_its_nearest_function(tmp_path: Path) -> None:
    """A plain function inside an async one is not async."""
    engine = rule_folder(tmp_path, "[{has: call}, {entity.is_async: true}]", CALL)
    code = "async def outer():\n    print(1)\n    def inner():\n        print(2)\n"

    assert [finding.message for finding in engine.analyze(Source(code, "python"))] == ["outer: print(1)"]


def test_fact_that_a_language_cannot_tell_is_neither_true_nor_false(tmp_path: Path) -> None:
    """Facts have three values; a condition on an unknown one does not hold."""
    for wanted in ("true", "false"):
        engine = rule_folder(tmp_path, f"[{{has: call}}, {{entity.is_magic: {wanted}}}]", CALL)

        assert engine.analyze(Source("def f():\n    print(1)\n", "python")) == []


def test_visibility_narrows_a_rule(tmp_path: Path) -> None:
    """`visibility: public` leaves private functions out."""
    engine = rule_folder(tmp_path, "[{has: call}]", CALL, scope="{entity: function, visibility: public}")
    code = "def shown():\n    print(1)\n\ndef _hidden():\n    print(2)\n"

    assert [finding.start_line for finding in engine.analyze(Source(code, "python"))] == [2]


def test_name_of_the_entity_can_be_asked_for(tmp_path: Path) -> None:
    """`entity.name` holds for listed names."""
    engine = rule_folder(tmp_path, "[{has: call}, {entity.name: {in: [g]}}]", CALL)

    assert [f.start_line for f in engine.analyze(Source("def f():\n    print(1)\n\ndef g():\n    print(2)\n", "python"))] == [5]


GUARDED = CALL + "    guard:\n      - match: {kind: if_statement, has: {field: condition, regex: '^{{site.X}}$'}}\n"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("    if x:\n        print(x)\n", []),
        ("    if x:\n        return\n    print(x)\n", []),
        ("    print(x)\n    if x:\n        return\n", [2]),
        ("    if y:\n        return\n    print(x)\n", [4]),
        ("    if y:\n        if x:\n            return\n    else:\n        print(x)\n", [6]),
        ("    def g():\n        if x:\n            return\n    print(x)\n", [5]),
    ],
)
def test_guard_counts_before_or_around_the_site_only(tmp_path: Path, body: str, lines: list[int]) -> None:
    """`before: site`: in the site's block or an enclosing one, above it; or around it."""
    engine = rule_folder(tmp_path, "[{has: call}, {owner.has_not: {capability: guard, before: site}}]", GUARDED)

    assert [finding.start_line for finding in engine.analyze(Source("def f(x, y):\n" + body, "python"))] == lines


def test_file_conditions_look_at_the_whole_file(tmp_path: Path) -> None:
    """`file.has_not` is false when the capability matches anywhere."""
    adapter = CALL + "    logging:\n      - match: {kind: import_statement, regex: logging}\n"
    engine = rule_folder(tmp_path, "[{has: call}, {file.has_not: logging}]", adapter)

    assert len(engine.analyze(Source("def f():\n    print(1)\n", "python"))) == 1
    assert engine.analyze(Source("import logging\ndef f():\n    print(1)\n", "python")) == []


def test_rule_without_a_capability_reports_entities(tmp_path: Path) -> None:
    """Facts alone are enough for a rule."""
    engine = rule_folder(tmp_path, "[{entity.is_async: true}, {owner.has: call}]", CALL)
    code = "def outer():\n    print(1)\n    async def f():\n        pass\n"

    assert [finding.start_line for finding in engine.analyze(Source(code, "python"))] == [3]


def test_every_rule_publishes_severity_and_category() -> None:
    """No message speaks of a placeholder that the engine can't fill."""
    for rule in load_rules():
        assert 0 < rule.confidence < 1
        assert rule.suggestion
