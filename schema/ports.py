"""The seams: what nodes, agents, memory and checks ask of each other. `wiring.py` plugs the real ones in.

Blocking work (a linter process, SQLite, a parser) is synchronous here; async callers run it with `asyncio.to_thread`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schema.experience import Experience, Saved
from schema.finding import Finding
from schema.fix import Fix, Verification
from schema.match import Match, PastFix
from schema.record import Usage
from schema.source import Source
from schema.task import Task


@dataclass(frozen=True)
class Inspection:
    """Static findings of a whole text, merged and sorted by place, not cut.

    `checked` names what ran (for example "ruff 0.17.6", "12 rules"); empty means that nothing knows this language.
    `notes` are sentences about what should have run and could not.
    """

    findings: tuple[Finding, ...]
    checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Analyzer(Protocol):
    """One static engine: source in, findings out. Never executes the source."""

    def version(self) -> str:
        """Name, version and digest of what decides its findings; cheap, part of a verification's basis."""

    def supports(self, language: str) -> bool:
        """True when `analyze` knows the language."""

    def describe(self, language: str) -> str:
        """What a user reads under "checked", for example "ruff 0.17.6"."""

    def analyze(self, source: Source) -> list[Finding]:
        """Findings with positions of `source.text`. Raises ToolMissingError when its program is not there."""


class Inspector(Protocol):
    """All analysers together."""

    def inspect(self, source: Source) -> Inspection:
        """Run every analyser that knows the language; one defect reported by two is one finding."""

    def basis(self) -> str:
        """A digest of all analysers' versions; cheap (no analyser is run or loaded)."""


@dataclass(frozen=True)
class SandboxRun:
    """How a command ended. `exit_code` is None when it was stopped by the time limit; output is cut to a limit."""

    exit_code: int | None
    timed_out: bool
    output: str
    elapsed_s: float


class Sandbox(Protocol):
    """Runs a command on a changed file, seeing nothing it need not see."""

    def mode(self) -> str:
        """`bubblewrap`, or `unavailable: why`, or `unsandboxed` when the user allowed it. Probed once."""

    def run(self, command: str, file: str | None, text: str, language: str) -> SandboxRun:
        """Run `command` with `text` laid over `file` (or as a new file when it is None); `{file}` expands to its path.

        Raises SandboxUnavailableError when nothing may run here.
        """

    def cancel(self) -> None:
        """Kill whatever runs now, from another thread."""


class Verifier(Protocol):
    """Says how far a fix can be trusted, whatever its origin."""

    def verify(
        self,
        before: Source,
        after: str,
        *,
        findings: Sequence[Finding] = (),
        test_cmd: str | None = None,
        file: str | None = None,
    ) -> Verification:
        """Check `after` as a fix of `before`. `findings` are those it is meant to mend; empty when it is not known."""

    def basis(self) -> str:
        """What a level rests on; see Verification.basis."""


@dataclass(frozen=True)
class Recalled:
    """The answer of long-term memory.

    `fix`: the verified fix of an IDENTICAL paste; for SIMILAR, or when regions cover a part only, the whole paste with
    every region's fix put in, not yet verified (level `none`, nothing refused). `findings`: the stored findings, anchored
    anew on the paste. `example`: the past pair when its fix did not carry over.
    """

    match: Match
    fix: Fix | None = None
    findings: tuple[Finding, ...] = ()
    example: PastFix | None = None


class ExperienceMemory(Protocol):
    """Long-term memory of proved fixes. Raises MemoryLockedError, MemoryDamagedError, StorageFailedError."""

    def recall(self, source: Source, *, test_cmd: str | None = None, file: str | None = None) -> Recalled:
        """Look the code up: exact, renamed, else NONE. Writes nothing."""

    def remember(self, experience: Experience) -> Saved:
        """Write the experience under its content's id: remembering twice changes nothing."""

    def mark_used(self, match: Match) -> None:
        """Bump the counters of what was offered; nothing is learnt."""

    def undo(self, saved: Saved) -> bool:
        """Take back exactly the write that `saved` reports; False when there is nothing to take back."""


@dataclass(frozen=True)
class PlanRequest:
    """What the manager knows when a reviewer is about to read the code."""

    task: Task
    match: Match
    summary: str


class Manager(Protocol):
    """Explains what will be done; it never decides the route."""

    async def plan(self, request: PlanRequest) -> tuple[list[str], Usage]:
        """One to eight steps, and what they cost."""


@dataclass(frozen=True)
class ReviewRequest:
    """What a reviewer sees. `findings` are the static ones of the whole paste: evidence, to be merged with its own."""

    task: Task
    findings: tuple[Finding, ...]
    match: Match
    plan: tuple[str, ...]
    summary: str


@dataclass(frozen=True)
class Review:
    """Findings (the given ones included, merged), cost, and sentences for the user."""

    findings: tuple[Finding, ...]
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


class Reviewer(Protocol):
    """Finds defects."""

    async def review(self, request: ReviewRequest) -> Review:
        """Review the task's code. Raises ModelError once the retries are spent."""


@dataclass(frozen=True)
class FixRequest:
    """What a fixer sees: `recalled` is memory's proposal (unverified), `example` a past pair that did not carry over."""

    task: Task
    findings: tuple[Finding, ...]
    match: Match
    recalled: Fix | None
    example: PastFix | None
    summary: str


@dataclass(frozen=True)
class FixOutcome:
    """A verified fix, or None with notes that say why."""

    fix: Fix | None
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


class Fixer(Protocol):
    """Mends what was found; everything it returns has passed the verifier."""

    async def fix(self, request: FixRequest) -> FixOutcome:
        """Propose a fix. Raises ModelError once the retries are spent."""
