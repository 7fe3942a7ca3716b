"""What a person may see of work that takes its time: a test command, a linter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class WorkEvent:
    """A piece of work begins or has ended. `name` says which: "your test command", or what an analyser calls itself."""

    kind: Literal["tests", "check"]
    name: str
    begins: bool
