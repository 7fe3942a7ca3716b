"""The static manager and reviewer, and the disabled ones."""

from __future__ import annotations

import pytest

from agents.disabled import DisabledInspector, DisabledReviewer
from agents.manager import StaticManager
from agents.reviewer import StaticReviewer
from errors import ReviewerDisabledError
from schema.ports import PlanRequest, Review, ReviewRequest
from schema.record import Usage
from tests.fakes import a_finding, a_match, a_task


def a_review_request() -> ReviewRequest:
    """One static finding."""
    return ReviewRequest(a_task(), (a_finding(),), a_match("NONE"), (), "")


async def test_the_static_plan_costs_nothing() -> None:
    """One to eight steps, and no call."""
    steps, usage, _ = await StaticManager().plan(PlanRequest(a_task(), a_match("NONE"), ""))
    with_memory, *_ = await StaticManager().plan(PlanRequest(a_task(), a_match("SIMILAR", 0.5), ""))

    assert len(steps) == 2
    assert len(with_memory) == 3
    assert usage == Usage()


async def test_the_static_reviewer_adds_nothing_to_the_static_findings() -> None:
    """They were made over the whole paste already."""
    assert await StaticReviewer().review(a_review_request()) == Review((a_finding(),))


async def test_the_disabled_reviewer_raises_when_it_is_called() -> None:
    """It never pretends to have looked."""
    with pytest.raises(ReviewerDisabledError):
        await DisabledReviewer().review(a_review_request())


def test_the_disabled_inspector_finds_and_checks_nothing() -> None:
    """What memory knows is all there is then."""
    inspection = DisabledInspector().inspect(a_task().source)

    assert (inspection.findings, inspection.checked) == ((), ())
    assert DisabledInspector().basis() == "disabled"
