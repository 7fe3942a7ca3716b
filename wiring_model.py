"""The model's side of the wiring: from settings to the client and the agents that ask it. Opens nothing, sends nothing.

events = ModelEvents()                           what a person may see of calls; the command line sets `events.listener`
model = build_model(settings, save=True, events=events)
manager, reviewer, fixer = build_agents(model, inspector, verifier, settings)
report = probe(settings, online=False)           asks the endpoint (for doctor): a list of models, and one question when online
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from errors import ModelError
from schema.model_event import ModelEvent
from schema.ports import Fixer, Inspector, LanguageModel, Manager, Reviewer, Verifier
from schema.work_event import WorkEvent
from settings import Settings

if TYPE_CHECKING:
    from integrations.model_endpoint import ModelEndpoint

E = TypeVar("E")
MODEL_MODULES = ("integrations.chat_client", "tenacity")
"""What a first question imports; most of a second."""


class Events(Generic[E]):
    """Passes on what happens while a task runs, from any thread. Whoever shows it sets `listener` before the task."""

    def __init__(self) -> None:
        self.listener: Callable[[E], None] | None = None

    def __call__(self, event: E) -> None:
        """Show one moment, when somebody watches."""
        if self.listener is not None:
            self.listener(event)


class ModelEvents(Events[ModelEvent]):
    """What a model does."""


class WorkEvents(Events[WorkEvent]):
    """Test commands and analysers that run."""


def endpoint_of(settings: Settings) -> ModelEndpoint | None:
    """The endpoint that the settings name; None when no model reviews."""
    from integrations.model_endpoint import ModelEndpoint

    target = settings.target
    if target is None:
        return None
    return ModelEndpoint(
        base_url=target.base_url,
        model=target.model,
        reveal_key=target.key.reveal,
        key_variable=target.key_variable,
        method=settings.llm_structured_output_method,
        thinking=settings.llm_thinking_mode,
        temperature=settings.llm_temperature,
    )


def build_model(settings: Settings, *, save: bool, events: ModelEvents) -> LanguageModel | None:
    """The model of one session; None when none reviews. With `save` False what is learnt about its endpoint is not written."""
    from integrations.chat_model import ChatModel
    from integrations.model_meter import ModelLimits
    from integrations.model_methods import EndpointMemory

    endpoint = endpoint_of(settings)
    if endpoint is None:
        return None
    limits = ModelLimits(
        call_timeout_s=settings.llm_timeout_seconds,
        task_timeout_s=settings.run_timeout_seconds,
        max_calls=settings.max_llm_calls,
        input_price_usd=settings.llm_price_input,
        output_price_usd=settings.llm_price_output,
    )
    return ChatModel(endpoint, limits, EndpointMemory(settings.codemind_home if save else None), listen=events)


def build_agents(model: LanguageModel, inspector: Inspector, verifier: Verifier, settings: Settings) -> tuple[Manager, Reviewer, Fixer]:
    """Manager, reviewer and fixer that ask the model."""
    from agents.manager import StaticManager
    from agents.model_fixer import ModelFixer
    from agents.model_manager import ModelManager
    from agents.model_reviewer import ModelReviewer

    reviewer = ModelReviewer(model, settings.max_findings, settings.max_llm_calls)
    return ModelManager(model, StaticManager()), reviewer, ModelFixer(model, inspector, verifier)


def probe(settings: Settings, *, online: bool) -> tuple[str, str]:
    """What `doctor` says about the endpoint, and its problem (empty when there is none). `online` also asks a question."""
    import asyncio  # late: `recall` answers without it

    return asyncio.run(_probed(settings, online=online))


async def _probed(settings: Settings, *, online: bool) -> tuple[str, str]:
    from integrations.chat_model import ChatModel
    from integrations.model_meter import ModelLimits
    from integrations.model_methods import EndpointMemory
    from integrations.model_probe import list_models, working_method

    endpoint = endpoint_of(settings)
    if endpoint is None:
        return "", ""
    about = f"{endpoint.model} at {endpoint.host}"
    try:
        listing = await list_models(endpoint)
        about += f"; {listing.words(endpoint)}"
        if online:
            memory = EndpointMemory(settings.codemind_home)
            model = ChatModel(endpoint, ModelLimits(settings.llm_timeout_seconds, settings.run_timeout_seconds), memory)
            about += f"; answers by {await working_method(model, endpoint, memory)}"
    except ModelError as error:
        return about, error.message
    return about, listing.problem(endpoint)
