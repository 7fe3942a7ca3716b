"""`RuleEngine`: the rule sets as a static analyser."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from ast_grep_py import SgNode

from errors import OperationError
from rules.conditions import Hit, Judge
from rules.document import MAX_DEPTH, Document, Place
from rules.fixes import suggest
from rules.load import SETS_FOLDER, load_rules, set_digest
from rules.model import Adapter, Rule
from rules.sites import fill, placeholders_in
from rules.vocabulary import known_languages
from schema.finding import Finding
from schema.source import Source
from utils.fingerprint import fingerprint

ENGINE_VERSION = "1.0.0"
"""Raised with every change of the engine that can change a finding or a fix."""

TEXT_LIMIT = 80
"""Characters of source code quoted in a message."""


class RuleEngine:
    """Runs the rules of one folder. Rule files are read at the first text of a language, not before."""

    def __init__(self, folder: Path = SETS_FOLDER) -> None:
        self._folder = folder
        self._rules: dict[str, tuple[Rule, ...]] = {}

    @cached_property
    def _version(self) -> str:
        return f"rules {ENGINE_VERSION}+{set_digest(self._folder)}"

    def version(self) -> str:
        """Engine version and the digest of all rule files; no rule is parsed."""
        return self._version

    def supports(self, language: str) -> bool:
        """True when the language has a vocabulary."""
        return language in known_languages()

    def describe(self, language: str) -> str:
        """How many rules look at the language."""
        count = len(self.rules_for(language))
        return f"{count} rule" + ("" if count == 1 else "s")

    def rules_for(self, language: str) -> tuple[Rule, ...]:
        """The enabled rules of a language. Raises: RuleInvalidError when a rule file is wrong."""
        if language not in self._rules:
            loaded = load_rules(self._folder, language=language, with_tests=False) if self.supports(language) else ()
            self._rules[language] = tuple(rule for rule in loaded if rule.enabled)
        return self._rules[language]

    def analyze(self, source: Source) -> list[Finding]:
        """Findings in the order of the text. Raises: OperationError for a text nested past MAX_DEPTH levels."""
        if not self.supports(source.language) or not source.text.strip():
            return []
        return check(source, self.rules_for(source.language))


def check(source: Source, rules: tuple[Rule, ...]) -> list[Finding]:
    """Run the given rules on a text of a language that they have adapters for. Raises: OperationError."""
    document = Document(source.text, source.language)
    if document.depth > MAX_DEPTH:
        raise OperationError(f"the code nests more than {MAX_DEPTH} levels deep")
    found: list[Finding] = []
    for rule in rules:
        adapter = rule.adapters[source.language]
        if not adapter.needs or any(word in source.text for word in adapter.needs):
            found += _findings(document, source.path, rule, adapter)
    found.sort(key=lambda item: (item.start_line, item.start_column, item.rule_id))
    return _with_ordinals(found)


def _findings(document: Document, path: str, rule: Rule, adapter: Adapter) -> list[Finding]:
    names = _suppression_names(rule)
    found = []
    for hit in Judge(document, rule, adapter).hits():
        node = hit.entity if hit.site is None or rule.report == "entity" else _unwrapped(hit.site.node)
        place = document.place(node)
        if not document.suppresses(place, names):
            found.append(_finding(document, path, rule, hit, place, node))
    return found


def _unwrapped(node: SgNode) -> SgNode:
    """What a parenthesis over several lines holds: the line of the opening one has nothing to see."""
    inner = node.named_children()
    is_wrapped = node.kind() == "parenthesized_expression" and len(inner) == 1
    return inner[0] if is_wrapped and inner[0].range().start.line != node.range().start.line else node


def _finding(document: Document, path: str, rule: Rule, hit: Hit, place: Place, node: SgNode) -> Finding:
    case = None if hit.site is None else hit.site.case
    values = _message_values(document, rule, hit, node)
    return Finding(
        path=path,
        start_line=place.start_line,
        end_line=place.end_line,
        start_column=place.start_column,
        end_column=place.end_column,
        severity=(case and case.severity) or rule.severity,
        category=rule.category,
        rule_id=rule.id,
        message=fill(rule.message, values),
        suggestion=fill(rule.suggestion, values),
        evidence=document.evidence(place),
        confidence=rule.confidence if case is None or case.confidence is None else case.confidence,
        source=rule.source,
        fix=None if hit.site is None else suggest(document, hit.site),
    )


def _message_values(document: Document, rule: Rule, hit: Hit, node: SgNode) -> dict[str, str]:
    """What the placeholders of message and suggestion stand for, each cut to one short line."""
    values = {}
    for name in placeholders_in(rule.message + rule.suggestion):
        if name == "entity.name":
            text: str | None = document.entity_name(hit.entity, rule.entity)
        elif name == "site.text":
            text = node.text()
        else:
            text = hit.site.text(name.removeprefix("site."), document) if hit.site else None
        values[name] = _short(text or "")
    return values


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_LIMIT else line[: TEXT_LIMIT - 3] + "..."


def _suppression_names(rule: Rule) -> frozenset[str]:
    """What a `# noqa` may name: the rule, its last part, its aliases and their codes."""
    return frozenset(name.lower() for full in (rule.id, *rule.aliases) for name in (full, full.rsplit("/", 1)[-1]))


def _with_ordinals(found: list[Finding]) -> list[Finding]:
    """Equal lines of one rule get fingerprints of their own."""
    seen: Counter[str] = Counter()
    numbered = []
    for finding in found:
        ordinal = seen[finding.fingerprint]
        seen[finding.fingerprint] += 1
        marked = fingerprint(finding.rule_id, finding.path, finding.evidence, ordinal)
        numbered.append(replace(finding, fingerprint=marked) if ordinal else finding)
    return numbered
