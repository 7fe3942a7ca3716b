"""What memory has spared and what was spent, counted day by day, and nothing that is not known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory import admin
from memory.ledger import Ledger
from memory.savings import LedgerSavings, Savings, savings_report
from schema.fix import Origin
from schema.match import Match
from schema.record import TaskRecord
from schema.savings import Answer, answer_of
from schema.usage import Usage
from tests.fakes import a_fix, a_match, verified
from tests.memory.rows import MEAN, Clock, an_experience, prepared

DEAR = Usage(3, 900, 120, 0.5)
UNPRICED = Usage(2, 10, 5, None)
SPARED = Answer("spared", DEAR)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A home without a ledger."""
    return Ledger(tmp_path / "ledger.sqlite3", clock=Clock())


@pytest.fixture
def book(ledger: Ledger) -> LedgerSavings:
    """Its book."""
    return LedgerSavings(ledger)


def total(ledger: Ledger) -> Savings:
    """All days together."""
    return Savings(**savings_report(ledger)["total"])


def answered(spared: Usage | None = DEAR, *, origin: Origin = "memory", **changes: object) -> TaskRecord:
    """A task with a model that memory has answered."""
    match: Match = a_match("IDENTICAL", spared=spared)
    record = TaskRecord("1", "python", "openai", match, fix=a_fix(origin=origin))
    return replace(record, **changes)  # type: ignore[arg-type]  # fields of TaskRecord


def test_an_answer_spares_what_making_its_fix_had_cost() -> None:
    """Calls, tokens and money; carried over to other code, too."""
    assert answer_of(answered()) == SPARED
    assert answer_of(answered(origin="transfer")) == SPARED


def test_what_was_not_recorded_is_not_guessed() -> None:
    """No record of the calls: an answer of which nothing is known. No price: the calls are known, the money is not."""
    assert answer_of(answered(None)) == Answer("unrecorded")
    assert answer_of(answered(Usage())) == Answer("unrecorded")
    assert answer_of(answered(UNPRICED)) == Answer("unpriced", UNPRICED)


def test_without_a_model_no_call_is_spared() -> None:
    """Even when a model had made the fix once: none would have been asked now."""
    assert answer_of(answered(provider="static")) == Answer("without_model")
    assert answer_of(answered(provider="disabled")) == Answer("without_model")


@pytest.mark.parametrize(
    "record",
    [
        answered(llm=Usage(1, 10, 10, 0.01)),
        answered(origin="rules"),
        answered(origin="model"),
        answered(fix=None),
        answered(error={"code": "memory_locked", "message": "..."}),
        answered(fix=a_fix(origin="memory", verification=verified("parses", tests=False))),
    ],
)
def test_what_is_no_answer_of_memory_spares_nothing(record: TaskRecord) -> None:
    """A model was asked all the same, the fix came from elsewhere, there is none, the task failed, or the user's tests refuse it."""
    assert answer_of(record) is None


def test_answers_and_spending_are_added_up(book: LedgerSavings, ledger: Ledger) -> None:
    """What is unknown is counted apart and adds no money."""
    for answer in (SPARED, SPARED, Answer("unpriced", UNPRICED), Answer("unrecorded"), Answer("without_model")):
        counted = book.count(answer, Usage())
        assert counted == replace(answer, day="2026-11-30")
    book.count(None, Usage(4, 100, 50, 0.25))
    book.count(None, Usage(1, 7, 0, None))

    assert total(ledger) == Savings(
        answers=5,
        without_model=1,
        unrecorded=1,
        unpriced=1,
        calls=8,
        input_tokens=1810,
        output_tokens=245,
        cost_usd=1.0,
        spent_calls=5,
        spent_input_tokens=107,
        spent_output_tokens=50,
        spent_usd=0.25,
        spent_unpriced=1,
    )
    assert admin.stats(ledger).spared == Usage(8, 1810, 245, None)


def test_a_task_that_spent_and_spared_nothing_is_not_written(book: LedgerSavings, ledger: Ledger) -> None:
    """No ledger is made for it."""
    assert book.count(None, Usage()) is None
    assert not ledger.path.exists()


def test_an_answer_can_be_taken_back_and_given_again(book: LedgerSavings, ledger: Ledger) -> None:
    """From the day under which it was counted, whatever day it is."""
    counted = book.count(SPARED, Usage())
    assert counted is not None
    clock = ledger.clock
    assert isinstance(clock, Clock)
    clock.now += timedelta(days=3)
    book.count(SPARED, Usage())

    book.take_back(counted)
    days = savings_report(ledger)["days"]
    assert [(each["day"], each["answers"], each["calls"]) for each in days] == [("2026-12-03", 1, 3)]

    book.give_back(counted)
    assert [each["day"] for each in savings_report(ledger)["days"]] == ["2026-11-30", "2026-12-03"]
    assert total(ledger).cost_usd == 1.0


def test_an_answer_that_was_not_written_is_not_taken_back(book: LedgerSavings, ledger: Ledger) -> None:
    """A session that saves nothing counts for itself only."""
    book.take_back(SPARED)
    book.give_back(SPARED)

    assert not ledger.path.exists()


def test_forgetting_an_experience_leaves_the_numbers(book: LedgerSavings, ledger: Ledger) -> None:
    """They hold no text, and what was spared was spared."""
    saved = ledger.store([prepared(an_experience())])[0]
    book.count(SPARED, Usage())

    admin.forget(ledger, saved.id or "")

    assert total(ledger).calls == 3
    with ledger.reading() as connection:
        texts = [value for row in connection.execute("SELECT * FROM savings") for value in row if isinstance(value, str)]
    assert texts == ["2026-11-30"]
    assert MEAN not in texts


@contextmanager
def written_by_another(ledger: Ledger) -> Iterator[None]:
    """Another process holds the ledger meanwhile."""
    with ledger.exclusive():
        yield


def test_a_count_that_can_not_be_written_waits_for_the_next(ledger: Ledger) -> None:
    """It fails no answer, and nothing is lost or counted twice."""
    book = LedgerSavings(Ledger(ledger.path, 0.05, ledger.clock))
    ledger.store([prepared(an_experience())])
    with written_by_another(ledger):
        book.count(SPARED, Usage())
    assert total(ledger) == Savings()

    book.count(SPARED, Usage())

    assert total(ledger).answers == 2


def test_an_empty_home_has_a_report(ledger: Ledger) -> None:
    """Of nothing; the home stays empty."""
    assert savings_report(ledger)["days"] == []
    assert not ledger.path.exists()
