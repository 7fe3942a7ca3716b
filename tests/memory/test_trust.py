"""Which imports are quarantined."""

from __future__ import annotations

import pytest

from memory.trust import reason_to_quarantine
from schema.experience import Experience, Provenance
from tests.memory.trust_clean import CLEAN
from tests.memory.trust_disguises import ADDED_LINES, DISGUISED_ORDERS, LOST_GUARDS
from tests.memory.trust_examples import MEAN, MEAN_FIXED, POISONED, Import


def _experience(example: Import) -> Experience:
    return Experience(example.language, example.buggy, example.fixed, example.explanation, Provenance("jsonl"))


@pytest.mark.parametrize("example", POISONED, ids=lambda example: example.name)
def test_a_poisoned_import_is_quarantined_with_a_reason(example: Import) -> None:
    """Orders, secrets, hidden characters and dangerous constructs that the buggy code lacks are seen."""
    assert reason_to_quarantine(_experience(example))


@pytest.mark.parametrize("example", CLEAN, ids=lambda example: example.name)
def test_an_ordinary_fix_is_not_quarantined(example: Import) -> None:
    """Words such as always, ignore or system, and calls that were there before, are no reason."""
    assert reason_to_quarantine(_experience(example)) == ""


def test_the_reason_is_one_line() -> None:
    """A reason is shown in lists, whatever the import holds."""
    for example in POISONED:
        assert "\n" not in reason_to_quarantine(_experience(example))


@pytest.mark.parametrize("order", DISGUISED_ORDERS)
def test_an_order_is_seen_however_it_is_written(order: str) -> None:
    """Other languages, look-alike and invisible letters, words split or spelt out, encoded text: in words and in comments."""
    spoken = Experience("python", MEAN, MEAN_FIXED, order, Provenance("jsonl"))
    comment = "".join(f"# {line}\n" for line in order.split("\n"))
    written = Experience("python", MEAN, comment + MEAN_FIXED, "An empty list.", Provenance("jsonl"))

    assert reason_to_quarantine(spoken)
    assert reason_to_quarantine(written)


@pytest.mark.parametrize(("language", "line"), [(language, line) for language, lines in ADDED_LINES.items() for line in lines])
def test_a_dangerous_call_is_seen_by_whatever_way_it_is_reached(language: str, line: str) -> None:
    """Aliases, reflection, joined names, suppressed checks."""
    added = Experience(language, "f(values);\n", f"f(values);\n    {line}\n", "why", Provenance("jsonl"))

    assert reason_to_quarantine(added)


@pytest.mark.parametrize(("language", "buggy", "fixed"), LOST_GUARDS)
def test_a_fix_that_takes_a_guard_away_is_quarantined(language: str, buggy: str, fixed: str) -> None:
    """Access checks, comparisons of secrets, escaping, assertions."""
    assert reason_to_quarantine(Experience(language, buggy, fixed, "why", Provenance("jsonl")))
