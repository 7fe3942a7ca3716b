"""How an endpoint is asked for JSON, and what it was found to refuse.

Services differ in what they take: some know no `json_schema`, some no `temperature`, some only one name of the output limit. A
refusal (status 400) is understood once, the request is made again without what was refused, and the endpoint's habits are
remembered, in the process and in `endpoints.json` under a hash of address and model.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from integrations.model_endpoint import METHODS, CapField, Method, ModelEndpoint
from integrations.private import private_folder
from schema.ports import ModelRequest

FILE_NAME = "endpoints.json"
MAX_REMEMBERED = 200
_LEFT_OUT = frozenset({"title", "default", "examples", "minLength", "maxLength", "pattern", "format"})
"""Keywords that strict services refuse or that make a grammar explode; the answer is validated here anyway."""
_NAMED = frozenset({"properties", "$defs", "definitions"})
"""Keywords whose keys are names of the author's, not keywords."""
_REFUSING = re.compile(
    r"unsupported|not supported|unknown|unrecognized|unrecognised|not permitted|extra (?:input|field)|use '|invalid param"
)
_FORMAT = re.compile(r"response_format|json_schema|json_object|json mode|structured output|guided|grammar|invalid schema")
_TOOLS = re.compile(r"\btools?\b|tool_choice|\bfunctions?\b|function call")
_OBJECTIONS: Mapping[str, re.Pattern[str]] = {
    "temperature": re.compile("temperature"),
    "thinking": re.compile(r"thinking|reasoning_effort|chat_template_kwargs"),
    "stream_options": re.compile("stream_options"),
    "stream": re.compile(r"\bstream(?:ing|ed)?\b"),
}
"""Habits that can be given up, and how a refusal names what they send."""


@dataclass(frozen=True)
class Habits:
    """What an endpoint takes."""

    method: Method
    cap_field: CapField
    temperature: bool = True
    thinking: bool = True
    stream_options: bool = True
    stream: bool = True
    """False: it refuses to stream, and is asked for one body."""
    spelled_out: bool = False
    """True: it was seen to ignore how JSON is asked for, so the prompt shows the schema too."""


def first_habits(endpoint: ModelEndpoint) -> Habits:
    """What is tried when nothing is known."""
    return Habits(endpoint.first_method, endpoint.cap_field)


def adapted(endpoint: ModelEndpoint, habits: Habits, refusal: str) -> Habits | None:
    """Habits without what the endpoint's refusal (in lower case) objects to; None when it is about something else.

    Each habit changes at most once. A method that the user chose is never changed.
    """
    if endpoint.method == "auto" and (following := _next_method(habits.method, refusal)):
        return replace(habits, method=following)
    for field, objection in _OBJECTIONS.items():
        if getattr(habits, field) and objection.search(refusal):
            return _without(habits, field)
    if habits.cap_field == endpoint.cap_field and habits.cap_field in refusal and _REFUSING.search(refusal):
        return replace(habits, cap_field=_other_cap(habits.cap_field))
    return None


def _without(habits: Habits, field: str) -> Habits:
    fields: dict[str, Any] = {**asdict(habits), field: False}
    return Habits(**fields)


def is_about_method(refusal: str) -> bool:
    """True when the refusal is about how JSON was asked for."""
    return bool(_FORMAT.search(refusal) or _TOOLS.search(refusal))


def _next_method(method: Method, refusal: str) -> Method | None:
    objection = {"json_schema": _FORMAT, "json_mode": _FORMAT, "function_calling": _TOOLS}.get(method)
    if objection is None or not objection.search(refusal):
        return None
    return METHODS[METHODS.index(method) + 1]


def _other_cap(field: CapField) -> CapField:
    return "max_tokens" if field == "max_completion_tokens" else "max_completion_tokens"


def request_body(endpoint: ModelEndpoint, habits: Habits, request: ModelRequest, max_output_tokens: int) -> dict[str, Any]:
    """The fields of the request beside model, messages and temperature."""
    body: dict[str, Any] = {habits.cap_field: max_output_tokens}
    if not habits.stream:
        body["stream"] = False  # goes before what the client sends; the body is read as a stream of one piece
    if habits.thinking:
        body |= endpoint.thinking_fields()
    name, schema = request.schema_name, strict_schema(request.json_schema)
    if habits.method == "json_schema":
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": True}}
    elif habits.method == "json_mode":
        body["response_format"] = {"type": "json_object"}
    elif habits.method == "function_calling":
        body["tools"] = [{"type": "function", "function": {"name": name, "description": "Give the answer.", "parameters": schema}}]
        body["tool_choice"] = {"type": "function", "function": {"name": name}}
    return body


def instruction(habits: Habits, request: ModelRequest) -> str:
    """What the system prompt says about the answer's form; with a schema enforced by the service, nothing."""
    if habits.method == "json_schema" and not habits.spelled_out:
        return ""
    if habits.method == "function_calling":
        return f"\n\nGive your answer by calling the function {request.schema_name} exactly once."
    return f"\n\n{form_of(request)}"


def form_of(request: ModelRequest) -> str:
    """The sentence that shows the schema."""
    schema = json.dumps(strict_schema(request.json_schema), separators=(",", ":"))
    return f"Answer with one JSON object ({request.schema_name}) that fits this JSON schema, and with nothing else: {schema}"


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as strict services want it: no optional key, no further key, no keyword that they don't know."""
    cleaned = {key: _cleaned(key, value) for key, value in schema.items() if key not in _LEFT_OUT}
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        cleaned |= {"required": list(properties), "additionalProperties": False}
    return cleaned


def _cleaned(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: strict_schema(inner) for name, inner in value.items()} if key in _NAMED else strict_schema(value)
    if isinstance(value, list):
        return [strict_schema(item) if isinstance(item, Mapping) else item for item in value]
    return value


class EndpointMemory:
    """The habits of endpoints. `folder` None keeps them in the process only. Neither address nor key is written."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / FILE_NAME
        self._known: dict[str, Habits] = {}
        self._read = False

    def of(self, endpoint: ModelEndpoint) -> Habits:
        """What is known of the endpoint. A method that the user sets goes before a remembered one."""
        self._load()
        known = self._known.get(_name(endpoint), first_habits(endpoint))
        return known if endpoint.method == "auto" else replace(known, method=endpoint.method)

    def remember(self, endpoint: ModelEndpoint, habits: Habits) -> None:
        """Keep what has worked. Nothing is raised when it can't be written: it is found out again."""
        if self.of(endpoint) == habits and _name(endpoint) in self._known:
            return
        is_usual = habits == first_habits(endpoint) and _name(endpoint) not in self._known
        self._known[_name(endpoint)] = habits
        if not is_usual:
            self._save()

    def _load(self) -> None:
        if self._read or self._path is None:
            return
        self._read = True
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            self._known |= {str(name): _habits(plain) for name, plain in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError, KeyError):
            return  # none yet, or damaged: what is in there is only worth a call or two

    def _save(self) -> None:
        if self._path is None:
            return
        newest = dict(list(self._known.items())[-MAX_REMEMBERED:])
        temporary = self._path.with_name(f".{FILE_NAME}.{os.getpid()}")
        try:
            private_folder(self._path.parent)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
                json.dump({name: asdict(habits) for name, habits in newest.items()}, opened)
            temporary.replace(self._path)
        except OSError:
            return  # a full disk or a read-only home is reported by what needs it


def _habits(plain: Mapping[str, Any]) -> Habits:
    """Raises: ValueError, KeyError, TypeError for what is none."""
    if plain["method"] not in METHODS or plain["cap_field"] not in {"max_tokens", "max_completion_tokens"}:
        raise ValueError("no habits")
    switches = {name: bool(plain[name]) for name in ("temperature", "thinking", "stream_options")}
    switches |= {name: bool(plain[name]) for name in ("stream", "spelled_out") if name in plain}  # not in older files
    return Habits(plain["method"], plain["cap_field"], **switches)


def _name(endpoint: ModelEndpoint) -> str:
    return hashlib.sha256(f"{endpoint.base_url}\n{endpoint.model}".encode()).hexdigest()[:16]
