"""A small memory, pastes, and verifiers for the tests of recall."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory.ledger import Ledger
from memory.recall import LongTermMemory
from schema.experience import Experience, Provenance
from schema.finding import Finding
from schema.fix import Verification
from schema.source import Source
from tests.memory.rows import MEAN, MEAN_FIXED, Clock

RENAMED = "def average(numbers):\n    return sum(numbers) / len(numbers)\n"
RELAID = "# my own comment\ndef mean(values):\n\n    return sum( values ) / len( values )   # here\n"
UNRELATED = "def slug(title):\n    return title.strip().lower().replace(' ', '-')\n"


class FakeVerifier:
    """Accepts or refuses everything and remembers what it was asked."""

    def __init__(self, refused: str = "", basis: str = "rules-1") -> None:
        self.asked: list[tuple[str, str | None]] = []
        self._refused, self._basis = refused, basis

    def verify(
        self, before: Source, after: str, *, findings: Sequence[Finding] = (), test_cmd: str | None = None, file: str | None = None
    ) -> Verification:
        """Level clean, or none with the refusal."""
        self.asked.append((after, test_cmd))
        return Verification("none", refused=self._refused) if self._refused else Verification("clean", basis=self._basis)

    def basis(self) -> str:
        """A fixed basis."""
        return self._basis


class PickyVerifier(FakeVerifier):
    """Refuses one text."""

    def __init__(self, unwanted: str) -> None:
        super().__init__()
        self._unwanted = unwanted

    def verify(
        self, before: Source, after: str, *, findings: Sequence[Finding] = (), test_cmd: str | None = None, file: str | None = None
    ) -> Verification:
        """As the fake, but for the unwanted text."""
        if after == self._unwanted:
            return Verification("none", refused="no")
        return super().verify(before, after, findings=findings, test_cmd=test_cmd, file=file)


FINDING = Finding(
    path="paste",
    start_line=2,
    end_line=2,
    start_column=12,
    end_column=37,
    severity="high",
    category="bug",
    rule_id="bugs/division-by-length",
    message="`len(values)` may be zero",
    suggestion="test it first",
    evidence="    return sum(values) / len(values)",
    confidence=0.9,
    source="rule:x@1",
)


def empty_memory(folder: Path) -> LongTermMemory:
    """A memory in which nothing is stored."""
    return LongTermMemory(Ledger(folder / "ledger.sqlite3", clock=Clock()), FakeVerifier())


def small_memory(folder: Path) -> LongTermMemory:
    """A memory that holds one imported fix of `mean`, with one finding on its line 2."""
    made = empty_memory(folder)
    made.remember(Experience("python", MEAN, MEAN_FIXED, "An empty list divides by zero.", Provenance("jsonl", "team-notes"), (FINDING,)))
    return made


def python(text: str) -> Source:
    """A Python paste."""
    return Source(text, "python")
