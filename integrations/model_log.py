"""What the log says about calls of a model: who asked, what kind of failure, which way of asking. Never a text, an address or a key."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from schema.ports import ModelRequest

if TYPE_CHECKING:
    from integrations.model_answer import UnusableAnswerError
    from integrations.model_faults import Fault
    from integrations.model_methods import Habits

_log = logging.getLogger("codemind.model")


def log_failed_call(request: ModelRequest, error: Exception, fault: Fault) -> None:
    """A call that failed, whether or not it is tried again."""
    status = getattr(error, "status_code", None)
    _log.info(
        "call failed: role=%s kind=%s status=%s code=%s retries=%d",
        request.role,
        type(error).__name__,
        status if isinstance(status, int) else "-",
        fault.error.code,
        fault.retries,
    )


def log_other_way(habits: Habits, following: Habits) -> None:
    """The endpoint refused something, and is asked without it."""
    changed = [name for name in vars(habits) if getattr(habits, name) != getattr(following, name)]
    _log.info("asked in another way: changed=%s method=%s", ",".join(changed), following.method)


def log_repair(request: ModelRequest, fault: UnusableAnswerError) -> None:
    """An answer that could not be used is asked for again."""
    _log.info("repair round: role=%s cut=%s empty=%s", request.role, fault.is_cut, fault.is_empty)
