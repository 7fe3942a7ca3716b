"""A real chat model behind the LanguageModel port: one place for time limits, retries, repairs, budgets and what it costs.

    ask -> the task's clock -> first answer -> not usable? one repair round that says why -> still not? ModelOutputError
              each answer: budget -> request -> a fault: wait and retry, or ask in another way, or give up with our own sentence

Nothing of the model's stack is imported before the first question.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from errors import ContextTooLongError, ModelBudgetError, ModelError, ModelOutputError, ModelRefusedError
from integrations.answer_secrets import without_secrets
from integrations.model_answer import Answer, UnusableAnswerError, answer_json
from integrations.model_endpoint import ModelEndpoint
from integrations.model_faults import CUT, UNUSABLE, Fault, FaultError, fault_of, incomplete, late
from integrations.model_log import log_failed_call, log_other_way, log_repair
from integrations.model_meter import Account, Meter, ModelLimits
from integrations.model_methods import EndpointMemory, Habits, adapted, form_of, instruction, is_about_method, request_body
from integrations.model_retries import fault_in, is_spent, wait_s
from schema.model_event import ModelEvent
from schema.ports import ModelRequest
from schema.record import Usage
from utils.redact import redact

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from openai import AsyncOpenAI
    from tenacity import RetryCallState

T = TypeVar("T")
Listen = Callable[[ModelEvent], None]
Sleep = Callable[[float], Awaitable[None]]

MAX_OUTPUT_TOKENS: Final = 32_768
"""Longest answer that is asked for when a shorter one was cut."""
MIN_ROOM_TOKENS: Final = 1_024
"""Room for an answer that a small context window is not asked to go below."""
QUOTED_CHARACTERS: Final = 8_000
"""How much of an unusable answer is shown to the model again."""
REVIEWER_TEMPERATURE: Final = 0.3


def ignore_event(event: ModelEvent) -> None:
    """For callers that show no progress."""


@dataclass
class Question:
    """One request on its way: what was asked so far, and by whom."""

    request: ModelRequest
    account: Account
    client: AsyncOpenAI
    messages: list[BaseMessage]
    max_output_tokens: int
    is_tight: bool = False
    """True once the room for the answer was made smaller: not twice."""

    def takes_less_room(self) -> bool:
        """Ask for a quarter of the room; False when that was done, or would leave none."""
        if self.is_tight or self.max_output_tokens <= MIN_ROOM_TOKENS:
            return False
        self.is_tight = True
        self.max_output_tokens = max(MIN_ROOM_TOKENS, self.max_output_tokens // 4)
        return True


class ChatModel:
    """One model at one endpoint, for one session. `clock` gives seconds; `sleep` waits between attempts."""

    def __init__(
        self,
        endpoint: ModelEndpoint,
        limits: ModelLimits,
        memory: EndpointMemory,
        *,
        listen: Listen = ignore_event,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._memory = memory
        self._listen = listen
        self._sleep = sleep
        self._meter = Meter(limits, clock)

    @property
    def name(self) -> str:
        """The model's name at its endpoint."""
        return self._endpoint.model

    @property
    def host(self) -> str:
        """Where code goes."""
        return self._endpoint.host

    def begin(self, task_id: str) -> None:
        """A task starts: budget, time and usage count from nothing."""
        self._meter.begin(task_id)

    def usage(self, task_id: str) -> Usage:
        """What the task has used so far."""
        return self._meter.usage(task_id)

    async def ask(self, request: ModelRequest, parse: Callable[[str], T]) -> T:
        """The parsed answer; see LanguageModel. A failure of the endpoint ends the task's account: what comes after fails at once."""
        account = self._meter.of(request.task_id)
        try:
            async with account.on_the_clock(), self._question(request, account) as question:
                return await self._parsed(question, parse)
        except (ModelOutputError, ModelRefusedError, ContextTooLongError):
            raise  # this answer was no use; the next, or a shorter question may be answered
        except ModelError as error:
            account.end(error)
            raise

    @asynccontextmanager
    async def _question(self, request: ModelRequest, account: Account) -> AsyncIterator[Question]:
        """The question with an open client; leaving the block closes the connection, whatever is going on in it."""
        from integrations.chat_client import open_client

        async with open_client(self._endpoint, self._limits.call_timeout_s) as client:
            yield Question(request, account, client, [], request.max_output_tokens)

    async def _parsed(self, question: Question, parse: Callable[[str], T]) -> T:
        """The first usable answer of two."""
        answer = await self._answered(question)
        try:
            return _read(answer, question.request, parse)
        except UnusableAnswerError as fault:
            self._ask_again(question, answer, fault)
            ignored_form = fault.ignores_form
        try:
            read = _read(await self._answered(question), question.request, parse)
        except UnusableAnswerError as fault:
            raise _given_up(fault) from None
        if ignored_form:
            self._spell_out()
        return read

    def _spell_out(self) -> None:
        """The endpoint takes a schema and does not enforce it: from now on the prompt shows it, which saves the repair round."""
        habits = self._memory.of(self._endpoint)
        if habits.method == "json_schema":
            self._memory.remember(self._endpoint, replace(habits, spelled_out=True))

    def _ask_again(self, question: Question, answer: Answer, fault: UnusableAnswerError) -> None:
        """Add what is wrong with the answer to the messages; one that was cut gets room."""
        from langchain_core.messages import AIMessage, HumanMessage

        log_repair(question.request, fault)
        said = redact(answer.text.strip(), question.request.user).text[:QUOTED_CHARACTERS]
        if fault.is_cut:
            question.max_output_tokens = min(2 * question.max_output_tokens, max(MAX_OUTPUT_TOKENS, question.max_output_tokens))
            question.messages += [HumanMessage(f"Your answer was cut at the output limit. Be brief. {form_of(question.request)}")]
            return
        question.messages += [AIMessage(said)] if said else []
        question.messages += [HumanMessage(f"Your answer can't be used: {_sendable(redact(str(fault)).text)}. {form_of(question.request)}")]

    async def _answered(self, question: Question) -> Answer:
        """An answer that came to its end. What the endpoint refuses is left out, and remembered once it worked without."""
        habits = self._memory.of(self._endpoint)
        while True:
            try:
                answer = await self._with_retries(question, habits)
            except FaultError as error:
                if error.fault.blames_room and question.takes_less_room():
                    continue
                following = adapted(self._endpoint, habits, error.fault.refusal)
                if following is None:
                    raise self._explained(error.fault) from None
                log_other_way(habits, following)
                habits = following
            else:
                self._memory.remember(self._endpoint, habits)
                return answer

    def _explained(self, fault: Fault) -> ModelError:
        """The user's error; a method that the user chose and the endpoint refuses is named."""
        if self._endpoint.method != "auto" and fault.refusal and is_about_method(fault.refusal):
            return ModelError(
                f"The endpoint refuses LLM_STRUCTURED_OUTPUT_METHOD={self._endpoint.method}; set it to auto, or to another method."
            )
        return fault.error

    async def _with_retries(self, question: Question, habits: Habits) -> Answer:
        """The one retry loop. Raises: FaultError once the retries are spent."""
        from tenacity import AsyncRetrying, retry_if_exception_type

        async def pause(state: RetryCallState) -> None:
            fault = fault_in(state)
            following = ModelEvent(
                "waiting", question.request.role, 0, wait_s(state), state.attempt_number + 1, fault.retries + 1, True, fault.cause
            )
            await self._count_down(following)

        attempts = AsyncRetrying(retry=retry_if_exception_type(FaultError), stop=is_spent, before_sleep=pause, reraise=True)
        return await attempts(self._call, question, habits)

    async def _count_down(self, event: ModelEvent) -> None:
        """Wait for the next attempt, a second at a time, so that whoever watches sees how long it takes."""
        left = event.wait_s
        while left > 0:
            self._listen(replace(event, wait_s=left, begins=left == event.wait_s))
            await self._sleep(min(1.0, left))
            left -= 1.0

    async def _call(self, question: Question, habits: Habits) -> Answer:
        """One call, from the budget to the last chunk. Raises: ModelBudgetError, FaultError."""
        question.account.take_call()
        request, limit_s = question.request, self._limits.call_timeout_s
        progress = _Progress(self._listen, request)
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                answer = await self._streamed(question, habits, progress)
        except Exception as error:  # noqa: BLE001 - bad servers make the client raise anything
            if progress.has_begun or limit.expired():
                question.account.count_unknown()
            fault = late(limit_s) if limit.expired() else fault_of(error, self._endpoint, limit_s)
            log_failed_call(request, error, fault)
            raise FaultError(fault) from None
        question.account.count(answer)
        if (missing := incomplete(answer)) is not None:
            raise FaultError(missing)
        return answer

    async def _streamed(self, question: Question, habits: Habits, progress: _Progress) -> Answer:
        """Send it. The messages are put together anew: what the system prompt says depends on the method."""
        from langchain_core.messages import HumanMessage, SystemMessage

        from integrations.chat_client import stream_answer

        request = question.request
        system = SystemMessage(_sendable(request.system) + instruction(habits, request))
        return await stream_answer(
            question.client,
            self._endpoint.model,
            [system, HumanMessage(_sendable(request.user)), *question.messages],
            body=request_body(self._endpoint, habits, request, question.max_output_tokens),
            temperature=self._temperature(request) if habits.temperature else None,
            count_tokens=habits.stream and habits.stream_options,
            on_chunk=progress.chunk,
        )

    def _temperature(self, request: ModelRequest) -> float:
        """The user's, else a little freedom for the reviewer only."""
        if self._endpoint.temperature is not None:
            return self._endpoint.temperature
        return REVIEWER_TEMPERATURE if request.role == "reviewer" else 0.0


class _Progress:
    """Tells whoever listens what one call is doing."""

    def __init__(self, listen: Listen, request: ModelRequest) -> None:
        self.has_begun = False
        self._listen = listen
        self._role = request.role
        listen(ModelEvent("asking", self._role))

    def chunk(self, kind: Any, characters: int) -> None:
        """Something came."""
        self.has_begun = True
        self._listen(ModelEvent(kind, self._role, characters))


def _read(answer: Answer, request: ModelRequest, parse: Callable[[str], T]) -> T:
    """The answer as the caller wants it. Raises: UnusableAnswerError, ModelRefusedError."""
    required = request.json_schema.get("required") or ()
    text = without_secrets(answer_json(answer, request.schema_name, required), request.user)
    try:
        return parse(text)
    except ValueError as error:
        lacks_keys = not all(key in json.loads(text) for key in required)
        raise UnusableAnswerError(str(error) or "it does not fit the schema", ignores_form=lacks_keys) from None


def _given_up(fault: UnusableAnswerError) -> ModelError:
    """What the user reads after two unusable answers."""
    if not fault.is_cut:
        return ModelOutputError(UNUSABLE)
    return ModelOutputError(CUT) if fault.is_empty else ModelBudgetError(CUT)


def _sendable(text: str) -> str:
    """The text without half surrogate pairs, which no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
