"""Right code is left alone: own snippets in the main languages, none of which may get a finding of medium or above."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.engine import RuleEngine
from rules.text_checks import TextAnalyzer
from schema.finding import severity_rank
from schema.source import Source

SNIPPETS = [
    pytest.param(path.name.partition(".")[0], code, id=f"{path.name.partition('.')[0]}-{number}")
    for path in sorted((Path(__file__).parent / "correct").glob("*.txt"))
    for number, code in enumerate(path.read_text(encoding="utf-8").split("####\n"), 1)
]
ENGINE = RuleEngine()


@pytest.mark.parametrize(("language", "code"), SNIPPETS)
def test_right_code_gets_no_finding_of_medium_or_above(language: str, code: str) -> None:
    """No rule and no check of characters takes right code for a defect."""
    found = ENGINE.analyze(Source(code, language)) + TextAnalyzer().analyze(Source(code, language))

    assert [(f.rule_id, f.start_line) for f in found if severity_rank(f.severity) >= severity_rank("medium")] == []


def test_there_are_snippets_of_every_main_language() -> None:
    """About forty snippets, in all languages that have rules."""
    assert len(SNIPPETS) >= 40
