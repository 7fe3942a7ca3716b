"""Static findings before and after a fix: which are gone, which are new.

Lines move and the evidence of a line with two findings changes when one of them is mended, so findings pair by what they say:
first the same rule on the same text in the same function, then the same rule on the same text anywhere, then the same rule in
the same function. What stays without a partner is gone, or new.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from schema.finding import Finding, severity_rank
from schema.fix import Check
from schema.ports import Inspection, Inspector
from schema.source import Source
from utils.syntax import blocks

COUNTS_AS_NEW = severity_rank("medium")
MAX_NAMED = 3
"""Rules in one sentence."""

Placed = tuple[Finding, str]
"""A finding and the qualified name of the function or class it stands in; empty at the top level."""


@dataclass(frozen=True)
class Comparison:
    """Static findings of both texts; `targets` are those that the fix is meant to mend, at their place in the old text."""

    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    targets: tuple[Finding, ...]
    static_targets: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    new: tuple[Finding, ...]
    blind: tuple[str, ...] = ()
    """Analysers that checked the old text and could not check the new one: what they do not report may be there all the same."""

    def findings_gone(self) -> Check:
        """Passed when every static finding that was to be mended is gone, and there was at least one."""
        if self.blind:
            return Check("findings_gone", False, f"{self.blind[0]} could not check the fixed code")
        if not self.static_targets:
            return self._anything_gone()
        still = [target for target in self.static_targets if not any(target is finding for finding in self.gone)]
        if still:
            return Check("findings_gone", False, f"{still[0].rule_id} is still there")
        return Check("findings_gone", True, f"{_rules(self.static_targets)} {'is' if len(self.static_targets) == 1 else 'are'} gone")

    def nothing_new(self) -> Check:
        """Failed by a new finding of medium or above, or of a rule that was to be mended."""
        rules = {target.rule_id for target in self.static_targets}
        worse = [f for f in self.new if severity_rank(f.severity) >= COUNTS_AS_NEW or f.rule_id in rules]
        if worse:
            return Check("nothing_new", False, f"new: {worse[0].rule_id} in line {worse[0].start_line}")
        if self.blind:
            return Check("nothing_new", False, f"{self.blind[0]} could not check the fixed code")
        return Check("nothing_new", True)

    def _anything_gone(self) -> Check:
        """When it is not known what the fix is for: at least one static finding went."""
        if self.targets:
            return Check("findings_gone", False, "no rule or linter reports what this mends")
        if not self.before:
            return Check("findings_gone", False, "no rule or linter had found anything")
        if not self.gone:
            return Check("findings_gone", False, "no static finding went")
        return Check("findings_gone", True, f"{_rules(self.gone)} {'is' if len(self.gone) == 1 else 'are'} gone")


def compare(before: Source, after: Source, findings: Sequence[Finding], inspector: Inspector) -> Comparison:
    """Inspect both texts and pair the findings. What a comment of the fix silences is still there."""
    seen, seen_after = inspector.inspect(before), inspector.inspect(after)
    had, has = seen.findings, (*seen_after.findings, *_silenced_by_fix(seen, seen_after))
    gone, new = _placed(had, before), _placed(has, after)
    for key in (_same_here, _same_text, _same_function):
        gone, new = _unpaired(gone, new, key)
    lost = tuple(finding for finding, _ in gone)
    targets, static_targets = _targets(findings, had, lost)
    blind = tuple(name for name in seen.checked if name not in seen_after.checked)
    return Comparison(had, has, targets, static_targets, lost, tuple(finding for finding, _ in new), blind)


def _silenced_by_fix(before: Inspection, after: Inspection) -> list[Finding]:
    """Silenced findings of a rule beyond as many as there were."""
    were = Counter(finding.rule_id for finding in before.silenced)
    added = []
    for finding in after.silenced:
        were[finding.rule_id] -= 1
        if were[finding.rule_id] < 0:
            added.append(finding)
    return added


def _placed(found: Sequence[Finding], source: Source) -> list[Placed]:
    """Blocks come outer before inner, so that the innermost name stays on each line."""
    name_of_line: dict[int, str] = {}
    for block in blocks(source.text, source.language) if found else ():
        name_of_line.update(dict.fromkeys(range(block.start_line, block.end_line + 1), block.qualname))
    return [(finding, name_of_line.get(finding.start_line, "")) for finding in found]


def _same_here(placed: Placed) -> Hashable:
    return placed[0].rule_id, placed[1], _text(placed[0])


def _same_text(placed: Placed) -> Hashable:
    return placed[0].rule_id, _text(placed[0])


def _same_function(placed: Placed) -> Hashable:
    return placed[0].rule_id, placed[1]


def _text(finding: Finding) -> str:
    return " ".join(finding.evidence.split())


def _unpaired(gone: list[Placed], new: list[Placed], key: Callable[[Placed], Hashable]) -> tuple[list[Placed], list[Placed]]:
    """What is left of both sides when findings with the same key have paired off, in their order."""
    waiting: defaultdict[Hashable, deque[Placed]] = defaultdict(deque)
    for placed in new:
        waiting[key(placed)].append(placed)
    left: list[Placed] = []
    for placed in gone:
        partners = waiting[key(placed)]
        if partners:
            partners.popleft()
        else:
            left.append(placed)
    unmatched = {id(placed) for partners in waiting.values() for placed in partners}
    return left, [placed for placed in new if id(placed) in unmatched]


def _targets(
    findings: Sequence[Finding], had: Sequence[Finding], gone: Sequence[Finding]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The given findings at their place in the old text, and those of them that the inspection has."""
    targets: list[Finding] = []
    static: list[Finding] = []
    taken: set[int] = set()
    for finding in findings:
        match = _found_again(finding, [one for one in had if id(one) not in taken], {id(one) for one in gone})
        targets.append(match or finding)
        if match is not None:
            taken.add(id(match))
            static.append(match)
    return tuple(targets), tuple(static)


def _found_again(finding: Finding, had: Sequence[Finding], gone: set[int]) -> Finding | None:
    """The finding among those of the old text; None for a model's.

    A caller may have mended several one after another, each at its place in a text that was changed by then, so rule and
    evidence count for more than the line. Of two on one line, whose evidence is the same, the one that went is meant.
    """
    same = [one for one in had if one.rule_id == finding.rule_id]
    went = [one for one in same if id(one) in gone]
    return (
        _first(went, lambda one: one.fingerprint == finding.fingerprint)
        or _first(went, lambda one: one.start_line == finding.start_line and _text(one) == _text(finding))
        or _first(same, lambda one: one.fingerprint == finding.fingerprint)
        or _first(went, lambda one: _text(one) == _text(finding))
        or _first(same, lambda one: _text(one) == _text(finding) or one.start_line == finding.start_line)
    )


def _first(found: Sequence[Finding], wanted: Callable[[Finding], bool]) -> Finding | None:
    return next((one for one in found if wanted(one)), None)


def _rules(findings: Sequence[Finding]) -> str:
    return ", ".join(sorted({finding.rule_id for finding in findings})[:MAX_NAMED])
