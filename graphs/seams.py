"""What the driver needs from outside; `wiring.py` plugs the real ones in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver

OpenSaver = Callable[[], AbstractAsyncContextManager[tuple[BaseCheckpointSaver[str], str]]]
"""Opens where checkpoints go; the text is a sentence for the user, or empty."""


class Locks(Protocol):
    """One lock a live session; see `integrations.session_locks`."""

    def acquire(self, session_id: str) -> bool:
        """Take it; False when it is held."""

    def release(self, session_id: str) -> None:
        """Give it back."""


class TraceSink(Protocol):
    """Where trace lines go; see `integrations.trace`."""

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line. Raises: StorageFailedError."""
