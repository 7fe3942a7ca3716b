"""Every language of the product gets the same treatment: layout is nothing, names are little, a function is found beside another."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.keys import exact_key, renamed_key
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from schema.experience import Experience, Provenance
from schema.source import Source
from tests.memory.languages import SAMPLES
from tests.memory.rows import Clock
from utils.language_names import CODE

each_language = pytest.mark.parametrize("language", SAMPLES)


@pytest.fixture
def memory(tmp_path: Path, language: str) -> LongTermMemory:
    """Holds the sample of the language."""
    made = LongTermMemory(Ledger(tmp_path / "ledger.sqlite3", clock=Clock()))
    sample = SAMPLES[language]
    made.remember(Experience(language, sample.buggy, sample.fixed, "Why.", Provenance("jsonl", "samples")))
    return made


def test_there_is_a_sample_for_each_language() -> None:
    """None that detection names is left out."""
    assert sorted(SAMPLES) == sorted(CODE)


@each_language
def test_another_layout_is_identical(memory: LongTermMemory, language: str) -> None:
    """Line ends, indentation, blanks and comments: the same key, and the fix in the paste's layout."""
    sample = SAMPLES[language]

    recalled = memory.recall(Source(sample.relaid, language))

    assert (recalled.match.status, recalled.match.tier) == ("IDENTICAL", "exact")
    assert recalled.fix is not None
    assert exact_key(recalled.fix.code, language) == exact_key(sample.fixed, language)


@each_language
def test_other_names_are_similar(memory: LongTermMemory, language: str) -> None:
    """One for one: SIMILAR by the renamed key, with a fix in the paste's names."""
    sample = SAMPLES[language]

    recalled = memory.recall(Source(sample.renamed, language))

    assert (recalled.match.status, recalled.match.tier) == ("SIMILAR", "renamed")
    assert recalled.fix is not None
    assert renamed_key(recalled.fix.code, language) == renamed_key(sample.fixed, language)


@each_language
def test_it_is_found_beside_another(memory: LongTermMemory, language: str) -> None:
    """In a longer paste its lines are a region, and only they."""
    sample = SAMPLES[language]
    paste = f"{sample.other}\n{sample.renamed}"
    first = sample.other.count("\n") + 2

    match = memory.recall(Source(paste, language)).match

    (region,) = match.regions
    assert (region.start_line, region.end_line, region.tier) == (first, paste.count("\n"), "renamed")
    assert 0 < match.coverage < 1


@each_language
def test_the_fixed_side_is_seen_to_be_fixed(memory: LongTermMemory, language: str) -> None:
    """In whatever layout, and without a fix."""
    recalled = memory.recall(Source(SAMPLES[language].fixed.replace("\n", "\n\n"), language))

    assert (recalled.match.status, recalled.match.already_fixed, recalled.fix) == ("NONE", True, None)
