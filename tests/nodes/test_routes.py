"""The route: every combination of its inputs, and that every task ends."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.session.routes import continue_router, next_worker, route
from schema.match import Match, Status
from state import Worker
from tests.fakes import a_match, a_region, a_state, a_task

STATUSES: tuple[Status, ...] = ("IDENTICAL", "SIMILAR", "NONE")
HISTORIES: tuple[tuple[str, ...], ...] = ((), ("reviewer",), ("fixer",), ("reviewer", "fixer"))


def hit(status: Status, coverage: float, transferred: bool) -> Match:
    """A match with one region, whose fix transferred or did not; NONE has no region."""
    if status == "NONE":
        return Match(coverage=coverage)
    return replace(a_match(status, coverage), regions=(a_region(status, "x" if transferred else None),))


def expected(match: Match, history: tuple[str, ...], found: bool, has_fix: bool, has_model: bool, chosen: bool) -> Worker:
    """The table of the design, written as a table."""
    usable = any(region.fixed_code for region in match.regions)
    whole = match.coverage == 1.0
    table: tuple[tuple[bool, Worker], ...] = (
        ("fixer" in history, "FINISH"),
        ("reviewer" in history and found, "fixer"),
        ("reviewer" in history and usable, "fixer"),
        ("reviewer" in history, "FINISH"),
        (chosen and (found or usable), "fixer"),
        (chosen, "FINISH"),
        (match.status == "IDENTICAL" and whole and has_fix, "FINISH"),
        (match.status == "SIMILAR" and whole and usable, "fixer"),
        (match.status == "SIMILAR" and whole and has_model, "fixer"),
        (True, "reviewer"),
    )
    return next(worker for holds, worker in table if holds)


FLAG = (False, True)
COMBINATIONS = list(product(STATUSES, (1.0, 0.4), FLAG, HISTORIES, FLAG, FLAG, FLAG, FLAG))


@pytest.mark.parametrize(("status", "coverage", "transferred", "history", "found", "has_fix", "has_model", "chosen"), COMBINATIONS)
def test_every_combination_takes_the_route_of_the_design(  # noqa: PLR0913, PLR0917 - one for each input
    status: Status, coverage: float, transferred: bool, history: tuple[str, ...], found: bool, has_fix: bool, has_model: bool, chosen: bool
) -> None:
    """All 768 combinations of status, coverage, regions, history, findings, fix, model and the user's choice."""
    match = hit(status, coverage, transferred)

    worker = route(match, history, found=found, has_fix=has_fix, has_model=has_model, chosen=chosen)

    assert worker == expected(match, history, found, has_fix, has_model, chosen)


@pytest.mark.parametrize(
    ("match", "history", "found", "has_fix", "worker"),
    [
        (a_match("IDENTICAL"), (), True, True, "FINISH"),
        (a_match("IDENTICAL"), (), True, False, "reviewer"),
        (a_match("IDENTICAL", 0.5), (), True, True, "reviewer"),
        (a_match("SIMILAR"), (), False, False, "fixer"),
        (a_match("SIMILAR", 0.5), (), False, False, "reviewer"),
        (a_match("SIMILAR", 1.0, None), (), True, False, "reviewer"),
        (a_match("NONE"), (), True, False, "reviewer"),
        (a_match("NONE"), ("reviewer",), True, False, "fixer"),
        (a_match("NONE"), ("reviewer",), False, False, "FINISH"),
        (a_match("SIMILAR", 0.5), ("reviewer",), False, False, "fixer"),
        (a_match("NONE"), ("reviewer", "fixer"), True, False, "FINISH"),
    ],
)
def test_the_cases_of_the_design_are_routed_as_it_says(
    match: Match, history: tuple[str, ...], found: bool, has_fix: bool, worker: Worker
) -> None:
    """The sentences of the design, one by one, without a model."""
    assert route(match, history, found=found, has_fix=has_fix, has_model=False, chosen=False) == worker


def test_a_similar_hit_whose_fix_did_not_transfer_goes_to_a_fixer_that_has_a_model() -> None:
    """A model can work from the past pair as an example; rules can't."""
    assert route(a_match("SIMILAR", 1.0, None), (), found=False, has_fix=False, has_model=True, chosen=False) == "fixer"


@pytest.mark.parametrize("has_model", [False, True])
def test_what_the_user_chose_goes_straight_to_the_fixer_and_is_never_reviewed(has_model: bool) -> None:
    """Memory was not asked, nobody reviews, and after the fixer the task ends."""
    assert route(Match(), (), found=True, has_fix=False, has_model=has_model, chosen=True) == "fixer"
    assert route(Match(), ("fixer",), found=True, has_fix=False, has_model=has_model, chosen=True) == "FINISH"


@given(
    st.sampled_from(STATUSES),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=3),
)
def test_every_task_ends(
    status: Status, coverage: float, transferred: bool, has_model: bool, chosen: bool, facts: list[tuple[bool, bool]]
) -> None:
    """Whatever is found on the way, no worker runs twice and the third decision at the latest is FINISH."""
    match = hit(status, coverage, transferred)
    history: list[str] = []

    for found, has_fix in facts:
        worker = route(match, history, found=found, has_fix=has_fix, has_model=has_model, chosen=chosen)
        if worker == "FINISH":
            return
        assert worker not in history
        history.append(worker)

    raise AssertionError("the task did not end")


def test_the_session_goes_on_with_a_task_and_ends_without_one() -> None:
    """An empty task is what /quit and the end of a pipe leave in the state."""
    assert continue_router(a_state(task=a_task().as_plain())) == "retrieve_memory"
    assert continue_router(a_state(task={})) == "quit"


def test_the_manager_decides_the_edge() -> None:
    """The edge after the manager is what the manager wrote down."""
    assert next_worker(a_state(next_worker="fixer")) == "fixer"
