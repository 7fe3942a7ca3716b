"""What the environment may not do to a model call: lend keys, add headers, send it elsewhere, record it."""

from __future__ import annotations

import logging

import pytest

from errors import ModelError
from tests.integrations.models import a_model
from tests.model_replies import Reply
from tests.model_server import ModelServer, key_hash

FOREIGN = "sk-for-another-host"


async def test_the_key_goes_out_and_no_header_of_another_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_* variables of other programs add neither key nor organisation, project or custom header."""
    for name in ("API_KEY", "ORG_ID", "ORGANIZATION", "PROJECT_ID", "CUSTOM_HEADERS", "ADMIN_KEY"):
        monkeypatch.setenv(f"OPENAI_{name}", FOREIGN if name != "CUSTOM_HEADERS" else f"x-more: {FOREIGN}")
    with ModelServer() as server:
        await a_model(server).plan()
        await a_model(server, reveal_key=lambda: "").plan()

    assert [seen.key_hash for seen in server.chats] == [key_hash("sk-test"), key_hash("none")]
    allowed = {"host", "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "user-agent"}
    assert set(server.chats[0].headers) <= allowed


async def test_another_base_url_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither OPENAI_BASE_URL nor LangSmith's gateway."""
    with ModelServer() as server, ModelServer() as other:
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "LANGSMITH_GATEWAY_URL", "LANGSMITH_GATEWAY"):
            monkeypatch.setenv(name, other.url)
        await a_model(server).plan()

    assert (len(server.chats), len(other.requests)) == (1, 0)


@pytest.mark.parametrize("mode", ["301", "307"])
async def test_a_redirect_is_not_followed(mode: str) -> None:
    """Key and code stay with the host they were meant for."""
    with ModelServer() as other:
        elsewhere = Reply(mode, headers={"Location": f"{other.url}/chat/completions"})
        with ModelServer(elsewhere) as server, pytest.raises(ModelError, match="redirects are not followed"):
            await a_model(server).plan()

    assert other.requests == []


async def test_a_server_on_this_machine_needs_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy for the internet would not find it; one that can't be used does no harm."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with ModelServer() as server:
        assert await a_model(server).plan() == ["read the loop"]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "gopher://127.0.0.1:9"])
async def test_a_proxy_that_can_t_be_used_is_explained(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    """No ImportError of a library nobody has heard of."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALL_PROXY", proxy)
    with ModelServer() as server, pytest.raises(ModelError, match="ALL_PROXY") as caught:
        await a_model(server, base_url="https://api.example.com/v1").plan()

    assert proxy not in caught.value.message


async def test_an_endpoint_that_is_not_there_is_explained() -> None:
    """Nobody listens at the port."""
    with ModelServer() as server:
        gone = server.url
    with ModelServer() as server, pytest.raises(ModelError, match=r"LLM_BASE_URL.*is the local server running\?"):
        await a_model(server, base_url=gone).plan()


async def test_nothing_is_recorded_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell that traces other programs with LangSmith gets nothing of ours."""
    with ModelServer() as server, ModelServer() as recorder:
        for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
            monkeypatch.setenv(name, "true")
        monkeypatch.setenv("LANGSMITH_ENDPOINT", recorder.url)
        monkeypatch.setenv("LANGSMITH_API_KEY", FOREIGN)
        await a_model(server).plan()
        assert not recorder.wait_until(lambda seen: bool(seen.requests), 0.5)


async def test_the_key_shows_nowhere(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither in a repr, nor in any logger's output, nor in an error that the server put it into."""
    caplog.set_level(logging.DEBUG)
    key = "sk-" + "T3st" * 8
    with ModelServer(Reply("401")) as server:
        asked = a_model(server, reveal_key=lambda: key)
        with pytest.raises(ModelError) as caught:
            await asked.plan()

    written = capfd.readouterr()
    shown = " ".join((repr(asked), str(vars(asked.model)), repr(caught.value), caplog.text, written.out, written.err))
    assert key not in shown
    assert "T3st" not in shown
    assert server.chats[0].key_hash == key_hash(key)


async def test_deepseek_is_asked_in_its_own_way() -> None:
    """JSON mode, thinking off, max_tokens; the schema stands in the prompt. (A name below deepseek.com can't be reached here.)"""
    from integrations.model_endpoint import ModelEndpoint
    from integrations.model_methods import first_habits, instruction, request_body
    from tests.integrations.models import a_request

    endpoint = ModelEndpoint("https://api.deepseek.com", "deepseek-v4-flash", lambda: "")
    habits = first_habits(endpoint)

    body = request_body(endpoint, habits, a_request(), 100)

    assert body == {"max_tokens": 100, "thinking": {"type": "disabled"}, "response_format": {"type": "json_object"}}
    assert "JSON" in instruction(habits, a_request())
    assert '"steps"' in instruction(habits, a_request())
