"""Which model reviews: what LLM_* and DEEPSEEK_* together mean, and what is wrong with them.

LLM_* go before DEEPSEEK_*. A key goes to the address that was set in the same place as the key, and nowhere else: an address
in a `.env` can't draw off a key that the user exported, nor the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from errors import ConfigInvalidError
from utils.hosts import belongs_to, host_of, is_local

if TYPE_CHECKING:
    from settings import Secret, Settings

OPENAI_URL: Final = "https://api.openai.com/v1"
DEEPSEEK_URL: Final = "https://api.deepseek.com"
DEEPSEEK_MODEL: Final = "deepseek-v4-flash"
OPENAI_KEY_UNUSED: Final = (
    "OPENAI_API_KEY is set for other programs and not used here; to review with that account, set LLM_API_KEY and LLM_MODEL"
)
ADDRESS_WITHOUT_KEY: Final = "LLM_BASE_URL is set without LLM_API_KEY: no model is used"
_CHAT_PATH = "/chat/completions"


@dataclass(frozen=True)
class ModelTarget:
    """The model that is asked, and the key for it (empty for a local server). `key_variable` is where the key was set."""

    base_url: str
    model: str
    key: Secret
    key_variable: str
    url_variable: str

    @property
    def host(self) -> str:
        """Where code goes."""
        return host_of(self.base_url)


def wants_model(settings: Settings) -> bool:
    """True when `auto` means a model: a key of ours is there, or the address of a local server."""
    has_local = bool(settings.llm_base_url) and is_local(settings.llm_base_url)
    return bool(settings.llm_api_key or settings.deepseek_api_key) or has_local


def target_of(settings: Settings) -> ModelTarget:
    """The model that the settings name, complete or not; see `check_target`."""
    if settings.llm_api_key or not settings.deepseek_api_key or _has_own_address(settings):
        address = (settings.llm_base_url or OPENAI_URL).removesuffix(_CHAT_PATH)
        return ModelTarget(address, settings.llm_model, settings.llm_api_key, "LLM_API_KEY", "LLM_BASE_URL")
    address = (settings.llm_base_url or settings.deepseek_base_url or DEEPSEEK_URL).removesuffix(_CHAT_PATH)
    variable = "LLM_BASE_URL" if settings.llm_base_url else "DEEPSEEK_BASE_URL"
    model = settings.llm_model or settings.deepseek_model or DEEPSEEK_MODEL
    return ModelTarget(address, model, settings.deepseek_api_key, "DEEPSEEK_API_KEY", variable)


def _has_own_address(settings: Settings) -> bool:
    """True when LLM_BASE_URL names another service than the one DEEPSEEK_API_KEY is for."""
    return bool(settings.llm_base_url) and not belongs_to(settings.llm_base_url, "deepseek.com")


def check_target(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raises: ConfigInvalidError that names the variable, when the model can't be asked with these settings."""
    target = target_of(settings)
    if not target.key and not is_local(target.base_url):
        hint = ", and DEEPSEEK_API_KEY goes to DeepSeek only" if settings.deepseek_api_key else ""
        raise ConfigInvalidError(f"LLM_API_KEY is not set: {target.host} needs one{hint}. Set it, or REVIEWER_PROVIDER=static.")
    if not target.model:
        raise ConfigInvalidError("LLM_MODEL is not set: name the model that shall review, or set REVIEWER_PROVIDER=static.")
    if not target.key:
        return
    _check_key(target)
    _check_places(target, origins)


def check_embedding(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raises: ConfigInvalidError that names the variable, when EMBEDDER=endpoint can't be asked with these settings. As for a model."""
    address = settings.embedding_base_url
    if not address:
        raise ConfigInvalidError("EMBEDDING_BASE_URL is not set: EMBEDDER=endpoint needs one. Set it, or EMBEDDER=structural.")
    target = ModelTarget(address, settings.embedding_model, settings.embedding_api_key, "EMBEDDING_API_KEY", "EMBEDDING_BASE_URL")
    if not target.key and not is_local(address):
        raise ConfigInvalidError(f"EMBEDDING_API_KEY is not set: {target.host} needs one. Set it, or EMBEDDER=structural.")
    if target.key:
        _check_key(target)
        _check_places(target, origins)


def check_sharing(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raises: ConfigInvalidError that names the variable, when CHROMA_TOKEN can't be sent to CHROMA_URL, or would be read on the way."""
    target = ModelTarget(settings.chroma_url, "", settings.chroma_token, "CHROMA_TOKEN", "CHROMA_URL")
    _check_key(target)
    _check_places(target, origins)
    if target.base_url.lower().startswith("http:") and not is_local(target.base_url):
        raise ConfigInvalidError(
            f"CHROMA_URL begins with http://: CHROMA_TOKEN would go to {target.host} for everyone to read. Use https://."
        )


def _check_key(target: ModelTarget) -> None:
    """Raises: ConfigInvalidError for a key that fits into no header."""
    key = target.key.reveal()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigInvalidError(f"{target.key_variable} can't be used: a key is one word of plain letters, digits and signs.")


def _check_places(target: ModelTarget, origins: Mapping[str, str]) -> None:
    """Raises: ConfigInvalidError when key and address come from different places. A default address is the key's own."""
    key_place, address_place = origins[target.key_variable.lower()], origins[target.url_variable.lower()]
    if address_place not in {key_place, "default"}:
        raise ConfigInvalidError(
            f"{target.key_variable} ({key_place}) and {target.url_variable} ({address_place}) come from different places; "
            "a key is sent only to the address set beside it. Set both in one place."
        )


def note_of(settings: Settings) -> str:
    """What is configured and not used, and where code goes for vectors; empty when there is nothing to say."""
    return "; ".join(filter(None, (_unused(settings), _sent_for_vectors(settings), _open_to_read(settings))))


def _open_to_read(settings: Settings) -> str:
    """Without a token there is nothing to steal but the fixes themselves."""
    address = settings.chroma_url
    if not address.lower().startswith("http:") or is_local(address):
        return ""
    return f"CHROMA_URL begins with http://: saved fixes go to {host_of(address)} for everyone on the way to read; use https://"


def _sent_for_vectors(settings: Settings) -> str:
    if settings.embedder != "endpoint":
        return ""
    return f"EMBEDDER=endpoint: for near past fixes code goes, without its own names, to {host_of(settings.embedding_base_url)}"


def _unused(settings: Settings) -> str:
    if settings.reviewer_provider != "auto" or wants_model(settings):
        return ""
    if settings.llm_base_url:
        return ADDRESS_WITHOUT_KEY
    return OPENAI_KEY_UNUSED if settings.openai_api_key else ""
