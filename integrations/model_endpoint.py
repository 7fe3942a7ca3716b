"""Where a model lives and what is known of that service before it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from utils.hosts import belongs_to, host_of, is_loopback

Method = Literal["json_schema", "json_mode", "function_calling", "prompt"]
Service = Literal["openai", "deepseek", "siliconflow", "ollama", "other"]
CapField = Literal["max_tokens", "max_completion_tokens"]

METHODS: tuple[Method, ...] = ("json_schema", "json_mode", "function_calling", "prompt")
"""From the strictest to the loosest: the order in which an endpoint that refuses one is asked by the next."""
NO_KEY = "none"
"""What stands in the header where no key is needed: a client without one would look for OPENAI_API_KEY."""
OLLAMA_PORT = 11434
_SERVICES: Mapping[str, Service] = {
    "openai.com": "openai",
    "openai.azure.com": "openai",
    "deepseek.com": "deepseek",
    "siliconflow.cn": "siliconflow",
    "siliconflow.com": "siliconflow",
}


@dataclass(frozen=True)
class ModelEndpoint:
    """One model at one address. The key is not in here: `reveal_key` gives it to the client that sends it."""

    base_url: str
    model: str
    reveal_key: Callable[[], str] = field(repr=False)
    key_variable: str = "LLM_API_KEY"
    """Which setting the key came from, for sentences about it."""
    method: Method | Literal["auto"] = "auto"
    thinking: str = ""
    """enabled, disabled, an effort (none minimal low medium high), or empty: the service's own default."""
    temperature: float | None = None
    """For every role; None: each request's own."""

    @property
    def host(self) -> str:
        """Where code goes."""
        return host_of(self.base_url)

    @property
    def is_loopback(self) -> bool:
        """True when the server runs on this machine."""
        return is_loopback(self.base_url)

    @property
    def service(self) -> Service:
        """Whose service it is, by its address."""
        if self.is_loopback and urlsplit(self.base_url).port == OLLAMA_PORT:
            return "ollama"
        return next((service for domain, service in _SERVICES.items() if belongs_to(self.base_url, domain)), "other")

    @property
    def first_method(self) -> Method:
        """How it is asked for JSON before anything else is known. DeepSeek knows no schema."""
        if self.method != "auto":
            return self.method
        return "json_mode" if self.service == "deepseek" else "json_schema"

    @property
    def cap_field(self) -> CapField:
        """How the output limit is named: OpenAI refuses the old name for new models, others ignore the new one."""
        return "max_completion_tokens" if self.service == "openai" else "max_tokens"

    def thinking_fields(self) -> dict[str, Any]:
        """What the request says about thinking, in the service's own words."""
        if self.thinking in {"", "enabled", "disabled"}:
            return _switched(self.service, self.thinking)
        return {"reasoning_effort": self.thinking}


def _switched(service: Service, thinking: str) -> dict[str, Any]:
    """Fields that switch thinking on or off. Unset, it is off at DeepSeek (it would double time and cost) and untouched elsewhere."""
    if service == "deepseek":
        return {"thinking": {"type": thinking or "disabled"}}
    if not thinking:
        return {}
    on = thinking == "enabled"
    fields: dict[Service, dict[str, Any]] = {
        "openai": {"reasoning_effort": "medium" if on else "none"},
        "ollama": {"reasoning_effort": "medium" if on else "none"},
        "siliconflow": {"enable_thinking": on},
        "other": {"chat_template_kwargs": {"enable_thinking": on}},  # vLLM, llama.cpp, SGLang
    }
    return fields[service]
