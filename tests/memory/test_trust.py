"""Which imports are quarantined."""

from __future__ import annotations

import pytest

from memory.trust import reason_to_quarantine
from schema.experience import Experience, Provenance
from tests.memory.trust_clean import CLEAN
from tests.memory.trust_examples import POISONED, Import


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
