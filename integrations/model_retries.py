"""Whether a failed call is made again, and after how long. What a fault allows stands in model_faults."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from errors import ModelError
from integrations.model_faults import BROKEN, Fault, FaultError

if TYPE_CHECKING:
    from tenacity import RetryCallState

MAX_WAIT_S: Final = 30.0
"""Longest wait before another attempt, whatever the server asks for."""


def fault_in(state: RetryCallState) -> Fault:
    """Why the last attempt failed."""
    error = state.outcome.exception() if state.outcome is not None else None
    return error.fault if isinstance(error, FaultError) else Fault(ModelError(BROKEN))


def is_spent(state: RetryCallState) -> bool:
    """True when the fault allows no further attempt."""
    return state.attempt_number > fault_in(state).retries


def wait_s(state: RetryCallState) -> float:
    """What the server asks for, else twice as long each time; never longer than MAX_WAIT_S."""
    asked = fault_in(state).wait_s
    backoff = 2 ** (state.attempt_number - 1) * (0.5 + random.random() / 2)  # noqa: S311 - spreads attempts, guards nothing
    return min(backoff if asked is None else asked, MAX_WAIT_S)
