"""The real chat model against a server that plays every fault."""

from __future__ import annotations

import asyncio

import pytest

from errors import AgentTimeoutError, ContextTooLongError, ModelBudgetError, ModelError, ModelOutputError, ModelRefusedError
from integrations.model_meter import ModelLimits
from schema.record import Usage
from tests.integrations.models import SHORT_S, a_model, a_request
from tests.model_replies import Reply
from tests.model_server import ModelServer

CURED_AT_ONCE = [
    "good",
    "fenced",
    "prose",
    "think",
    "think unopened",
    "reasoning",
    "only reasoning",
    "tool",
    "slow",
    "whole",
    "whole, thinking",
    "whole, endless",
    "whole tool",
]
REPAIRED = [
    "null content",
    "empty content",
    "invalid json",
    "schema violation",
    "no json",
    "wrong tool",
    "two tools",
    "length",
    "whole, cut",
    "reasoning, cut",
]
RETRIED = ["whole error", "429", "500", "502", "503", "dropped", "cut", "no finish reason", "broken sse", "error in stream", "overloaded"]
FINAL: dict[str, tuple[type[ModelError], str]] = {
    "400": (ModelError, "LLM_MODEL"),
    "400 context": (ContextTooLongError, "context window"),
    "400 llama.cpp context": (ContextTooLongError, "context window"),
    "400 content filter": (ModelRefusedError, "content filter"),
    "401": (ModelError, "LLM_API_KEY"),
    "402": (ModelError, "no credit left"),
    "403": (ModelError, "LLM_API_KEY and LLM_MODEL"),
    "404": (ModelError, "LLM_MODEL and LLM_BASE_URL"),
    "413": (ContextTooLongError, "context window"),
    "422": (ModelError, "LLM_MODEL"),
    "quota": (ModelError, "no credit left"),
    "301": (ModelError, "LLM_BASE_URL"),
    "307": (ModelError, "LLM_BASE_URL"),
    "html": (ModelError, "LLM_BASE_URL"),
    "empty": (ModelError, "LLM_BASE_URL"),
    "empty choices": (ModelError, "LLM_BASE_URL"),
    "null choices": (ModelError, "LLM_BASE_URL"),
    "whole, no choices": (ModelError, "LLM_BASE_URL"),
    "whole refusal": (ModelRefusedError, "refused"),
    "refusal": (ModelRefusedError, "refused"),
    "content filter": (ModelRefusedError, "content filter"),
}
LASTING: dict[str, tuple[type[ModelError], int]] = {
    "429": (ModelError, 3),
    "500": (ModelError, 3),
    "502": (ModelError, 3),
    "503": (ModelError, 3),
    "dropped": (ModelError, 3),
    "cut": (ModelError, 3),
    "no finish reason": (ModelError, 2),
    "broken sse": (ModelError, 2),
    "error in stream": (ModelError, 2),
    "overloaded": (ModelError, 2),
    "null content": (ModelOutputError, 2),
    "empty content": (ModelOutputError, 2),
    "invalid json": (ModelOutputError, 2),
    "schema violation": (ModelOutputError, 2),
    "no json": (ModelOutputError, 2),
    "wrong tool": (ModelOutputError, 2),
    "two tools": (ModelOutputError, 2),
    "length": (ModelBudgetError, 2),
    "reasoning, cut": (ModelOutputError, 2),
}


@pytest.mark.parametrize("mode", CURED_AT_ONCE)
async def test_an_answer_in_any_wrapping_is_read(mode: str) -> None:
    """Fences, prose, reasoning in tags or in a field of its own, a function's arguments: one call, its tokens counted."""
    with ModelServer(Reply(mode)) as server:
        asked = a_model(server)

        assert await asked.plan() == ["read the loop"]

    assert asked.model.usage("1") == Usage(1, 100, 20, None)
    assert len(server.chats) == 1


@pytest.mark.parametrize("mode", REPAIRED)
async def test_an_unusable_answer_gets_one_repair_round(mode: str) -> None:
    """The model is told why and shown the schema; both calls count."""
    with ModelServer(Reply(mode)) as server:
        asked = a_model(server)

        assert await asked.plan() == ["read the loop"]

    assert asked.model.usage("1").calls == 2
    assert '"steps"' in server.chats[1].body["messages"][-1]["content"]


@pytest.mark.parametrize("mode", RETRIED)
async def test_what_passes_by_itself_is_tried_again(mode: str) -> None:
    """After a wait that whoever listens is told about."""
    with ModelServer(Reply(mode)) as server:
        asked = a_model(server)

        assert await asked.plan() == ["read the loop"]

    assert asked.model.usage("1").calls == 2
    assert asked.waits_s
    assert [event.kind for event in asked.events if event.kind == "waiting"]


@pytest.mark.parametrize("mode", FINAL)
async def test_what_another_attempt_would_not_change_costs_one_call(mode: str) -> None:
    """Our own sentence names what to set; nothing of the provider's text, address or key is in it."""
    kind, words = FINAL[mode]
    with ModelServer(Reply(mode, always=True)) as server:
        asked = a_model(server)
        with pytest.raises(ModelError) as caught:
            await asked.plan()

    assert type(caught.value) is kind
    assert words in caught.value.message
    assert not [word for word in ("sk-test", "127.0.0.1", server.host, "example.com", "Bad request") if word in caught.value.message]
    assert caught.value.__cause__ is None
    assert len(server.chats) == 1
    assert asked.waits_s == []


@pytest.mark.parametrize("mode", LASTING)
async def test_what_lasts_is_given_up(mode: str) -> None:
    """After two retries, one, or one repair round."""
    kind, calls = LASTING[mode]
    with ModelServer(Reply(mode, always=True)) as server:
        asked = a_model(server)
        with pytest.raises(ModelError) as caught:
            await asked.plan()

    assert type(caught.value) is kind
    assert len(server.chats) == calls == asked.model.usage("1").calls


@pytest.mark.parametrize("mode", ["hang", "hang after headers", "keep-alive", "endless", "endless thinking", "half a whole"])
async def test_a_call_ends_at_its_time_limit(mode: str) -> None:
    """Neither keep-alive lines nor a trickle of words put it off; the server sees the request broken off; one more attempt is made."""
    with ModelServer(Reply(mode, always=True)) as server:
        asked = a_model(server, limits=ModelLimits(call_timeout_s=SHORT_S))
        with pytest.raises(AgentTimeoutError, match="LLM_TIMEOUT_SECONDS"):
            await asked.plan()
        assert server.wait_until(lambda seen: seen.aborted == 2)

    assert len(server.chats) == 2


@pytest.mark.parametrize("mode", ["keep-alive", "endless thinking", "half a whole"])
async def test_all_calls_of_a_task_share_one_time_limit(mode: str) -> None:
    """RUN_TIMEOUT_SECONDS ends a call that its own limit would let go on, and every later one at once."""
    with ModelServer(Reply(mode, always=True)) as server:
        asked = a_model(server, limits=ModelLimits(call_timeout_s=60, task_timeout_s=SHORT_S))
        for _ in range(2):
            with pytest.raises(AgentTimeoutError, match="RUN_TIMEOUT_SECONDS"):
                await asked.plan()

    assert len(server.chats) == 1


@pytest.mark.parametrize("mode", ["hang", "keep-alive", "endless thinking", "half a whole"])
async def test_cancelling_reaches_the_server(mode: str) -> None:
    """Ctrl-C is a cancelled task: the connection is closed at once, streamed or not."""
    with ModelServer(Reply(mode)) as server:
        asking = asyncio.ensure_future(a_model(server).plan())
        await asyncio.to_thread(server.wait_until, lambda seen: len(seen.chats) == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(server.wait_until, lambda seen: seen.aborted == 1)


async def test_the_budget_is_checked_before_a_call() -> None:
    """MAX_LLM_CALLS calls are made, not one more; a new task has its own."""
    with ModelServer() as server:
        asked = a_model(server, limits=ModelLimits(max_calls=1))
        await asked.plan()
        with pytest.raises(ModelBudgetError, match="MAX_LLM_CALLS"):
            await asked.plan()
        asked.model.begin("1")

        assert await asked.plan() == ["read the loop"]

    assert len(server.chats) == 2


async def test_retries_and_repairs_count_against_the_budget() -> None:
    """A server that fails for ever can't use more calls than there are."""
    with ModelServer(Reply("503", always=True)) as server:
        asked = a_model(server, limits=ModelLimits(max_calls=2))
        with pytest.raises(ModelBudgetError):
            await asked.plan()

    assert len(server.chats) == 2


async def test_a_failure_of_the_endpoint_ends_the_task_s_calls() -> None:
    """A refused key is not sent again by the next step; the next task asks anew."""
    with ModelServer(Reply("401")) as server:
        asked = a_model(server)
        for _ in range(2):
            with pytest.raises(ModelError, match="401"):
                await asked.plan()

        assert asked.model.usage("1").calls == 1
        assert await asked.plan(a_request(task_id="2")) == ["read the loop"]


async def test_an_unusable_answer_does_not_end_the_task_s_calls() -> None:
    """The next question may well be answered."""
    with ModelServer(Reply("no json"), Reply("no json")) as server:
        asked = a_model(server)
        with pytest.raises(ModelOutputError):
            await asked.plan()

        assert await asked.plan() == ["read the loop"]


async def test_the_server_s_wait_is_kept_and_capped() -> None:
    """Retry-After says how long, counted down by the second; an hour is not waited for."""
    with ModelServer(Reply("429", retry_after="2"), Reply("429", retry_after="3600")) as server:
        asked = a_model(server)
        await asked.plan()

    assert asked.waits_s == [1.0] * 32
    waiting = [event for event in asked.events if event.kind == "waiting"]
    assert [event.wait_s for event in waiting][:3] == [2.0, 1.0, 30.0]
    assert [(event.attempt, event.attempts) for event in waiting][:3] == [(2, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/plain; charset=utf-8"])
async def test_a_whole_answer_is_read_under_any_content_type(kind: str) -> None:
    """Some proxies repeat the type that was asked for."""
    with ModelServer(Reply("whole", headers={"Content-Type": kind})) as server:
        asked = a_model(server)

        assert await asked.plan() == ["read the loop"]

    assert asked.model.usage("1") == Usage(1, 100, 20, None)


async def test_a_question_that_is_too_long_does_not_end_the_task_s_calls() -> None:
    """A shorter one may be answered."""
    with ModelServer(Reply("400 context")) as server:
        asked = a_model(server)
        with pytest.raises(ContextTooLongError):
            await asked.plan()

        assert await asked.plan() == ["read the loop"]


async def test_an_answer_without_end_is_broken_off() -> None:
    """Before it fills the memory, whatever the time limit."""
    with ModelServer(Reply("flood")) as server:
        with pytest.raises(ModelBudgetError, match="cut"):
            await a_model(server).plan()
        assert server.wait_until(lambda seen: seen.aborted == 1)


async def test_money_is_counted_where_the_prices_are_known() -> None:
    """Per million tokens; a call that broke off makes the sum unknown."""
    limits = ModelLimits(input_price_usd=2.0, output_price_usd=10.0)
    with ModelServer(Reply("good"), Reply("401", role="fix"), Reply("cut")) as server:
        asked = a_model(server, limits=limits)
        await asked.plan()
        assert asked.model.usage("1") == Usage(1, 100, 20, 0.0004)

        await asked.plan()

    assert asked.model.usage("1") == Usage(3, 200, 40, None)
    assert asked.model.usage("never asked") == Usage()


async def test_progress_is_told() -> None:
    """That it was asked, that it thinks, that it writes."""
    with ModelServer(Reply("reasoning")) as server:
        asked = a_model(server)
        await asked.plan()

    kinds = [event.kind for event in asked.events]
    assert kinds[0] == "asking"
    assert {"thinking", "writing"} <= set(kinds)
    assert asked.events[-1].characters > 0


async def test_half_a_surrogate_pair_can_be_sent() -> None:
    """A paste may hold one; no request can."""
    with ModelServer() as server:
        assert await a_model(server).plan(a_request(user="x = '\ud83d'")) == ["read the loop"]

    assert server.chats[0].body["messages"][1]["content"] == "x = '?'"
