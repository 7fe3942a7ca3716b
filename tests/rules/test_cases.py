"""Every packaged rule against its own cases, fixes included."""

from __future__ import annotations

import pytest

from rules.cases import problems
from rules.load import load_rules
from rules.model import Rule

RULES = load_rules()


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_rule_holds_its_own_cases(rule: Rule) -> None:
    """Patterns compile; right code is not reported; wrong code is, on its lines, and its fix is the one shown; no case is idle."""
    assert problems(rule) == []


def test_the_required_rules_are_there() -> None:
    """The six rules that the product promises, and more."""
    ids = {rule.id for rule in RULES}

    assert {
        "bugs/division-by-length",
        "bugs/mutable-default",
        "reliability/swallowed-exception",
        "security/sql-by-concatenation",
        "async/blocking-call-in-async",
        "reliability/missing-range-check",
    } <= ids


def test_no_two_rules_claim_one_alias() -> None:
    """A finding of another engine belongs to one rule."""
    aliases = [alias for rule in RULES for alias in rule.aliases]

    assert len(aliases) == len(set(aliases))
