"""What a task may cost, with the real program and the scripted server."""

from __future__ import annotations

from pathlib import Path

from benchmarks.cost import CALLS_ALLOWED, NO_TRANSFER, SCRIPT, TASKS, measure
from benchmarks.five_calls import CALLS
from tests.model_server import ModelServer


async def test_what_memory_knows_costs_no_call(tmp_path: Path) -> None:
    """New code takes three calls, known code none, a past fix that is only an example one; the loop takes five for each.

    No embedding endpoint is asked, though one is configured.
    """
    with ModelServer(*SCRIPT) as server:
        outcomes = await measure(tmp_path, server)

    assert [(outcome.record.match.status, outcome.record.match.tier, outcome.here.calls) for outcome in outcomes] == [
        ("NONE", None, 3),
        ("IDENTICAL", "exact", 0),
        ("IDENTICAL", "exact", 0),
        ("SIMILAR", "renamed", 0),
        ("SIMILAR", "near", 0),
        ("SIMILAR", "near", 1),
        ("NONE", None, 2),
    ]
    assert [outcome.what for outcome in outcomes if outcome.record.fix is None] == [TASKS[-1][0]]
    assert all(outcome.here.calls <= CALLS_ALLOWED.get(outcome.what, 0) for outcome in outcomes)
    assert {outcome.loop.calls for outcome in outcomes} == {CALLS}
    assert {seen.path for seen in server.requests} == {"/v1/chat/completions"}
    assert all(outcome.here.tokens < outcome.loop.tokens for outcome in outcomes)
    assert next(outcome.record.fix.origin for outcome in outcomes if outcome.what == NO_TRANSFER and outcome.record.fix) == "model"
