"""What a task may cost, with the real program and the scripted server."""

from __future__ import annotations

from pathlib import Path

from benchmarks.cost import ANSWERS, CALLS_ALLOWED, measure
from tests.model_server import ModelServer


async def test_what_memory_knows_costs_no_call(tmp_path: Path) -> None:
    """New code takes three calls, known code none, and no embedding endpoint is asked though one is configured."""
    with ModelServer(answers=dict(ANSWERS)) as server:
        outcomes = await measure(tmp_path, server)

    statuses = [outcome.record.match.status for outcome in outcomes]
    assert statuses[:4] == ["NONE", "IDENTICAL", "IDENTICAL", "SIMILAR"]
    assert [outcome.here.calls for outcome in outcomes[:4]] == [3, 0, 0, 0]
    assert all(outcome.here.calls <= CALLS_ALLOWED.get(outcome.record.match.status, 0) for outcome in outcomes)
    assert {seen.path for seen in server.requests} == {"/v1/chat/completions"}
    assert outcomes[0].here.tokens < outcomes[0].loop.tokens
