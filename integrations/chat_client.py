"""The client of a chat model: ChatOpenAI as the measurements say it must be used. Heavy: import it when a model is asked.

Not `with_structured_output`: it loses text, finish reason and usage of every answer that does not fit. `response_format` goes
through `extra_body`, answers are streamed, and `ChatOpenAI` neither retries nor waits by itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Final

import httpx2
from langchain_core.messages import AIMessageChunk, BaseMessage, BaseMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from langsmith import tracing_context
from openai import AsyncOpenAI
from pydantic import SecretStr

from errors import ModelBudgetError, ModelError
from integrations.chat_body import StreamingClient
from integrations.model_answer import Answer, ToolCall
from integrations.model_endpoint import NO_KEY, ModelEndpoint
from integrations.model_faults import CUT, Fault, FaultError

CONNECT_TIMEOUT_S: Final = 10.0
MAX_CHARACTERS: Final = 4_000_000
"""Of one answer, its reasoning included: far more than any model gives, far less than memory holds."""
BAD_PROXY: Final = (
    "The proxy in ALL_PROXY, HTTPS_PROXY or HTTP_PROXY can't be used (SOCKS is not supported); set an http:// proxy, "
    "or name the model's host in NO_PROXY."
)
_KEPT_OF_DELTA = ("reasoning_content", "reasoning", "refusal")
"""What ChatOpenAI drops from a stream; `reasoning` is the newer name of the same."""
_SENT_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "user-agent"}
)
"""The SDK adds organisation, project and custom headers from OPENAI_* variables, whoever the host is."""

Chunk = Callable[[str, int], None]
"""Called with `thinking` or `writing` and the characters so far."""


class StreamedChat(ChatOpenAI):
    """Keeps reasoning and refusals of a stream. The overridden method is private: the pinned version is tested for it."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type[BaseMessageChunk], base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        generation = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices")
        if generation is not None and choices:
            delta = choices[0].get("delta") or {}
            generation.message.additional_kwargs |= {name: delta[name] for name in _KEPT_OF_DELTA if delta.get(name)}
        return generation


@asynccontextmanager
async def open_client(endpoint: ModelEndpoint, timeout_s: float) -> AsyncIterator[AsyncOpenAI]:
    """A client for one question: closing it ends whatever request is running, so the server sees a cancelled one go.

    The key is in this object only, and goes to the endpoint's own host only: redirects are not followed.
    Raises: ModelError when the proxy settings can't be used.
    """
    try:
        wire = StreamingClient(
            verify=_trusted(),
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S)),
            follow_redirects=False,
            trust_env=not endpoint.is_loopback,
            event_hooks={"request": [_keep_own_headers]},
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        raise ModelError(BAD_PROXY) from error
    async with wire:
        yield AsyncOpenAI(
            api_key=endpoint.reveal_key() or NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=wire.timeout,
            http_client=wire,
        )


@cache
def _trusted() -> Any:
    """The certificates this machine trusts; loading them takes 40 ms."""
    return httpx2.create_ssl_context()


async def _keep_own_headers(request: httpx2.Request) -> None:
    """Take out what the environment added."""
    for name in [name for name in request.headers if name.lower() not in _SENT_HEADERS]:
        del request.headers[name]


async def stream_answer(  # noqa: PLR0913 - each is a field of the request or watches it
    client: AsyncOpenAI,
    model: str,
    messages: Sequence[BaseMessage],
    *,
    body: dict[str, Any],
    temperature: float | None,
    count_tokens: bool,
    on_chunk: Chunk,
) -> Answer:
    """Ask once and read the answer to its end. Raises whatever the server makes the client raise."""
    chat = StreamedChat(
        model=model,
        api_key=SecretStr(NO_KEY),  # the client has the real one; without any, OPENAI_API_KEY would be looked up
        client=client.chat.completions,
        root_client=client,
        async_client=client.chat.completions,
        root_async_client=client,
        openai_proxy="",
        temperature=temperature,
        max_retries=0,
        stream_usage=count_tokens,
        stream_chunk_timeout=None,  # our own limit sees through keep-alive lines too, and writes nothing to stderr
        use_responses_api=False,
        output_version="v0",
        cache=False,
    )
    gathered = _Gathered(on_chunk)
    with tracing_context(enabled=False):
        async for chunk in chat.astream(list(messages), extra_body=body):
            gathered.add(chunk)
    return gathered.answer()


class _Gathered:
    """A stream's parts, put together."""

    def __init__(self, on_chunk: Chunk) -> None:
        self._on_chunk = on_chunk
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[Any, list[str]] = {}
        self._finish_reason = ""
        self._tokens: tuple[int | None, int | None] = (None, None)
        self._characters = 0

    def add(self, chunk: BaseMessage) -> None:
        """Take in one message chunk. Raises: FaultError for an answer that does not end."""
        extra = chunk.additional_kwargs
        thought = str(extra.get("reasoning_content") or extra.get("reasoning") or "")
        self._text.append(chunk.text)
        self._thoughts.append(thought)
        self._refusal.append(str(extra.get("refusal") or ""))
        self._finish_reason = str(chunk.response_metadata.get("finish_reason") or self._finish_reason)
        if isinstance(chunk, AIMessageChunk):
            self._add_calls_and_tokens(chunk)
        self._characters += len(chunk.text) + len(thought)
        if self._characters > MAX_CHARACTERS:
            raise FaultError(Fault(ModelBudgetError(CUT)))
        self._on_chunk("thinking" if thought else "writing", self._characters)

    def _add_calls_and_tokens(self, chunk: AIMessageChunk) -> None:
        for part in chunk.tool_call_chunks:
            call = self._calls.setdefault(part.get("index"), ["", ""])
            call[0] += part.get("name") or ""
            call[1] += part.get("args") or ""
        if chunk.usage_metadata:  # the last one counts: some servers send a running total with every chunk
            self._tokens = (chunk.usage_metadata["input_tokens"], chunk.usage_metadata["output_tokens"])

    def answer(self) -> Answer:
        """Everything that came."""
        return Answer(
            text="".join(self._text),
            reasoning="".join(self._thoughts),
            refusal="".join(self._refusal),
            finish_reason=self._finish_reason,
            tool_calls=tuple(ToolCall(name, arguments) for name, arguments in self._calls.values()),
            input_tokens=self._tokens[0],
            output_tokens=self._tokens[1],
        )
