"""Thresholds: whose they are, how they are found, and when they are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from errors import InputInvalidError
from memory.calibrating import ENOUGH_TO_LOWER, FEWEST, LEAST, SHORT, Offer, calibrate, choose
from memory.calibration import Thresholds, count_offered, keep_thresholds, measured_for, shipped, thresholds_in_force
from memory.ledger import Ledger
from memory.prepare import prepare
from memory.starter import classic_bugs
from memory.vectors import fingerprint
from schema.experience import Experience, Provenance
from tests.memory.rows import Clock, an_experience, prepared


def a_ledger(folder: Path) -> Ledger:
    """An empty one."""
    return Ledger(folder / "ledger.sqlite3", clock=Clock())


def the_pack(ledger: Ledger, languages: Iterable[str]) -> int:
    """Store classic bugs of some languages; how many."""
    made = [
        prepare(Experience(bug.language, bug.buggy, bug.fixed, bug.title, Provenance("jsonl", bug.name)))
        for bug in classic_bugs()
        if bug.language in set(languages)
    ]
    return len(ledger.store([each for each in made if each is not None]))


def in_force(ledger: Ledger, embedder: str = "") -> Thresholds | None:
    """For the structural vectors, or another embedder."""
    with ledger.reading() as connection:
        return thresholds_in_force(connection, embedder or fingerprint())


def kept(ledger: Ledger, thresholds: Thresholds) -> None:
    """Written."""
    with ledger.writing() as connection:
        keep_thresholds(connection, thresholds)


def test_one_set_ships_and_only_for_the_structural_vectors(tmp_path: Path) -> None:
    """Any other embedder is not calibrated."""
    found = in_force(a_ledger(tmp_path))

    assert found is not None
    assert (found.origin, found.fingerprint) == ("shipped", fingerprint())
    assert in_force(a_ledger(tmp_path), "f" * 32) is None


def test_thresholds_are_never_used_with_another_fingerprint(tmp_path: Path) -> None:
    """Those of a former embedder stay in the ledger, and what ships for the present one holds."""
    ledger, usual = a_ledger(tmp_path), shipped(fingerprint())
    assert usual is not None
    former = replace(usual, near=0.61, fingerprint="a" * 32, origin="calibrated")
    kept(ledger, former)

    assert in_force(ledger) == usual
    assert in_force(ledger, "a" * 32) == former
    assert in_force(ledger, "b" * 32) is None


@pytest.mark.parametrize("written", ["", "[]", "{}", '{"near": 2}', "not json"])
def test_what_is_not_thresholds_is_passed_over(tmp_path: Path, written: str) -> None:
    """Somebody else's words in that place: what ships holds."""
    ledger = a_ledger(tmp_path)
    with ledger.writing() as connection:
        connection.execute("INSERT INTO meta VALUES (?, ?)", (f"thresholds {fingerprint()}", written))
        assert measured_for(connection, fingerprint()) is None

    assert in_force(ledger) == shipped(fingerprint())


def test_an_impossible_score_is_passed_over(tmp_path: Path) -> None:
    """A threshold of 0 would make everything near."""
    ledger, usual = a_ledger(tmp_path), shipped(fingerprint())
    assert usual is not None
    kept(ledger, replace(usual, near=0.0, origin="calibrated"))

    assert in_force(ledger) == usual


def test_calibrating_measures_on_what_is_stored_and_is_repeatable(tmp_path: Path) -> None:
    """The target is reached, the size and the time are kept, progress is told, and a second run finds the same."""
    ledger, told = a_ledger(tmp_path), []
    size = the_pack(ledger, ("python", "go"))

    first = calibrate(ledger, 0.99, lambda done, total: told.append((done, total)))
    second = calibrate(ledger, 0.99)

    assert first == replace(second, at=first.at)
    assert (first.origin, first.fingerprint, first.stored, first.target_precision) == ("calibrated", fingerprint(), size, 0.99)
    assert first.precision >= 0.99
    assert first.recall > 0.9
    assert LEAST <= first.near <= first.near_short
    usual = shipped(fingerprint())
    assert usual is not None
    assert (first.near >= usual.near, first.held_until) == (True, ENOUGH_TO_LOWER)
    assert told[-1] == (size, size)
    assert in_force(ledger) == second


def test_too_few_memories_measure_nothing(tmp_path: Path) -> None:
    """Quarantined ones don't count; one sentence, and what ships stays in force."""
    ledger = a_ledger(tmp_path)
    ledger.store(
        [prepared(an_experience(f"def f{n}(a):\n    return a / {n}\n", f"def f{n}(a):\n    return a * {n}\n")) for n in range(FEWEST - 1)]
    )
    ledger.store([prepared(an_experience("def g(a):\n    return a[1]\n", "def g(a):\n    return a[0]\n", trust="quarantined"))])

    with pytest.raises(InputInvalidError, match=f"holds {FEWEST - 1} fixes"):
        calibrate(ledger, 0.99)

    assert in_force(ledger) == shipped(fingerprint())
    with ledger.reading() as connection:
        assert count_offered(connection) == FEWEST - 1


def offers(scores: Iterable[float], *, is_right: bool, is_short: bool = False) -> list[Offer]:
    """What was offered for copies (right) or for code that nothing is stored about (wrong)."""
    return [Offer("copy" if is_right else "unknown", score, is_short, is_right) for score in scores]


def test_the_least_threshold_that_reaches_the_target_is_chosen() -> None:
    """Just above the last wrong offer that is too many."""
    measured = [*offers([0.7] * 10 + [0.9] * 90, is_right=True), *offers([0.65, 0.72, 0.81], is_right=False)]

    assert choose(measured, 0.98, fingerprint()).near == 0.66
    assert choose(measured, 0.985, fingerprint()).near == 0.73
    assert choose(measured, 0.99, fingerprint()).near == 0.82
    assert choose(measured, 0.95, fingerprint()).near == LEAST


def test_precision_and_recall_are_those_of_the_thresholds() -> None:
    """At .73: 90 of 100 copies, and one wrong offer."""
    chosen = choose([*offers([0.7] * 10 + [0.9] * 90, is_right=True), *offers([0.65, 0.72, 0.81], is_right=False)], 0.98, fingerprint())

    assert (chosen.near, chosen.precision, chosen.recall) == (0.66, round(100 / 102, 4), 1.0)


def test_a_small_memory_lowers_no_shipped_threshold() -> None:
    """It may raise one. What is expected is told for those that are in force, and an embedder of which none ships is measured as ever."""
    easy, hard = offers([0.7] * 10 + [0.9] * 90, is_right=True), offers([0.84] * 5, is_right=False)
    known = shipped(fingerprint())
    assert known is not None

    held = choose(easy, 0.99, fingerprint(), stored=127)
    assert (held.near, held.near_short, held.held_until, held.recall) == (known.near, known.near_short, ENOUGH_TO_LOWER, 0.9)
    raised = choose([*easy, *hard], 0.99, fingerprint(), stored=127)
    assert (raised.near, raised.held_until) == (0.85, 0)
    assert choose(easy, 0.99, fingerprint(), stored=ENOUGH_TO_LOWER).near == LEAST
    assert choose(easy, 0.99, "f" * 32, stored=127).near == LEAST


def test_short_texts_are_measured_apart_and_never_have_the_lower_bar() -> None:
    """Their own wrong offers raise theirs alone; with too few of them the shipped one stays."""
    long, short = offers([0.9] * 50, is_right=True), offers([0.95] * 30, is_right=True, is_short=True)
    known = shipped(fingerprint())
    assert known is not None

    raised = choose([*long, *short, *offers([0.9], is_right=False, is_short=True)], 0.99, fingerprint())
    few = choose([*long, *short[: FEWEST - 1]], 0.99, fingerprint())

    assert (raised.near, raised.near_short, raised.short) == (LEAST, 0.91, SHORT)
    assert few.near_short == known.near_short


def test_a_target_out_of_reach_keeps_what_is_in_force(tmp_path: Path) -> None:
    """Said in one sentence that says what to do."""
    measured = [*offers([0.96] * 50, is_right=True), *offers([0.97] * 5, is_right=False)]

    with pytest.raises(InputInvalidError, match="--target-precision"):
        choose(measured, 0.99, fingerprint())


def test_the_same_bug_stored_twice_is_no_wrong_offer(tmp_path: Path) -> None:
    """Left out, its twin's fix makes the same code of it: no reason for a higher bar."""
    ledger = a_ledger(tmp_path)
    body = "    total = 0\n    for item in items:\n        total += item.price\n        total += item.fee\n    return total / len(items)\n"
    codes = [
        f"def mean_price(items):\n    rate = {number}\n    label = 'x'\n    print(rate, label)\n{body}" for number in range(10, 10 + FEWEST)
    ]
    ledger.store([prepared(an_experience(code, code.replace("/ len(items)", "/ max(1, len(items))"))) for code in codes])

    assert calibrate(ledger, 0.99).precision == 1.0


def test_a_memory_that_has_doubled_has_outgrown_its_thresholds() -> None:
    """Shipped ones are not outgrown: they were not measured on it."""
    usual = shipped(fingerprint())
    assert usual is not None
    own = replace(usual, origin="calibrated", stored=100)

    assert [own.is_outgrown(size) for size in (100, 199, 200)] == [False, False, True]
    assert not usual.is_outgrown(1_000_000)
