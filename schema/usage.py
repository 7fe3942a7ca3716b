"""What a model was used for and what that cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Usage:
    """Model use of one task. `calls` counts calls attempted, failed ones and repairs too; an unknown cost is None."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0

    def plus(self, other: Usage) -> Usage:
        """Both together; an unknown cost makes the sum unknown."""
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        )

    def as_plain(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": self.cost_usd,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Usage:
        """Read what `as_plain` wrote; a missing key gets its default."""
        return cls(**{name: plain[name] for name in cls.__dataclass_fields__ if name in plain})
