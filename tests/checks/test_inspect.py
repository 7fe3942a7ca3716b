"""checks.inspect: one defect is one finding, in order, and a missing tool costs only its own findings."""

from __future__ import annotations

from dataclasses import replace

from checks.inspect import StaticInspector, merge_duplicates
from integrations.ruff import RuffAnalyzer
from schema.source import Source
from tests.checks.sample import MissingAnalyzer, WordAnalyzer, finding_on

SOURCE = Source("a bad b\nworse\nbad\n", "python")


def test_findings_come_sorted_by_place() -> None:
    """Whatever the order of the analysers."""
    found = StaticInspector([WordAnalyzer("worse"), WordAnalyzer("bad")]).inspect(SOURCE).findings

    assert [(finding.rule_id, finding.start_line) for finding in found] == [("words/bad", 1), ("words/worse", 2), ("words/bad", 3)]


def test_an_alias_on_the_same_line_is_merged_into_the_rule() -> None:
    """The rule stays, with the worse severity and the alias's fix when it has none."""
    own = WordAnalyzer("bad", "bugs/bad", "medium")
    foreign = WordAnalyzer("bad", "lint/X1", "high", fix_with="good")

    found = StaticInspector([foreign, own], {"bugs/bad": frozenset({"lint/X1"})}).inspect(SOURCE).findings

    assert [(finding.rule_id, finding.start_line, finding.severity) for finding in found] == [
        ("bugs/bad", 1, "high"),
        ("bugs/bad", 3, "high"),
    ]
    assert all(finding.fix is not None for finding in found)


def test_an_alias_elsewhere_stays() -> None:
    """Another line is another defect."""
    text = "one\ntwo\n"
    found = [finding_on(text, 1, "bugs/bad"), finding_on(text, 2, "lint/X1")]

    assert merge_duplicates(found, {"bugs/bad": frozenset({"lint/X1"})}) == found


def test_the_same_finding_twice_is_one() -> None:
    """Two analysers that share a rule id and a place."""
    found = StaticInspector([WordAnalyzer("bad"), WordAnalyzer("bad")]).inspect(SOURCE).findings

    assert [finding.start_line for finding in found] == [1, 3]


def test_equal_evidence_gets_different_fingerprints() -> None:
    """The second equal line has ordinal 1."""
    found = StaticInspector([WordAnalyzer("bad")]).inspect(replace(SOURCE, text="bad\nbad\n")).findings

    assert len({finding.fingerprint for finding in found}) == 2


def test_a_missing_tool_is_a_note_and_the_others_still_check() -> None:
    """`checked` does not name it, a sentence does."""
    inspection = StaticInspector([MissingAnalyzer("tool"), WordAnalyzer("bad")]).inspect(SOURCE)

    assert inspection.checked == ("word bad",)
    assert inspection.notes == ("word tool did not check this: wordtool is not installed",)
    assert len(inspection.findings) == 2


def test_a_language_nobody_knows_is_checked_by_nobody() -> None:
    """Empty `checked`, no findings."""
    inspection = StaticInspector([WordAnalyzer("bad")]).inspect(replace(SOURCE, language="cobol"))

    assert (inspection.findings, inspection.checked) == ((), ())


def test_the_same_source_is_analysed_once() -> None:
    """A task asks about its paste several times."""
    analyzer = WordAnalyzer("bad")
    inspector = StaticInspector([analyzer])

    assert inspector.inspect(SOURCE) is inspector.inspect(Source(SOURCE.text, "python"))
    for number in range(20):
        inspector.inspect(Source(f"bad {number}", "python"))
    assert analyzer.calls == 21
    inspector.inspect(SOURCE)
    assert analyzer.calls == 22


def test_a_text_fix_explains_the_syntax_errors_around_it() -> None:
    """A full-width colon is told once; the parser's three complaints about it are dropped."""
    wide = WordAnalyzer("\uff1a", "text/full-width-colon", "high", fix_with=":")
    text = "def f(x)\uff1a\n    return x\n"

    found = StaticInspector([RuffAnalyzer(), wide]).inspect(Source(text, "python")).findings

    assert [finding.rule_id for finding in found] == ["text/full-width-colon"]


def test_a_syntax_error_that_the_text_fix_leaves_stays() -> None:
    """Only what is gone with the fix is explained by it."""
    wide = WordAnalyzer("\uff1a", "text/full-width-colon", "high", fix_with=":")
    text = "def f(x)\uff1a\n    return x\n\ny = (1,\n"

    found = StaticInspector([RuffAnalyzer(), wide]).inspect(Source(text, "python")).findings

    assert "ruff/invalid-syntax" in [finding.rule_id for finding in found]


def test_the_basis_changes_with_analysers_and_aliases_only() -> None:
    """The same parts give the same basis in another process; a new rule set another one."""
    basis = StaticInspector([WordAnalyzer("bad")]).basis()

    assert basis == StaticInspector([WordAnalyzer("bad")]).basis()
    assert basis != StaticInspector([WordAnalyzer("worse")]).basis()
    assert basis != StaticInspector([WordAnalyzer("bad")], {"a/b": frozenset({"c/d"})}).basis()


def test_a_noqa_that_names_the_rule_silences_its_aliases() -> None:
    """The other analyser doesn't know the rule's name; the word inside of a string silences nothing."""
    aliases = {"bugs/bad": frozenset({"words/bad"})}

    def lines(text: str) -> list[int]:
        return [found.start_line for found in StaticInspector([WordAnalyzer("bad")], aliases).inspect(Source(text, "python")).findings]

    assert lines("bad  # noqa: bad\nbad  # noqa: bugs/bad\nbad  # NOQA:X1,bad\n") == []
    assert lines("bad  # noqa: E501\n'bad # noqa: X1'\nbad\n") == [1, 2, 3]


def test_a_rule_that_is_unsure_is_not_overruled() -> None:
    """A low finding stays low when another analyser, which knows less, is louder; its fix is not taken over either."""
    text = "one\n"
    own = replace(finding_on(text, 1, "bugs/bad"), severity="low", confidence=0.4)
    loud = replace(finding_on(text, 1, "lint/X1"), severity="high")

    assert merge_duplicates([own, loud], {"bugs/bad": frozenset({"lint/X1"})}) == [own]
