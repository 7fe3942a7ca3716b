"""Whether a model's endpoint is there: which models it lists, and by which method it answers in JSON."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from errors import ModelError
from integrations.chat_model import ChatModel
from integrations.model_endpoint import ModelEndpoint
from integrations.model_faults import fault_of
from integrations.model_methods import EndpointMemory
from schema.ports import ModelRequest

LISTING_TIMEOUT_S = 3.0
MAX_MODELS = 1_000
NO_LISTING = "it lists no models"
_QUESTION = ModelRequest(
    task_id="doctor",
    role="manager",
    system="You check a connection.",
    user="Answer with ok set to true.",
    schema_name="Check",
    json_schema={"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"], "additionalProperties": False},
    max_output_tokens=1_024,
)


@dataclass(frozen=True)
class Listing:
    """What the endpoint lists. `models` is None when it has no list (many don't), `knows_model` then too."""

    models: int | None
    knows_model: bool | None

    def words(self, endpoint: ModelEndpoint) -> str:
        """For a person."""
        if self.models is None:
            return NO_LISTING
        but = "" if self.knows_model is not False else f", {endpoint.model} is not among them"
        return f"it lists {self.models} model{'' if self.models == 1 else 's'}{but}"

    def problem(self, endpoint: ModelEndpoint) -> str:
        """What is wrong; empty when nothing is. A server that is not known may serve any name (llama.cpp) or list only some."""
        if self.knows_model is not False or endpoint.service == "other":
            return ""
        return "the endpoint does not list the model that LLM_MODEL names"


async def list_models(endpoint: ModelEndpoint, timeout_s: float = LISTING_TIMEOUT_S) -> Listing:
    """Ask for the list: costs nothing. Raises: ModelError when the endpoint can't be reached or refuses the key."""
    from integrations.chat_client import open_client

    limit = asyncio.timeout(timeout_s)
    try:
        async with limit, open_client(endpoint, timeout_s) as client:
            listed = await client.models.list()
            names = [model.id for model in (listed.data or [])[:MAX_MODELS]]
    except ModelError:
        raise
    except Exception as error:  # noqa: BLE001 - as in chat_model
        if getattr(error, "status_code", None) in {404, 405, 501}:
            return Listing(None, None)
        if limit.expired():
            raise ModelError(f"The model's endpoint did not answer within {timeout_s:g} s; check LLM_BASE_URL and the network.") from None
        raise fault_of(error, endpoint, timeout_s).error from None
    return Listing(len(names), endpoint.model in names if names else None)


async def working_method(model: ChatModel, endpoint: ModelEndpoint, memory: EndpointMemory) -> str:
    """Ask a tiny question; the method by which it was answered. Costs a few tokens. Raises: ModelError."""

    def parse(text: str) -> bool:
        if json.loads(text).get("ok") is not True:
            raise ValueError("ok: must be true")
        return True

    model.begin(_QUESTION.task_id)
    await model.ask(_QUESTION, parse)
    return memory.of(endpoint).method
