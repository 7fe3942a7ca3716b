"""A rule against its own cases: what `rules check` and the tests run. A problem is one sentence; none means it holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ast_grep_py import SgRoot

from rules.conditions import Judge
from rules.document import Document
from rules.engine import check
from rules.fixes import suggest
from rules.model import Adapter, Case, Examples, Invalid, Rule
from rules.rewrites import REWRITES
from rules.sites import find_case, needs_of
from schema.finding import Finding
from schema.source import Source
from utils.edits import apply_edits
from utils.syntax import parse_errors

_ROUNDS = 20
"""Fixes of one case are put in one by one, as the product does; no case has more."""


def problems(rule: Rule) -> list[str]:
    """Everything that is wrong with a rule: patterns that do not compile, cases that fail, capabilities without a case."""
    found = []
    for language, adapter in rule.adapters.items():
        broken = list(_compile(rule, adapter, language))
        found += broken
        if not broken:
            found += _run(rule, language, _examples(rule, language))
            found += [] if adapter.like else _uncovered(rule, adapter, rule.tests[language])
    return found


def _examples(rule: Rule, language: str) -> Examples:
    """An adapter's own cases, and those of the adapter that it repeats."""
    own = rule.tests.get(language, Examples())
    like = rule.tests.get(rule.adapters[language].like, Examples())
    return Examples(own.invalid + like.invalid, own.valid + like.valid)


def _compile(rule: Rule, adapter: Adapter, language: str) -> Iterator[str]:
    root = SgRoot("", language).root()
    for case in _cases(adapter):
        try:
            find_case(root, case, dict.fromkeys(needs_of(case), "x"))
            for rule_object in _fix_rules(case):
                root.find(**rule_object)
        except Exception as error:  # noqa: BLE001 - ast-grep raises bare Exception and RuntimeError for a wrong rule
            reason = " ".join(str(error).partition("Stack backtrace")[0].split())
            yield f"{rule.file}: {case.key} does not compile: {reason}"
        if case.fix is not None and case.fix.rewrite is not None and case.fix.rewrite not in REWRITES:
            yield f"{rule.file}: {case.key}: there is no rewrite `{case.fix.rewrite}`"


def _fix_rules(case: Case) -> list[Any]:
    if case.fix is None:
        return []
    return [dict(rule) for rule in (case.fix.when, case.fix.unless, case.fix.file_has, case.fix.file_lacks) if rule is not None]


def _cases(adapter: Adapter) -> list[Case]:
    return [case for cases in adapter.capabilities.values() for case in cases]


def _run(rule: Rule, language: str, examples: Examples) -> Iterator[str]:
    for code in examples.valid:
        found = _check(rule, code, language)
        if found:
            yield f"{rule.id} {language}: reports line {found[0].start_line} of right code: {code!r}"
    for case in examples.invalid:
        yield from _run_invalid(rule, language, case)


def _check(rule: Rule, code: str, language: str) -> list[Finding]:
    return check(Source(code, language), (rule,))


def _run_invalid(rule: Rule, language: str, case: Invalid) -> Iterator[str]:
    found = _check(rule, case.code, language)
    lines = tuple(finding.start_line for finding in found)
    if lines != case.lines:
        yield f"{rule.id} {language}: reports lines {list(lines)} instead of {list(case.lines)} of {case.code!r}"
        return
    if case.column is not None and found[0].start_column != case.column:
        yield f"{rule.id} {language}: column {found[0].start_column} instead of {case.column} of {case.code!r}"
    fixed = _fixed(rule, language, case.code)
    if fixed != case.fixed:
        yield f"{rule.id} {language}: the fix of {case.code!r} is {fixed!r} instead of {case.fixed!r}"
    elif fixed is not None and parse_errors(fixed, language) > parse_errors(case.code, language):
        yield f"{rule.id} {language}: the fix of {case.code!r} does not parse: {fixed!r}"


def _fixed(rule: Rule, language: str, code: str) -> str | None:
    """The code with the rule's fixes put in one after the other; None when it offers none."""
    text = code
    for _ in range(_ROUNDS):
        fixes = [finding.fix for finding in _check(rule, text, language) if finding.fix and finding.fix.applicability != "display"]
        if not fixes:
            break
        text = apply_edits(text, fixes[0].edits)
    return None if text == code else text


def _uncovered(rule: Rule, adapter: Adapter, examples: Examples) -> Iterator[str]:
    """Cases of reported capabilities that no invalid example reaches, and fixes that none shows."""
    reported, fixed = set(), set()
    for example in examples.invalid:
        document = Document(example.code, adapter.language)
        for hit in Judge(document, rule, adapter).hits():
            if hit.site is not None:
                reported.add(hit.site.case.key)
                if example.fixed is not None and suggest(document, hit.site) is not None:
                    fixed.add(hit.site.case.key)
    first = next((condition.capability for condition in rule.when if condition.subject in ("has", "entity.matches")), "")
    for case in adapter.capabilities.get(first, ()):
        if case.key not in reported:
            yield f"{rule.file}: {case.key} has no invalid case that reaches it"
        elif case.fix is not None and case.fix.applicability != "display" and case.key not in fixed:
            yield f"{rule.file}: the fix of {case.key} is shown by no case"
