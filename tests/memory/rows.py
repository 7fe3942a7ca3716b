"""Experiences and prepared rows for the tests of memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memory.prepare import prepare
from memory.records import Prepared
from schema.experience import Experience, Provenance
from schema.fix import Verification
from schema.match import Trust

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

MEAN = "def mean(values):\n    return sum(values) / len(values)\n"
MEAN_FIXED = "def mean(values):\n    n = len(values)\n    if n == 0:\n        return 0.0\n    return sum(values) / n\n"
MEAN_OTHER_FIX = "def mean(values):\n    if not values:\n        raise ValueError(values)\n    return sum(values) / len(values)\n"


class Clock:
    """A clock that moves one minute each time it is read."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        """The next minute."""
        self.now += timedelta(minutes=1)
        return self.now


def an_experience(  # noqa: PLR0913 - a test names just the one or two that matter to it
    code: str = MEAN,
    fixed: str = MEAN_FIXED,
    *,
    explanation: str = "An empty list divides by zero.",
    trust: Trust = "plausible",
    kind: str = "jsonl",
    scope: str = "",
    verification: Verification | None = None,
    language: str = "python",
) -> Experience:
    """One experience; by default an imported fix of a mean."""
    return Experience(
        language=language,
        code=code,
        fixed_code=fixed,
        explanation=explanation,
        provenance=Provenance("session" if kind == "session" else "jsonl", ref="team-notes"),
        trust=trust,
        trust_reason="orders the reader" if trust == "quarantined" else "",
        scope=scope,
        verification=verification or Verification("none"),
    )


def numbered(number: int) -> Experience:
    """One of many different experiences."""
    code = f"def part{number}(values):\n    return sum(values) / len(values) + {number}\n"
    fixed = f"def part{number}(values):\n    if not values:\n        return {number}\n    return sum(values) / len(values) + {number}\n"
    return an_experience(code, fixed)


def prepared(experience: Experience) -> Prepared:
    """The rows of an experience whose fix changes something."""
    rows = prepare(experience)
    assert rows is not None
    return rows
