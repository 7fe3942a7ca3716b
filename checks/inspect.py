"""All static analysers as one: what they find, merged, sorted by place, one defect told once."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock

from checks.silenced import silenced, wholesale, without_directives
from errors import OperationError
from schema.finding import Finding, severity_rank
from schema.ports import Analyzer, Inspection
from schema.source import Source
from utils.edits import apply_edits
from utils.fingerprint import fingerprint

SYNTAX_RULE = "invalid-syntax"
"""The last part of a rule id that reports a text which does not parse."""

REMEMBERED_INSPECTIONS = 8
"""A task asks about its paste and a few candidate fixes, each more than once."""

SURE = 0.5
"""A rule that is less confident than this knows why it is not sure here: another analyser's verdict does not overrule it."""

BUILTIN_ALIASES: Mapping[str, frozenset[str]] = {
    "ruff/PLW0711": frozenset({"ruff/B030"}),
    "secrets/hard-coded-credential": frozenset({"ruff/S105", "ruff/S106", "ruff/S107"}),
}
"""Defects that analysers which know nothing of each other report both; YAML rules bring their own."""


_NOQA = re.compile(r"#\s*noqa\s*:\s*([\w/,\s-]+)$", re.IGNORECASE)


class StaticInspector:
    """Implements `schema.ports.Inspector`.

    `aliases`: rule id -> ids of other analysers' rules for the same defect; such a finding on an overlapping line is merged
    into the rule's own.
    """

    def __init__(self, analyzers: Sequence[Analyzer], aliases: Mapping[str, frozenset[str]] | None = None) -> None:
        self._analyzers = tuple(analyzers)
        self._aliases = {**BUILTIN_ALIASES, **(aliases or {})}
        self._recent: OrderedDict[Source, Inspection] = OrderedDict()
        self._lock = Lock()

    def inspect(self, source: Source) -> Inspection:
        """Run every analyser that knows the language; the last few answers are kept.

        An analyser that can't run (its program is missing, or it gives up on this text) becomes a note: the others' findings
        are worth having.
        """
        with self._lock:
            if source in self._recent:
                self._recent.move_to_end(source)
                return self._recent[source]
        inspection = self._run_all(source)
        with self._lock:
            self._recent[source] = inspection
            while len(self._recent) > REMEMBERED_INSPECTIONS:
                self._recent.popitem(last=False)
        return inspection

    def basis(self) -> str:
        """Sixteen hex digits over all analysers' versions and the aliases."""
        versions = sorted(analyzer.version() for analyzer in self._analyzers)
        aliases = sorted(f"{rule}={','.join(sorted(others))}" for rule, others in self._aliases.items())
        return hashlib.sha256("\x00".join([*versions, *aliases]).encode()).hexdigest()[:16]

    def _run_all(self, source: Source) -> Inspection:
        """What is reported, and what would be if no comment in the code silenced it."""
        found, checked, notes = self._found(source)
        bare = replace(source, text=without_directives(source.text, source.language))
        quiet = () if bare == source else silenced(found, self._found(bare)[0], source.text)
        return Inspection(tuple(found), checked, notes, quiet, wholesale(quiet, self._aliases, source.text))

    def _found(self, source: Source) -> tuple[list[Finding], tuple[str, ...], tuple[str, ...]]:
        """The findings, who looked, and who could not."""
        found: list[Finding] = []
        checked: list[str] = []
        notes: list[str] = []
        for analyzer in self._analyzers:
            if not analyzer.supports(source.language):
                continue
            try:
                found += analyzer.analyze(source)
            except OperationError as error:
                notes.append(f"{analyzer.describe(source.language)} did not check this: {error.message}")
            else:
                checked.append(analyzer.describe(source.language))
        wanted = [finding for finding in found if not is_silenced(finding, self._aliases)]
        explained = self._without_explained_syntax(wanted, source)
        merged = merge_duplicates(explained, self._aliases)
        return with_ordinals(sorted(merged, key=by_place)), tuple(dict.fromkeys(checked)), tuple(notes)

    def _without_explained_syntax(self, found: list[Finding], source: Source) -> list[Finding]:
        """Drop syntax errors that a `text/` finding with a fix explains: those that are gone once its fix is in.

        One full-width colon makes a parser complain three times about everything but the colon.
        """
        broken = [finding for finding in found if is_syntax(finding)]
        edits = [edit for finding in found if finding.rule_id.startswith("text/") and finding.fix for edit in finding.fix.edits]
        if not broken or not edits:
            return found
        try:
            mended = replace(source, text=apply_edits(source.text, edits))
        except ValueError:
            return found
        still = {finding.start_line for finding in self._syntax_findings(mended)}
        return [finding for finding in found if not is_syntax(finding) or finding.start_line in still]

    def _syntax_findings(self, source: Source) -> list[Finding]:
        found: list[Finding] = []
        for analyzer in self._analyzers:
            if analyzer.supports(source.language):
                try:
                    found += [finding for finding in analyzer.analyze(source) if is_syntax(finding)]
                except OperationError:
                    # Told in a note already, when the same analyser read the unchanged text.
                    continue
        return found


def is_silenced(finding: Finding, aliases: Mapping[str, frozenset[str]]) -> bool:
    """True when a `# noqa` at the end of its last line names the rule that the finding is an alias of: that analyser can't know it."""
    directive = _NOQA.search(finding.evidence.rpartition("\n")[2])
    if directive is None:
        return False
    named = set(re.findall(r"[\w/-]+", directive[1].lower()))
    return any(finding.rule_id in others and named & {rule, rule.rpartition("/")[2]} for rule, others in aliases.items())


def is_syntax(finding: Finding) -> bool:
    """True for a report that the text does not parse."""
    return finding.rule_id.rpartition("/")[2] == SYNTAX_RULE


def by_place(finding: Finding) -> tuple[int, int, int, str]:
    """Sort key: line, column, worst first, rule."""
    return finding.start_line, finding.start_column, -severity_rank(finding.severity), finding.rule_id


def merge_duplicates(found: Iterable[Finding], aliases: Mapping[str, frozenset[str]]) -> list[Finding]:
    """One finding a defect: the same rule at the same place once, and no alias beside the rule that it stands for.

    The rule that stays takes over the worse severity, and the alias's fix when it has none of its own, unless it is unsure.
    """
    unique = {(f.rule_id, f.start_line, f.start_column, f.end_line, f.end_column): f for f in reversed(list(found))}
    candidates = list(reversed(unique.values()))
    at_line: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for index, finding in enumerate(candidates):
        for line in range(finding.start_line, finding.end_line + 1):
            at_line[finding.rule_id, line].append(index)
    merged: set[int] = set()
    for index, owner in enumerate(candidates):
        lines = range(owner.start_line, owner.end_line + 1)
        doubles = {double for alias in aliases.get(owner.rule_id, ()) for line in lines for double in at_line[alias, line]}
        candidates[index] = _absorb(owner, [candidates[double] for double in sorted(doubles)]) if doubles else owner
        merged |= doubles
    return [finding for index, finding in enumerate(candidates) if index not in merged]


def _absorb(owner: Finding, doubles: Sequence[Finding]) -> Finding:
    if owner.confidence < SURE:
        return owner
    worst = max((owner, *doubles), key=lambda finding: severity_rank(finding.severity))
    fix = owner.fix or next((double.fix for double in doubles if double.fix is not None), None)
    return replace(owner, severity=worst.severity, fix=fix)


def with_ordinals(found: Iterable[Finding]) -> list[Finding]:
    """Fingerprints that tell equal evidence of one rule apart: the second such finding gets ordinal 1, and so on."""
    seen: Counter[tuple[str, str, str]] = Counter()
    numbered: list[Finding] = []
    for finding in found:
        key = (finding.rule_id, finding.path, " ".join(finding.evidence.split()))
        ordinal, seen[key] = seen[key], seen[key] + 1
        numbered.append(replace(finding, fingerprint=fingerprint(finding.rule_id, finding.path, finding.evidence, ordinal)))
    return numbered
