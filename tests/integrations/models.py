"""Asking the real chat model on the scripted server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from integrations.chat_model import ChatModel
from integrations.model_endpoint import ModelEndpoint
from integrations.model_meter import ModelLimits
from integrations.model_methods import EndpointMemory
from schema.model_event import ModelEvent
from schema.ports import ModelRequest, ModelRole
from tests.model_server import ModelServer

SHORT_S = 0.3
"""Limit of a call in tests about servers that never answer: the outcome is the same however slow the machine."""
PLAN_SCHEMA = {
    "type": "object",
    "properties": {"thoughts": {"type": "string"}, "steps": {"type": "array", "items": {"type": "string"}}},
    "required": ["thoughts", "steps"],
}


def a_request(role: ModelRole = "manager", task_id: str = "1", **changes: Any) -> ModelRequest:
    """A question for a plan."""
    fields = {"system": "You plan.", "user": "def f(): ...", "schema_name": "TaskPlan", "json_schema": PLAN_SCHEMA}
    return ModelRequest(task_id=task_id, role=role, **{**fields, **changes})


def parse_plan(text: str) -> list[str]:
    """The steps. Raises: ValueError."""
    value = json.loads(text)
    if set(value) != {"thoughts", "steps"}:
        raise ValueError("thoughts and steps are required, nothing else is allowed")
    return [str(step) for step in value["steps"]]


@dataclass
class Asked:
    """A chat model, what it told its listener, and how long it would have waited."""

    model: ChatModel
    events: list[ModelEvent] = field(default_factory=list)
    waits_s: list[float] = field(default_factory=list)

    async def plan(self, request: ModelRequest | None = None) -> list[str]:
        """Ask for a plan."""
        return await self.model.ask(request or a_request(), parse_plan)


def a_model(server: ModelServer, memory: EndpointMemory | None = None, limits: ModelLimits | None = None, **endpoint: Any) -> Asked:
    """A chat model at the server; waiting takes no time."""
    waits: list[float] = []
    events: list[ModelEvent] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    fields = {"base_url": server.url, "model": "m", "reveal_key": lambda: "sk-test", **endpoint}
    model = ChatModel(ModelEndpoint(**fields), limits or ModelLimits(), memory or EndpointMemory(None), listen=events.append, sleep=sleep)
    return Asked(model, events, waits)


def texts(messages: Sequence[dict[str, Any]]) -> str:
    """All messages of a request as one text."""
    return "\n".join(str(message["content"]) for message in messages)
