"""What a person may see of a model at work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schema.ports import ModelRole

WaitCause = Literal["busy", "slow", "failing", "unreachable", "broken"]
"""Why a call is made again: the endpoint takes no more requests, gave no answer in time, has a fault of its own, was not reached (or the
connection broke), or its answer was broken off or useless."""


@dataclass(frozen=True)
class ModelEvent:
    """One moment of a call. `characters` have come so far; `wait_s` is left until the next attempt of `attempts`.

    `begins` is true for the first moment of a wait, `cause` says why there is one.
    """

    kind: Literal["asking", "thinking", "writing", "waiting"]
    role: ModelRole
    characters: int = 0
    wait_s: float = 0.0
    attempt: int = 1
    attempts: int = 1
    begins: bool = False
    cause: WaitCause = "busy"
