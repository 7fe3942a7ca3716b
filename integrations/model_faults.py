"""What went wrong when a model was asked: any exception becomes one of our errors, with our own sentence.

Nothing of the exception's text is ever shown: providers repeat keys, addresses and prompts in it. It is read to tell faults of
the same status apart, and forgotten. Bad servers make the client raise anything (IndexError, JSONDecodeError), so what is not
known is a bad server.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from errors import AgentTimeoutError, ContextTooLongError, ModelError, ModelRefusedError
from integrations.model_answer import FILTERED, Answer
from integrations.model_endpoint import ModelEndpoint
from schema.model_event import WaitCause

OFTEN = 2
"""Retries after what passes by itself."""
ONCE = 1
"""Retries after what might have been bad luck."""
TOO_LONG = "The code and its findings are longer than the model's context window; review less at a time, or set another LLM_MODEL."
BAD_SERVER = "The address in LLM_BASE_URL does not answer like an OpenAI-compatible endpoint; is it right (most end in /v1)?"
BROKEN = "The model's answer broke off before its end; try again."
CUT = "The model's answer was cut at the output limit, before it was complete; review less code, or set LLM_THINKING_MODE=disabled."
ELSEWHERE = "The address in LLM_BASE_URL points elsewhere; set it to the final address (redirects are not followed)."
UNUSABLE = "The model's answer could not be used, also after it was told why; try again, or set another LLM_MODEL."
_QUOTA = frozenset({"insufficient_quota", "billing_not_active", "insufficient_balance"})
_CONTEXT = re.compile(
    r"context_length_exceeded|maximum context length|exceeds the available context size|exceed_context_size"
    r"|context window|prompt is too long|input is too long|too many tokens"
)
_ROOM = re.compile(r"max_(?:completion_)?tokens|in the completion|in your completion|output tokens")
_FILTER = re.compile(r"content_filter|content management policy|content_policy")


_OVERLOADED = frozenset({"insufficient_system_resource", "error"})
"""Finish reasons of a service that gave up half-way."""
_ABOUT_INPUT = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY})
_ABOUT_KEY = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN})
_OVERLOADED_STATUS = 529
_PASSING = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY})
_SAID_CHARACTERS = 2_000


@dataclass(frozen=True)
class Fault:
    """A failed call. `error` is for the user; `refusal` is the provider's text in lower case, to be matched and never shown."""

    error: ModelError
    retries: int = 0
    wait_s: float | None = None
    """What the server asks for before the next attempt."""
    refusal: str = ""
    cause: WaitCause = "broken"
    """What is told while the next attempt is waited for."""

    @property
    def blames_room(self) -> bool:
        """True when the context would hold the text, but not with the room that is kept free for the answer (vLLM counts both)."""
        return isinstance(self.error, ContextTooLongError) and bool(_ROOM.search(self.refusal))


class FaultError(Exception):
    """Carries a fault through the retry loop."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.error.message)
        self.fault = fault


def fault_of(error: Exception, endpoint: ModelEndpoint, timeout_s: float) -> Fault:
    """What an exception of the model's client means. `timeout_s` is the limit of one call."""
    if isinstance(error, FaultError):
        return error.fault
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _of_status(error, status, endpoint)
    if isinstance(error, TimeoutError) or "APITimeoutError" in names or "TimeoutException" in names:
        return late(timeout_s)
    if "APIConnectionError" in names or "TransportError" in names:
        return _of_connection(error, endpoint)
    if "APIError" in names:  # an error object inside the stream
        return _of_stream(error)
    is_torn = isinstance(error, ValueError) and "JSONDecodeError" in names
    return Fault(ModelError(BROKEN), retries=ONCE) if is_torn else Fault(ModelError(BAD_SERVER))


def too_slow(timeout_s: float) -> AgentTimeoutError:
    """One call took too long."""
    return AgentTimeoutError(f"The model did not answer within LLM_TIMEOUT_SECONDS ({timeout_s:g} s); try again, or set a higher limit.")


def late(timeout_s: float) -> Fault:
    """The fault of a call that took too long."""
    return Fault(too_slow(timeout_s), retries=ONCE, cause="slow")


def incomplete(answer: Answer) -> Fault | None:
    """The fault of an answer that came without an error and is none: no end, or nothing at all."""
    if answer.finish_reason in _OVERLOADED:
        return Fault(ModelError(BROKEN), retries=1)
    if answer.finish_reason:
        return None
    came = answer.text or answer.reasoning or answer.tool_calls
    return Fault(ModelError(BROKEN), retries=1) if came else Fault(ModelError(BAD_SERVER))


def _of_status(error: Exception, status: int, endpoint: ModelEndpoint) -> Fault:
    """An answer with a status that is no success."""
    refusal = refusal_of(error)
    if status in _ABOUT_INPUT and _CONTEXT.search(refusal):
        return Fault(ContextTooLongError(TOO_LONG), refusal=refusal)
    if status in {HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN} and _FILTER.search(refusal):
        return Fault(ModelRefusedError(FILTERED))
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _of_rate(error, refusal, endpoint)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _PASSING:
        sentence = f"The model's endpoint has a problem of its own ({status}); try again later."
        return Fault(ModelError(sentence), OFTEN, retry_after_s(error), refusal, _cause_of(status))
    return Fault(_of_refusal(status, endpoint), refusal="" if status in _ABOUT_KEY else refusal)


def _cause_of(status: int) -> WaitCause:
    """503 and 529 say that the service has too much to do; 408 and 504 that something took too long."""
    if status in {HTTPStatus.SERVICE_UNAVAILABLE, _OVERLOADED_STATUS}:
        return "busy"
    return "slow" if status in {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT} else "failing"


def _of_rate(error: Exception, refusal: str, endpoint: ModelEndpoint) -> Fault:
    """Too many requests, or no money: only the code tells."""
    if any(word in refusal for word in _QUOTA):
        return Fault(_paying(endpoint))
    sentence = "The model's endpoint takes no more requests for now (429); try again later, or set another LLM_MODEL."
    return Fault(ModelError(sentence), OFTEN, retry_after_s(error), cause="busy")


def _of_refusal(status: int, endpoint: ModelEndpoint) -> ModelError:
    """A status that another attempt would not change."""
    key = endpoint.key_variable
    sentences: dict[int, str] = {
        HTTPStatus.UNAUTHORIZED: f"The model's endpoint did not accept the key (401); set {key} to a valid one.",
        HTTPStatus.FORBIDDEN: f"The key may not use this model or endpoint (403); check {key} and LLM_MODEL.",
        HTTPStatus.NOT_FOUND: "The endpoint knows no such model or path (404); check LLM_MODEL and LLM_BASE_URL.",
        HTTPStatus.METHOD_NOT_ALLOWED: BAD_SERVER,
    }
    if status == HTTPStatus.PAYMENT_REQUIRED:
        return _paying(endpoint)
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return ContextTooLongError(TOO_LONG)
    if status < HTTPStatus.BAD_REQUEST:
        return ModelError(ELSEWHERE)
    default = f"The model's endpoint refused the request ({status}); check LLM_MODEL and LLM_STRUCTURED_OUTPUT_METHOD."
    return ModelError(sentences.get(status, default))


def _paying(endpoint: ModelEndpoint) -> ModelError:
    return ModelError(f"The account behind {endpoint.key_variable} has no credit left; top it up, or set another key.")


def _of_connection(error: Exception, endpoint: ModelEndpoint) -> Fault:
    """No answer came: never connected, or the connection broke."""
    causes = list(_causes(error))
    kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return Fault(
            ModelError(
                "The certificate or encryption of LLM_BASE_URL is not right; check that it begins with the right http:// or https://."
            )
        )
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Fault(
            ModelError("The host in LLM_BASE_URL is not known; check its spelling and the network."), retries=ONCE, cause="unreachable"
        )
    if "ProxyError" in kinds:
        return Fault(ModelError("The proxy in HTTPS_PROXY or HTTP_PROXY refused the connection; check it, or name the host in NO_PROXY."))
    if "ConnectError" in kinds or any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        where = "is the local server running?" if endpoint.is_loopback else "check the network and the proxy settings."
        return Fault(ModelError(f"The model's endpoint can't be reached: check LLM_BASE_URL; {where}"), retries=ONCE, cause="unreachable")
    if kinds & {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}:
        return Fault(ModelError(f"No request can be made with LLM_BASE_URL and {endpoint.key_variable}; check both for stray characters."))
    return Fault(ModelError("The connection to the model's endpoint broke; try again."), retries=OFTEN, cause="unreachable")


def _of_stream(error: Exception) -> Fault:
    """An error object that came after the answer had begun."""
    refusal = refusal_of(error)
    if _CONTEXT.search(refusal):
        return Fault(ContextTooLongError(TOO_LONG), refusal=refusal)
    if _FILTER.search(refusal):
        return Fault(ModelRefusedError(FILTERED))
    return Fault(ModelError(BROKEN), retries=ONCE, refusal=refusal)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what led to it."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__


def refusal_of(error: Exception) -> str:
    """What the provider says, in lower case, for matching only. Not the whole body: some repeat the request in it."""
    said: list[object] = [getattr(error, name, "") for name in ("code", "type", "param")]
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        said += _told(inner) if isinstance(inner, dict) else [inner]
    else:
        said.append(str(body or error))
    return " ".join(str(part) for part in said if part).lower()[:_SAID_CHARACTERS]


def _told(body: dict[str, Any]) -> list[object]:
    """Message and codes of an error object; of a list of faults (FastAPI) each one's place and message."""
    detail = body.get("detail")
    faults = detail if isinstance(detail, list) else [{"msg": detail}]
    places = [part for fault in faults if isinstance(fault, dict) for part in (fault.get("loc"), fault.get("msg"))]
    return [body.get("message"), body.get("type"), body.get("code"), body.get("param"), *places]


def retry_after_s(error: Exception) -> float | None:
    """Seconds that the server asks to wait, from the header in either form; None when it says nothing usable."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    text = str(headers.get("retry-after") or "").strip()
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
