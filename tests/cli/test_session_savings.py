"""Savings as a session counts and shows them, and `memory stats` with its chart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.memory_savings import savings_text
from tests.cli.commanding import Commanded, commanded
from tests.cli.harness import KEEP, CommandLine
from tests.cli.test_model_session import ANSWERS, SECOND, with_model
from tests.memory.rows import MEAN, MEAN_FIXED
from tests.model_server import ModelServer

PRICES = {"LLM_PRICE_INPUT": "1", "LLM_PRICE_OUTPUT": "10"}
NEAR = "def mean(values):\n    print('mean')\n    return sum(values) / len(values)\n"
NOTHING: dict[str, Any] = {
    name: 0
    for name in (
        *("answers", "without_model", "unrecorded", "unpriced", "calls", "input_tokens", "output_tokens", "cost_usd"),
        *("spent_calls", "spent_input_tokens", "spent_output_tokens", "spent_usd", "spent_unpriced"),
    )
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that finds an error and mends it in three calls."""
    with ModelServer(answers=ANSWERS) as made:
        yield made


@pytest.fixture
def session(tmp_path: Path, server: ModelServer) -> Iterator[Commanded]:
    """A session with that model and its prices."""
    made = commanded(tmp_path / "home", server, LLM_PRICE_INPUT="1", LLM_PRICE_OUTPUT="10")
    yield made
    made.close()


def total(folder: Path) -> dict[str, Any]:
    """What the book of that home holds, without what is nothing."""
    counted = CommandLine(folder / "home").run("memory", "stats", "--json").record["savings"]["total"]
    return {name: value for name, value in counted.items() if value}


def spent(calls: int) -> dict[str, Any]:
    """So many calls at the prices."""
    return {
        "spent_calls": calls,
        "spent_input_tokens": 100 * calls,
        "spent_output_tokens": 20 * calls,
        "spent_usd": pytest.approx(0.0003 * calls),
    }


SPARED = {"answers": 1, "calls": 3, "input_tokens": 300, "output_tokens": 60, "cost_usd": pytest.approx(0.0009)}


def test_a_second_paste_spares_what_the_first_has_spent(session: Commanded, tmp_path: Path) -> None:
    """In the report, the line below the prompt, /provider, and for good."""
    session.paste(SECOND)
    assert total(tmp_path) == spent(3)

    assert "memory saved 3 model calls (0.0009 USD)" in session.paste(SECOND)

    status = session.counter.status()
    assert (status.calls, status.calls_spared, status.answers) == (3, 3, 1)
    assert status.spared_usd == pytest.approx(0.0009)
    assert "1 answer from memory spared 3 model calls, 360 tokens, 0.0009 USD." in session.do("/provider")
    assert total(tmp_path) == {**spent(3), **SPARED}


def test_a_rejected_answer_has_spared_nothing_until_that_is_taken_back(session: Commanded, tmp_path: Path) -> None:
    """/reject takes it out of all sums, /undo puts it back, and the rejection after that counts again."""
    session.paste(SECOND)
    session.paste(SECOND)

    session.do("/reject")
    assert (session.counter.status().answers, session.counter.status().calls_spared) == (0, 0)
    assert total(tmp_path) == spent(3)

    session.do("/undo")
    assert session.counter.status().calls_spared == 3
    assert total(tmp_path) == {**spent(3), **SPARED}

    session.do("/reject")
    assert total(tmp_path) == spent(3)


def test_an_accepted_answer_stays_counted_once(session: Commanded, tmp_path: Path) -> None:
    """Its acceptance, and that this is taken back, change nothing."""
    session.paste(SECOND)
    session.paste(SECOND)
    session.do("/accept")
    session.do("/undo")

    assert total(tmp_path) == {**spent(3), **SPARED}


def test_asking_again_past_the_memory_takes_the_saving_back(session: Commanded, tmp_path: Path) -> None:
    """The calls were made after all."""
    session.paste(SECOND)
    session.paste(SECOND)
    session.do("/retry")

    assert session.counter.status().answers == 0
    assert total(tmp_path) == spent(6)


def test_a_failed_task_s_calls_are_spent(tmp_path: Path) -> None:
    """Money that brought nothing is money."""
    from tests.model_replies import Reply  # the only test with a fault

    with ModelServer(Reply("refusal", always=True), answers=ANSWERS) as server:
        ran = with_model(CommandLine(tmp_path / "home"), server, **PRICES).run("--json", stdin=SECOND)

    assert ran.record["error"] is not None
    assert total(tmp_path)["spent_calls"] == ran.record["llm"]["calls"] > 0


def test_an_import_s_answer_is_counted_apart(session: Commanded, tmp_path: Path) -> None:
    """Nobody knows what making that fix had cost."""
    seeds = tmp_path / "seeds.jsonl"
    seeds.write_text(json.dumps({"code": MEAN, "fixed_code": MEAN_FIXED, "explanation": "An empty list.", "language": "python"}) + "\n")
    assert CommandLine(tmp_path / "home").run("memory", "seed", "--jsonl", str(seeds)).status == 0

    session.paste(MEAN)

    assert total(tmp_path) == {"answers": 1, "unrecorded": 1}
    assert "it is not known what the fix had cost" in session.do("/provider")
    said = CommandLine(tmp_path / "home").run("memory", "stats").out
    assert "of these 1: what making the fix had cost was not recorded, so nothing is counted for it" in " ".join(said.split())


def test_a_static_session_says_that_there_is_no_call_to_spare(codemind: CommandLine, tmp_path: Path) -> None:
    """Answers are counted, calls are not: none would have been made."""
    session = commanded(tmp_path / "home")
    try:
        session.paste(KEEP)
        session.paste(KEEP)
        assert "1 answer from memory; without a model there is no call to spare." in session.do("/provider")
        assert session.counter.status().answers == 1
    finally:
        session.close()

    assert total(tmp_path) == {"answers": 1, "without_model": 1}
    out = " ".join(codemind.run("memory", "stats").out.split())
    assert "savings: 1 answer from memory; no call was spared, as no model is configured that would have been asked" in out
    assert "spent: no model call yet" in out


def test_what_saves_nothing_counts_nothing(codemind: CommandLine, tmp_path: Path) -> None:
    """--no-save leaves the book as it is."""
    codemind.run(stdin=KEEP)
    codemind.run("--no-save", stdin=KEEP)

    assert total(tmp_path) == {}


def test_a_fix_that_was_only_alike_is_rejected_for_this_code_and_stays_for_its_own(tmp_path: Path) -> None:
    """Neither the paste nor its function in a longer one gets it again; /undo brings it back."""
    seeds = tmp_path / "seeds.jsonl"
    seeds.write_text(json.dumps({"code": MEAN, "fixed_code": MEAN_FIXED, "explanation": "An empty list.", "language": "python"}) + "\n")
    CommandLine(tmp_path / "home").run("memory", "seed", "--jsonl", str(seeds))
    session = commanded(tmp_path / "home")
    try:
        assert "SIMILAR: lines 1-3 are like" in session.paste(NEAR)
        assert "Its past fix stays for the code that it was made for." in session.do("/reject")
        assert "NONE: you rejected the past fix for this code" in session.paste(NEAR)
        assert "n = len(values)" not in session.paste(f"def other(x):\n    return [x]\n\n\n{NEAR}")
        assert "IDENTICAL" in session.paste(MEAN)
        assert "Taken back: the save of paste 2" in session.do("/undo")
        assert "Taken back: your verdict (rejected)" in session.do("/undo")
        assert "SIMILAR: lines 1-3 are like" in session.paste(NEAR)
    finally:
        session.close()


def a_report(*days: tuple[str, int]) -> dict[str, Any]:
    """So many answers on each day, which spared one call each."""
    series = [{**NOTHING, "day": day, "answers": count, "calls": count, "cost_usd": 0.25 * count} for day, count in days]
    answers = sum(count for _, count in days)
    return {"total": {**NOTHING, "answers": answers, "calls": answers, "cost_usd": 0.25 * answers}, "today": "2026-11-30", "days": series}


def test_the_chart_has_a_column_for_each_of_the_last_30_days() -> None:
    """The largest fills its column, what is small is still seen, and the days are named."""
    said = savings_text(a_report(("2026-11-30", 40), ("2026-11-29", 1), ("2026-11-01", 20)), 80, ascii_only=False)

    assert said.splitlines() == [
        "savings: 61 answers from memory spared 61 model calls, 0 tokens, 15.2500 USD",
        "spent: no model call yet",
        "answers a day, 30 days:",
        "  40                              \u2588",
        "                                  \u2588",
        "     \u2588                            \u2588",
        "     \u2588                           \u2581\u2588",
        "     11-01                    11-30",
    ]


def test_what_is_older_is_drawn_by_weeks() -> None:
    """Twelve of them, two cells each; the last one ends today."""
    lines = savings_text(a_report(("2026-11-30", 2), ("2026-10-01", 4)), 80, ascii_only=True).splitlines()

    at = lines.index("answers a week, 12 weeks:")
    half, full = "           ##", "           ##              ##"
    assert lines[at + 1 :] == ["   4       ##", half, full, full, "     09-08              11-30"]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_savings_fit_40_columns(ascii_only: bool) -> None:
    """Chart and sentences."""
    report = a_report(("2026-11-30", 12_345), ("2026-09-09", 1))
    report["total"] |= {"unrecorded": 3_000, "unpriced": 2, "spent_calls": 1_000, "spent_usd": 12.5, "spent_unpriced": 4}

    lines = savings_text(report, 40, ascii_only=ascii_only).splitlines()

    assert max(map(len, lines)) <= 40
    assert any("of these 3,000: " in line for line in lines)
    assert all(line.isascii() for line in lines) == ascii_only


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_a_plain_terminal_gets_a_plain_chart(tmp_path: Path, environment: dict[str, str]) -> None:
    """Nothing that it might not show."""
    plain = CommandLine(tmp_path / "home", tuple(environment.items()))
    for _ in range(2):
        plain.run(stdin=KEEP)

    assert plain.run("memory", "stats").out.isascii()
    assert "\u2588" in CommandLine(tmp_path / "home").run("memory", "stats").out


def test_another_encoding_gets_a_plain_chart(codemind: CommandLine) -> None:
    """As a process with a terminal of another time sees it."""
    for _ in range(2):
        codemind.run(stdin=KEEP)

    latin = CommandLine(codemind.home, (("PYTHONIOENCODING", "latin-1"), ("PYTHONUTF8", "0")))
    ran = latin.spawn("memory", "stats")

    assert "answers a day" in ran.out
    assert ran.out.isascii()
