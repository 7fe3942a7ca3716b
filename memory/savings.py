"""The book of savings: for each day what memory has spared and what was spent. Numbers only, so no text outlives `forget` here."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from errors import CodeMindError
from memory.ledger import Ledger
from schema.savings import Answer
from schema.usage import Usage

WAIT_S = 1.0
"""A count waits so long for another writer; then it is written with the next one."""


@dataclass(frozen=True)
class Savings:
    """Sums over a day, or all days. See `memory.schema_savings` for what each number counts; money is the known part of it."""

    answers: int = 0
    without_model: int = 0
    unrecorded: int = 0
    unpriced: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    spent_calls: int = 0
    spent_input_tokens: int = 0
    spent_output_tokens: int = 0
    spent_usd: float = 0.0
    spent_unpriced: int = 0

    def plus(self, other: Savings, sign: int = 1) -> Savings:
        """Both together; with a sign of -1 without the other."""
        return Savings(**{each.name: getattr(self, each.name) + sign * getattr(other, each.name) for each in fields(Savings)})

    @property
    def spared(self) -> Usage:
        """The same as model use; an answer whose price is unknown makes the money unknown."""
        return Usage(self.calls, self.input_tokens, self.output_tokens, None if self.unpriced else self.cost_usd)

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


NAMES = tuple(each.name for each in fields(Savings))
_ADD = (
    f"INSERT INTO savings (day, {', '.join(NAMES)}) VALUES (?, {', '.join('?' * len(NAMES))}) "  # noqa: S608 - our own names
    f"ON CONFLICT (day) DO UPDATE SET {', '.join(f'{name} = max({name} + excluded.{name}, 0)' for name in NAMES)}"
)
_TAKE = f"UPDATE savings SET {', '.join(f'{name} = max({name} - ?, 0)' for name in NAMES)} WHERE day = ?"  # noqa: S608 - as above


class LedgerSavings:
    """Counts into a ledger. It never delays an answer for long and never fails one: what can't be written now waits for the next count."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = Ledger(ledger.path, min(WAIT_S, ledger.lock_timeout_s), ledger.clock)
        self._waiting: list[tuple[str, Savings, int]] = []

    def count(self, answer: Answer | None, spent: Usage) -> Answer | None:
        """Add what a task has spent, and what memory has spared in it; the answer with its day. Nothing of both writes nothing."""
        added = savings_of(answer).plus(_spending(spent))
        if added == Savings():
            return answer
        day = f"{self._ledger.clock():%Y-%m-%d}"
        self._write(day, added, 1)
        return None if answer is None else replace(answer, day=day)

    def take_back(self, answer: Answer) -> None:
        """The answer was wrong, or not enough: it has spared nothing."""
        if answer.day:
            self._write(answer.day, savings_of(answer), -1)

    def give_back(self, answer: Answer) -> None:
        """Undo `take_back`."""
        if answer.day:
            self._write(answer.day, savings_of(answer), 1)

    def _write(self, day: str, change: Savings, sign: int) -> None:
        self._waiting.append((day, change, sign))
        try:
            with self._ledger.writing() as connection:
                for each in self._waiting:
                    add(connection, *each)
        except CodeMindError:
            return
        self._waiting = []


def add(connection: sqlite3.Connection, day: str, change: Savings, sign: int = 1) -> None:
    """Add to a day's numbers, or take off them; none falls below nothing."""
    values = [getattr(change, name) for name in NAMES]
    if sign > 0:
        connection.execute(_ADD, (day, *values))
    else:
        connection.execute(_TAKE, (*values, day))


def savings_of(answer: Answer | None) -> Savings:
    """One answer in numbers."""
    if answer is None:
        return Savings()
    spared = answer.spared
    return Savings(
        answers=1,
        without_model=int(answer.kind == "without_model"),
        unrecorded=int(answer.kind == "unrecorded"),
        unpriced=int(answer.kind == "unpriced"),
        calls=spared.calls,
        input_tokens=spared.input_tokens,
        output_tokens=spared.output_tokens,
        cost_usd=spared.cost_usd or 0.0,
    )


def _spending(spent: Usage) -> Savings:
    return Savings(
        spent_calls=spent.calls,
        spent_input_tokens=spent.input_tokens,
        spent_output_tokens=spent.output_tokens,
        spent_usd=spent.cost_usd or 0.0,
        spent_unpriced=int(spent.cost_usd is None and spent.calls > 0),
    )


def read_days(connection: sqlite3.Connection) -> dict[str, Savings]:
    """Every day that has numbers, oldest first."""
    rows = connection.execute(f"SELECT day, {', '.join(NAMES)} FROM savings ORDER BY day")  # noqa: S608 - our own names
    return {str(day): Savings(*numbers) for day, *numbers in rows}


def total(days: dict[str, Savings]) -> Savings:
    """All days together."""
    found = Savings()
    for each in days.values():
        found = found.plus(each)
    return found


def savings_report(ledger: Ledger) -> dict[str, Any]:
    """`total`, `today`, and `days`: one object for each day that has numbers, oldest first."""
    with ledger.reading() as connection:
        days = read_days(connection)
    series = [{"day": day, **each.as_plain()} for day, each in days.items() if each != Savings()]
    return {"total": total(days).as_plain(), "today": f"{ledger.clock():%Y-%m-%d}", "days": series}
