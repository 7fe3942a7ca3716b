"""What the scripted model server can answer with: one name for each way in which such servers behave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SCHEMA_ROLES = {"TaskPlan": "plan", "ReviewerOutput": "review", "FixResult": "fix"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
JSON_FORMATS = ("json_schema", "json_mode", "function_calling", "prompt")

PLAN = {"thoughts": "review it", "steps": ["read the loop"]}
NOTHING_FOUND = {"summary": "nothing is wrong", "findings": []}
NO_FIX = {"fixed_code": "x = 1\n", "explanation": "nothing to do"}


@dataclass(frozen=True)
class Reply:
    """One answer. `mode` is a key of STATUSES or MODES; `content` is what the model says (the role's usual answer when None).

    It is given to the next request of its `role` that asks for JSON by one of `methods` and holds the text `about`; with
    `always` to every one.
    """

    mode: str = "good"
    content: str | None = None
    role: str | None = None
    about: str = ""
    methods: tuple[str, ...] = JSON_FORMATS
    always: bool = False
    retry_after: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def failing(message: str, code: str | None = None, kind: str = "invalid_request_error", param: str | None = None) -> dict[str, Any]:
    """An error body as OpenAI writes it."""
    return {"error": {"message": message, "type": kind, "code": code, "param": param}}


STATUSES: dict[str, tuple[int, dict[str, Any] | str]] = {
    "400": (400, failing("Bad request")),
    "400 response_format": (400, failing("This response_format type is unavailable now")),
    "400 tools": (400, failing("tools are not supported by this model")),
    "400 context": (400, failing("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
    "400 llama.cpp context": (400, failing("the request exceeds the available context size", kind="exceed_context_size_error")),
    "400 content filter": (400, failing("The response was filtered", "content_filter")),
    "400 temperature": (400, failing("Unsupported value: 'temperature' does not support 0", "unsupported_value", param="temperature")),
    "400 completion": (
        400,
        failing("This model's maximum context length is 8192 tokens, you asked for 9000 (808 in the messages, 8192 in the completion)."),
    ),
    "400 stream": (400, failing("Your organization must be verified to stream this model.", "unsupported_value", param="stream")),
    "400 max_tokens": (400, failing("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens")),
    "401": (401, failing("Incorrect API key provided: {key}. You can find your API key at https://example.com/keys.", "invalid_api_key")),
    "402": (402, failing("Insufficient Balance", "invalid_request_error", "unknown_error")),
    "403": (403, failing("You are not allowed to sample from this model")),
    "404": (404, failing("The model does not exist", "model_not_found")),
    "413": (413, failing("Request too large")),
    "422": (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required", "input": "def f(): tools, response_format"}]}),
    "429": (429, failing("Rate limit reached", "rate_limit_exceeded", "requests")),
    "quota": (429, failing("You exceeded your current quota", "insufficient_quota", "insufficient_quota")),
    "500": (500, failing("The server had an error", kind="server_error")),
    "502": (502, "<html><body><h1>502 Bad Gateway</h1></body></html>"),
    "503": (503, failing("Loading model", kind="unavailable_error")),
    "301": (301, "moved"),
    "307": (307, "moved"),
    "html": (200, "<!doctype html><html><body>Welcome</body></html>"),
    "empty": (200, ""),
}
"""Answers that are a status and a body; the key as it was sent stands for {key}."""


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk of a stream."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def usage_chunk() -> dict[str, Any]:
    """The last chunk: no choices, the tokens."""
    return {**delta(), "choices": [], "usage": USAGE}


def said(text: str, finish: str | None = "stop") -> Iterator[dict[str, Any]]:
    """Text in pieces, the end, and the tokens."""
    yield delta(role="assistant", content="")
    for start in range(0, len(text), 40):
        yield delta(content=text[start : start + 40])
    if finish is not None:
        yield delta(finish)
        yield usage_chunk()


def called(*names: str, text: str) -> Iterator[dict[str, Any]]:
    """Calls of functions, the arguments in two pieces."""
    for index, name in enumerate(names):
        yield delta(tool_calls=[{"index": index, "id": f"t{index}", "type": "function", "function": {"name": name, "arguments": text[:5]}}])
        yield delta(tool_calls=[{"index": index, "function": {"arguments": text[5:]}}])
    yield delta("tool_calls")
    yield usage_chunk()


def thought(text: str, then: str, finish: str = "stop") -> Iterator[dict[str, Any]]:
    """Reasoning in its own field, then the answer."""
    yield delta(role="assistant", reasoning_content=text)
    yield from said(then, finish)


def without_choices(value: object) -> Iterator[dict[str, Any]]:
    """Chunks whose choices are not there."""
    yield {**delta(), "choices": value}


Chunks = Iterator[dict[str, Any]]
MODES: dict[str, Callable[[str, str], Chunks]] = {
    "good": lambda text, _: said(text),
    "fenced": lambda text, _: said(f"```json\n{text}\n```"),
    "prose": lambda text, _: said(f"Sure! Here is what I found in f(x) {{really}}:\n\n{text}\n\nLet me know if it helps."),
    "think": lambda text, _: said(f'<think>Maybe {{"findings": 1}}? No.</think>\n{text}'),
    "think unopened": lambda text, _: said(f"The code loops.\n</think>\n\n{text}"),
    "reasoning": lambda text, _: thought("let me see", text),
    "only reasoning": lambda text, _: thought(text, ""),
    "reasoning, cut": lambda *_: thought("thinking...", "", "length"),
    "length": lambda text, _: said(text[: len(text) // 2], "length"),
    "content filter": lambda text, _: said(text[:5], "content_filter"),
    "refusal": lambda *_: iter([delta(role="assistant", refusal="I can't help with that."), delta("stop"), usage_chunk()]),
    "null content": lambda *_: iter([delta(role="assistant", content=None), delta("stop"), usage_chunk()]),
    "empty content": lambda *_: said(""),
    "invalid json": lambda text, _: said(text[:-3]),
    "schema violation": lambda *_: said('{"nothing": "of the kind"}'),
    "no json": lambda *_: said("I would rather talk about the weather."),
    "no finish reason": lambda text, _: said(text, None),
    "empty choices": lambda *_: without_choices([]),
    "null choices": lambda *_: without_choices(None),
    "wrong tool": lambda text, _: called("SearchTheWeb", text=text),
    "two tools": lambda text, name: called(name, name, text=text),
    "tool": lambda text, name: called(name, text=text),
    "overloaded": lambda text, _: said(text[:10], "insufficient_system_resource"),
}
"""Streams that come to their end; called with the answer and the schema's name."""


def completed(message: dict[str, Any], finish: str | None = "stop") -> dict[str, Any]:
    """A whole answer, as a server sends it that knows no streams."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}


def completed_call(text: str, name: str) -> dict[str, Any]:
    """A whole answer that calls a function."""
    call = {"id": "t0", "type": "function", "function": {"name": name, "arguments": text}}
    return completed({"content": None, "tool_calls": [call]}, "tool_calls")


WHOLE: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "whole": lambda text, _: completed({"content": text}),
    "whole, thinking": lambda text, _: completed({"content": text, "reasoning_content": "let me see"}),
    "whole, endless": lambda text, _: completed({"content": text}, None),
    "whole tool": completed_call,
    "whole refusal": lambda *_: completed({"content": None, "refusal": "I can't help with that."}),
    "whole, cut": lambda text, _: completed({"content": text[: len(text) // 2]}, "length"),
    "whole error": lambda *_: failing("overloaded", kind="server_error"),
    "whole, no choices": lambda *_: {**completed({}), "choices": []},
}
"""Answers in one JSON body although a stream was asked for."""


def usual_answer(role: str) -> str:
    """What a role says when nothing else is scripted."""
    return json.dumps({"plan": PLAN, "review": NOTHING_FOUND, "fix": NO_FIX}.get(role, {}))
