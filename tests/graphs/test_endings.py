"""The compiled graph: its edges, and that every task ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs.session import build_session, mermaid
from schema.finding import Finding
from schema.match import Status
from schema.ports import FixOutcome, FixRequest, Recalled
from schema.record import TaskRecord
from tests.fakes import FIXED, FakeMemory, FakeReviewer, a_finding, a_fix, a_match, a_region, a_task
from tests.graphs.sessions import a_session


def test_the_graph_has_the_edges_of_the_design() -> None:
    """Every edge of the drawing, none more."""
    edges = {(edge.source, edge.target) for edge in build_session().compile().get_graph().edges}

    assert edges == {
        ("__start__", "user_input"),
        ("user_input", "retrieve_memory"),
        ("user_input", "__end__"),
        ("retrieve_memory", "manager"),
        ("manager", "reviewer"),
        ("manager", "fixer"),
        ("manager", "save_experience"),
        ("reviewer", "manager"),
        ("fixer", "manager"),
        ("save_experience", "summarize"),
        ("summarize", "clear"),
        ("clear", "user_input"),
    }


def test_the_graph_prints_as_a_diagram() -> None:
    """`python main.py graph`."""
    assert "user_input -. &nbsp;quit&nbsp; .-> __end__" in mermaid()


STATUSES: Sequence[Status] = ("IDENTICAL", "SIMILAR", "NONE")
findings = st.lists(st.builds(a_finding, st.integers(1, 2)), max_size=2)


class RandomFixer:
    """Fixes or does not."""

    def __init__(self, fixes: bool) -> None:
        self._fixes = fixes

    async def fix(self, request: FixRequest) -> FixOutcome:
        """A fix, or none."""
        return FixOutcome(a_fix(FIXED) if self._fixes else None)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(STATUSES), st.sampled_from([0.4, 1.0]), st.booleans(), st.booleans(), findings, findings, st.booleans())
def test_every_task_ends_in_the_compiled_graph(  # noqa: PLR0913, PLR0917 - one for each thing that varies
    status: Status, coverage: float, usable: bool, fixes: bool, seen: list[Finding], read: list[Finding], has_model: bool
) -> None:
    """Whatever memory, reviewer and fixer say: an end, each worker at most once, well below the step limit."""
    match = a_match(status, coverage)
    if match.regions and not usable:
        match = a_match(status, coverage, regions=(a_region(status, None),))
    memory = FakeMemory(Recalled(match, a_fix(origin="memory") if usable and status != "NONE" else None, tuple(seen)))

    async def one_task() -> TaskRecord:
        async with a_session(
            memory=memory, reviewer=FakeReviewer(read), fixer=RandomFixer(fixes), has_model=has_model, rounds=12
        ) as session:
            return await session.run_task(a_task())

    record = asyncio.run(one_task())

    assert record.error is None
    assert record.route[-3:] == ("save_experience", "summarize", "clear")
    assert record.route.count("reviewer") <= 1
    assert record.route.count("fixer") <= 1
