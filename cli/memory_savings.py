"""What `memory stats` says of savings: the sums in sentences, and a small chart of the last days or weeks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from reports.chart import columns
from reports.wrap import wrap

DAYS, WEEKS = 30, 12
_WEEK = 7
_WEEK_CELLS = 2
_LEAD = 5
"""Cells of the scale at the left."""

Plain = Mapping[str, Any]


def savings_text(report: Plain, width: int, *, ascii_only: bool) -> str:
    """The sums, then the chart of the last 30 days, and that of 12 weeks where numbers are older; 40 cells are enough for it."""
    lines = [line for sentence in sentences(report["total"]) for line in wrap(sentence, width)]
    days = {date.fromisoformat(each["day"]): each for each in report["days"]}
    today = date.fromisoformat(report["today"])
    if any(each["answers"] for each in days.values()):
        lines += _charts(days, today, ascii_only=ascii_only)
    return "\n".join(lines) + "\n"


def sentences(total: Plain) -> Iterator[str]:
    """What was spared as far as it was recorded, what is not known of it, and what was spent."""
    answers = total["answers"]
    if not answers:
        yield "savings: memory has given no answer that counts yet"
    elif answers == total["without_model"]:
        yield f"savings: {_many(answers, 'answer')} from memory; no call was spared, as no model is configured that would have been asked"
    else:
        yield f"savings: {_many(answers, 'answer')} from memory spared {_used(total['calls'], _tokens(total, ''), _spared_money(total))}"
    for count, why in (
        (total["unrecorded"], "what making the fix had cost was not recorded, so nothing is counted for it"),
        (total["unpriced"], "the price of those calls is not known"),
        (total["without_model"] if answers > total["without_model"] else 0, "no model would have been asked"),
    ):
        if count:
            yield f"  of these {count:,}: {why}"
    spent = total["spent_calls"]
    if not spent:
        yield "spent: no model call yet"
        return
    unknown = total["spent_unpriced"]
    note = f" (without {_many(unknown, 'task')} whose price is not known)" if unknown and total["spent_usd"] else ""
    money = "cost unknown" if unknown and not total["spent_usd"] else _usd(total["spent_usd"])
    yield f"spent: {_used(spent, _tokens(total, 'spent_'), money)}{note}"


def _charts(days: Mapping[date, Plain], today: date, *, ascii_only: bool) -> Iterator[str]:
    """Answers from memory: whether they spared a call depends on what stood ready to be called."""
    last = [today - timedelta(days=DAYS - 1 - number) for number in range(DAYS)]
    yield from _chart("answers a day, 30 days", [_answers(days, day, 1) for day in last], 1, (last[0], last[-1]), ascii_only=ascii_only)
    if min(days) < last[0]:
        weeks = [today - timedelta(days=_WEEK * (WEEKS - number) - 1) for number in range(WEEKS)]
        values = [_answers(days, start, _WEEK) for start in weeks]
        yield from _chart("answers a week, 12 weeks", values, _WEEK_CELLS, (weeks[0], today), ascii_only=ascii_only)


def _answers(days: Mapping[date, Plain], start: date, count: int) -> int:
    return sum(days[day]["answers"] for number in range(count) if (day := start + timedelta(days=number)) in days)


def _chart(title: str, values: Sequence[int], cells: int, ends: tuple[date, date], *, ascii_only: bool) -> Iterator[str]:
    """Four lines of columns with the largest number at the top left, and the first and last day below."""
    drawn = columns([value for value in values for _ in range(cells)], ascii_only=ascii_only)
    scale = [f"{max(values):>{_LEAD - 1}} ", *[" " * _LEAD] * (len(drawn) - 1)]
    yield f"{title}:"
    yield from (f"{lead}{line}".rstrip() for lead, line in zip(scale, drawn, strict=True))
    first, last = (f"{day:%m-%d}" for day in ends)
    yield f"{' ' * _LEAD}{first}{last:>{len(values) * cells - len(first)}}"


def _used(calls: int, tokens: int, money: str) -> str:
    """Calls, tokens and money in a row."""
    said = [_many(calls, "model call")]
    if calls:
        said += [f"{tokens:,} tokens", money]
    return ", ".join(said)


def _tokens(total: Plain, kind: str) -> int:
    return int(total[f"{kind}input_tokens"] + total[f"{kind}output_tokens"])


def _spared_money(total: Plain) -> str:
    if total["unpriced"] and not total["cost_usd"]:
        return "cost unknown"
    return f"at least {_usd(total['cost_usd'])}" if total["unpriced"] else _usd(total["cost_usd"])


def _usd(amount: float) -> str:
    return f"{amount:.4f} USD"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count != 1 else ''}"
