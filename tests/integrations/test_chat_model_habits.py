"""How an endpoint is asked: what it refuses is found out once, and remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import ContextTooLongError, ModelError
from integrations.model_methods import EndpointMemory
from tests.integrations.models import a_model, a_request, texts
from tests.model_replies import Reply
from tests.model_server import ModelServer


async def test_a_refused_response_format_is_asked_for_in_another_way(tmp_path: Path) -> None:
    """From json_schema down to what works; remembered by the process and by the next one, without address or key."""
    refused = Reply("400 response_format", methods=("json_schema", "json_mode"), always=True)
    with ModelServer(refused, Reply("400 tools", methods=("function_calling",), always=True)) as server:
        first = a_model(server, EndpointMemory(tmp_path))
        await first.plan()
        await first.plan()
        await a_model(server, EndpointMemory(tmp_path)).plan()

    assert [seen.method for seen in server.chats] == ["json_schema", "json_mode", "function_calling", "prompt", "prompt", "prompt"]
    kept = (tmp_path / "endpoints.json").read_text()
    assert not [word for word in ("127.0.0.1", "sk-test") if word in kept]
    assert (tmp_path / "endpoints.json").stat().st_mode & 0o077 == 0


async def test_a_method_that_the_user_chose_is_not_changed() -> None:
    """The refusal names the setting."""
    refused = pytest.raises(ModelError, match="LLM_STRUCTURED_OUTPUT_METHOD=json_schema")
    with ModelServer(Reply("400 response_format", always=True)) as server, refused:
        await a_model(server, method="json_schema").plan()

    assert len(server.chats) == 1


@pytest.mark.parametrize(("mode", "field"), [("400 temperature", "temperature"), ("400 max_tokens", "max_tokens")])
async def test_a_field_that_the_endpoint_refuses_is_left_out(mode: str, field: str) -> None:
    """Found out once, then never sent again."""
    with ModelServer(Reply(mode)) as server:
        asked = a_model(server)
        await asked.plan()
        await asked.plan()

    assert [field in seen.body for seen in server.chats] == [True, False, False]


async def test_an_endpoint_that_refuses_to_stream_is_asked_for_one_body() -> None:
    """Found out once."""
    with ModelServer(Reply("400 stream"), Reply("whole", always=True)) as server:
        asked = a_model(server)
        await asked.plan()
        await asked.plan()

    assert [seen.body["stream"] for seen in server.chats] == [True, False, False]
    assert "stream_options" not in server.chats[1].body


async def test_room_for_the_answer_that_a_small_context_has_not_is_given_up() -> None:
    """Once, to a quarter: vLLM counts the room as if it were used."""
    with ModelServer(Reply("400 completion")) as server:
        assert await a_model(server).plan(a_request(max_output_tokens=8_192)) == ["read the loop"]
    assert [seen.body["max_tokens"] for seen in server.chats] == [8_192, 2_048]

    with ModelServer(Reply("400 completion", always=True)) as server:
        with pytest.raises(ContextTooLongError):
            await a_model(server).plan(a_request(max_output_tokens=8_192))
        assert len(server.chats) == 2


async def test_an_endpoint_that_ignores_the_schema_is_shown_it_in_the_prompt(tmp_path: Path) -> None:
    """One repair round, the first time; from then on the first answer fits."""
    with ModelServer(Reply("no json")) as server:
        asked = a_model(server, EndpointMemory(tmp_path))
        await asked.plan()
        await asked.plan()
        await a_model(server, EndpointMemory(tmp_path)).plan()

    first, repaired, *later = [texts(seen.body["messages"][:1]) for seen in server.chats]
    assert "JSON schema" not in first + repaired
    assert len(later) == 2
    assert all("JSON schema" in text for text in later)


async def test_an_answer_that_was_cut_gets_more_room() -> None:
    """The second attempt may be twice as long."""
    with ModelServer(Reply("reasoning, cut")) as server:
        await a_model(server).plan(a_request(max_output_tokens=500))

    assert [seen.body["max_tokens"] for seen in server.chats] == [500, 1000]


@pytest.mark.parametrize(("role", "temperature"), [("manager", 0.0), ("reviewer", 0.3), ("fixer", 0.0)])
async def test_only_the_reviewer_has_some_freedom(role: str, temperature: float) -> None:
    """Unless the user sets a temperature for all."""
    with ModelServer() as server:
        await a_model(server).plan(a_request(role))  # type: ignore[arg-type]  # one of the roles
        await a_model(server, temperature=0.7).plan(a_request(role))  # type: ignore[arg-type]  # as above

    assert [seen.body["temperature"] for seen in server.chats] == [temperature, 0.7]
