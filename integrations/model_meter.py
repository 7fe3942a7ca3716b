"""What the model costs: calls, tokens, money and time of each task, and the limits on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from errors import AgentTimeoutError, ModelBudgetError, ModelError
from integrations.model_answer import Answer
from schema.record import Usage

TOKENS_PER_PRICE = 1_000_000
MAX_TASKS = 64
"""Tasks that are kept apart at a time."""


@dataclass(frozen=True)
class ModelLimits:
    """What one task may use. Prices are USD for a million tokens; None: not known."""

    call_timeout_s: float = 60
    task_timeout_s: float = 300
    max_calls: int = 8
    input_price_usd: float | None = None
    output_price_usd: float | None = None


class Account:
    """One task's use of the model."""

    def __init__(self, limits: ModelLimits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._spent_s = 0.0
        self._calls = 0
        self._input_tokens = 0
        self._output_tokens = 0
        self._counted = True
        self._ended: ModelError | None = None

    def take_call(self) -> None:
        """Count a call before it is made. Raises: ModelBudgetError when there is none left."""
        if self._calls >= self._limits.max_calls:
            raise ModelBudgetError(f"The task has used its {self._limits.max_calls} model calls; set MAX_LLM_CALLS higher.")
        self._calls += 1

    def count(self, answer: Answer) -> None:
        """Add what an answer cost."""
        if answer.input_tokens is None or answer.output_tokens is None:
            self._counted = False
        self._input_tokens += answer.input_tokens or 0
        self._output_tokens += answer.output_tokens or 0

    def count_unknown(self) -> None:
        """A call was broken off after the endpoint had begun to work: it costs, and nobody says how much."""
        self._counted = False

    def usage(self) -> Usage:
        """Everything so far."""
        return Usage(self._calls, self._input_tokens, self._output_tokens, self._cost_usd())

    def _cost_usd(self) -> float | None:
        if self._calls == 0:
            return 0.0
        input_price, output_price = self._limits.input_price_usd, self._limits.output_price_usd
        if not self._counted or input_price is None or output_price is None:
            return None
        return (self._input_tokens * input_price + self._output_tokens * output_price) / TOKENS_PER_PRICE

    @asynccontextmanager
    async def on_the_clock(self) -> AsyncIterator[None]:
        """Run the block within what is left of the task's time; a failure of the endpoint ends the account.

        Raises: AgentTimeoutError; the earlier failure again, without a call, once the account has ended.
        """
        if self._ended is not None:
            raise type(self._ended)(self._ended.message)
        started = self._clock()
        limit = asyncio.timeout(max(0.0, self._limits.task_timeout_s - self._spent_s))
        try:
            async with limit:
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._end(_out_of_time(self._limits.task_timeout_s)) from None
        finally:
            self._spent_s += self._clock() - started

    def _end(self, error: ModelError) -> ModelError:
        self._ended = error
        return error

    def end(self, error: ModelError) -> None:
        """No further call of this task has a chance: the next one raises this error at once."""
        self._end(error)


def _out_of_time(limit_s: float) -> AgentTimeoutError:
    return AgentTimeoutError(f"The task's model calls took longer than RUN_TIMEOUT_SECONDS ({limit_s:g} s); set it higher.")


class Meter:
    """The accounts of the tasks of one session."""

    def __init__(self, limits: ModelLimits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._accounts: dict[str, Account] = {}

    def begin(self, task_id: str) -> None:
        """Open a new account; the oldest are closed."""
        self._accounts.pop(task_id, None)
        while len(self._accounts) >= MAX_TASKS:
            del self._accounts[next(iter(self._accounts))]
        self._accounts[task_id] = Account(self._limits, self._clock)

    def of(self, task_id: str) -> Account:
        """The task's account; one that was never begun is opened."""
        if task_id not in self._accounts:
            self.begin(task_id)
        return self._accounts[task_id]

    def usage(self, task_id: str) -> Usage:
        """What the task has used; nothing for one that is not known."""
        return self._accounts[task_id].usage() if task_id in self._accounts else Usage()
