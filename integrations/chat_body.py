"""A whole JSON answer where a stream was asked for, told as the stream it should have been.

Proxies and old servers ignore `stream: true` and send `{"choices": [{"message": ...}]}`, under any content type. What stands in it is the
answer that was paid for, so it is read instead of asked for again. A stream is passed through as it comes.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from typing import Any, Final

import httpx2

MAX_BODY_BYTES: Final = 32 << 20
"""More than any answer has; a longer body is handed on cut, and so is none."""
_LEFT_BEHIND = frozenset({"content-encoding", "content-length", "transfer-encoding", "content-type"})


class StreamingClient(httpx2.AsyncClient):
    """Whatever was sent with success reads as server-sent events."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """As the base class; see the module."""
        response = await super().send(request, **options)
        if not options.get("stream") or not response.is_success:
            return response
        try:
            return await _as_stream(response)
        except BaseException:
            await response.aclose()
            raise


async def _as_stream(response: httpx2.Response) -> httpx2.Response:
    """The response, or one with the same answer as events when its body begins like an object."""
    pieces = aiter(response.aiter_bytes())
    head = b""
    async for piece in pieces:
        head += piece
        if head.strip():
            break
    body = _Replayed(response, head, pieces)
    if head.lstrip().startswith(b"{"):
        body = _Replayed(response, events_of(await body.whole()), None)
    headers = {name: value for name, value in response.headers.items() if name.lower() not in _LEFT_BEHIND}
    return httpx2.Response(
        response.status_code, headers={**headers, "content-type": "text/event-stream"}, stream=body, request=response.request
    )


class _Replayed(httpx2.AsyncByteStream):
    """What was read already, and then the rest; closing it closes the connection."""

    def __init__(self, response: httpx2.Response, head: bytes, rest: AsyncIterator[bytes] | None) -> None:
        self._response = response
        self._head = head
        self._rest = rest

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        yield self._head
        if self._rest is not None:
            async for piece in self._rest:
                yield piece

    async def whole(self) -> bytes:
        """Everything, up to MAX_BODY_BYTES."""
        body = bytearray()
        async for piece in self:
            body += piece
            if len(body) > MAX_BODY_BYTES:
                break
        return bytes(body)

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._response.aclose()


def events_of(body: bytes) -> bytes:
    """A completion as events; what is none stays as it is, and the client will say so."""
    try:
        completion = json.loads(body)
    except (ValueError, RecursionError):
        return body
    chunks = [*_chunks(completion)] if isinstance(completion, dict) else []
    return "".join(f"data: {text}\n\n" for text in [*map(json.dumps, chunks), "[DONE]"]).encode()


def _chunks(completion: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """An error object as it is; else the message in one piece, and the tokens."""
    if completion.get("error"):
        yield dict(completion)
        return
    named = {"id": "whole", "object": "chat.completion.chunk", "created": 0, "model": str(completion.get("model") or "")}
    choices = completion.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if isinstance(first, dict) and isinstance(message, dict):
        # It came to its end: a server that names no reason has none but that.
        finish = first.get("finish_reason") or "stop"
        yield {**named, "choices": [{"index": 0, "delta": _delta(message), "finish_reason": finish}]}
    if isinstance(completion.get("usage"), dict):
        yield {**named, "choices": [], "usage": completion["usage"]}


def _delta(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message as a piece of one: calls of functions are numbered there."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return {key: value for key, value in message.items() if key != "tool_calls"}
    return {**message, "tool_calls": [{"index": index, **call} for index, call in enumerate(calls) if isinstance(call, dict)]}
