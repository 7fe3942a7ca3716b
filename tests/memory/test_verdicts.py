"""Dismissed findings: never again for that code, and for no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory import admin
from memory.ledger import Ledger
from memory.verdicts import LedgerVerdicts
from schema.finding import Finding
from schema.source import Source
from tests.fakes import a_finding
from tests.memory.recalls import python
from tests.memory.rows import MEAN, Clock, an_experience, prepared

LOOP = "def first(values):\n    for value in values:\n        print(value)\n"
TWO = f"{LOOP}\n\ndef second(values):\n    for value in values:\n        print(value)\n"


def loop_at(line: int, **changes: object) -> Finding:
    """The same complaint about a loop, at a line."""
    return replace(a_finding(line, "bugs/loop", start_column=5, evidence="    for value in values:", fingerprint=f"f{line}"), **changes)  # type: ignore[arg-type]  # fields of Finding


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A home without a ledger."""
    return Ledger(tmp_path / "ledger.sqlite3", clock=Clock())


@pytest.fixture
def verdicts(ledger: Ledger) -> LedgerVerdicts:
    """Its verdicts."""
    return LedgerVerdicts(ledger, "project")


def test_a_dismissed_finding_stays_dismissed_for_the_same_code(verdicts: LedgerVerdicts) -> None:
    """Pasted again it is known, with another fingerprint and after any other path, too; the neighbour is not touched."""
    verdicts.dismiss(python(TWO), [loop_at(2)])

    assert verdicts.dismissed(python(TWO), [loop_at(2), loop_at(7)]) == {"f2"}
    assert verdicts.dismissed(Source(LOOP, "python", "src/a.py"), [loop_at(2, fingerprint="x", path="src/a.py")]) == {"x"}


def test_it_moves_with_its_function(verdicts: LedgerVerdicts) -> None:
    """What stands around the function does not count."""
    verdicts.dismiss(python(TWO), [loop_at(7)])

    assert verdicts.dismissed(python("import os\n\n\n" + TWO.replace("first", "other")), [loop_at(10)]) == {"f10"}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (LOOP.replace("print(value)", "print(values)"), loop_at(2)),
        (LOOP, loop_at(2, rule_id="bugs/other")),
        (LOOP, loop_at(2, start_column=9)),
        (LOOP + "\nfor value in values:\n    print(value)\n", loop_at(5, start_column=1)),
    ],
)
def test_other_code_is_not_dismissed(verdicts: LedgerVerdicts, code: str, found: Finding) -> None:
    """Another text of the function, another rule, another place: it is reported, although the line reads the same."""
    verdicts.dismiss(python(LOOP), [loop_at(2)])

    assert verdicts.dismissed(python(code), [found]) == frozenset()


def test_another_language_is_other_code(verdicts: LedgerVerdicts) -> None:
    """The same text under another name of a language is not looked at the same way."""
    verdicts.dismiss(Source("x = 1\n", "python"), [loop_at(1)])

    assert verdicts.dismissed(Source("x = 1\n", "ruby"), [loop_at(1)]) == frozenset()


def test_a_model_s_finding_is_known_by_its_line(verdicts: LedgerVerdicts) -> None:
    """It quotes a little more or less each time."""
    verdicts.dismiss(python(LOOP), [loop_at(2, source="model:m", start_column=5)])

    assert verdicts.dismissed(python(LOOP), [loop_at(2, source="model:m", start_column=9)]) == {"f2"}


def test_outside_of_functions_the_whole_text_counts(verdicts: LedgerVerdicts) -> None:
    """A line of a script says little by itself."""
    verdicts.dismiss(python("a = 1\nb = 2\n"), [loop_at(1)])

    assert verdicts.dismissed(python("a = 1\nb = 2\n"), [loop_at(1)]) == {"f1"}
    assert verdicts.dismissed(python("a = 1\nb = 3\n"), [loop_at(1)]) == frozenset()


def test_a_dismissal_can_be_taken_back(verdicts: LedgerVerdicts) -> None:
    """And dismissing twice is dismissing."""
    verdicts.dismiss(python(LOOP), [loop_at(2)])
    verdicts.dismiss(python(LOOP), [loop_at(2)])
    verdicts.restore(python(LOOP), [loop_at(2)])

    assert verdicts.dismissed(python(LOOP), [loop_at(2)]) == frozenset()


def test_asking_makes_no_ledger(verdicts: LedgerVerdicts, ledger: Ledger) -> None:
    """A look-up leaves nothing behind."""
    assert verdicts.dismissed(python(LOOP), [loop_at(2)]) == frozenset()
    assert not ledger.path.exists()


def test_forgetting_an_experience_forgets_what_was_said_of_its_code(verdicts: LedgerVerdicts, ledger: Ledger) -> None:
    """No row speaks of it any more; those of other code stay."""
    saved = ledger.store([prepared(an_experience())])[0]
    verdicts.dismiss(python(MEAN), [loop_at(2)])
    verdicts.dismiss(python(LOOP), [loop_at(2)])

    admin.forget(ledger, saved.id or "")

    assert verdicts.dismissed(python(MEAN), [loop_at(2)]) == frozenset()
    assert verdicts.dismissed(python(LOOP), [loop_at(2)]) == {"f2"}
