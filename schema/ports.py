"""The seams: what nodes, agents, memory and checks ask of each other. `wiring.py` plugs the real ones in.

Blocking work (a linter process, SQLite, a parser) is synchronous here; async callers run it with `asyncio.to_thread`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from schema.finding import Finding
from schema.fix import Fix, Verification
from schema.match import Match, PastFix
from schema.memory_ports import ExperienceMemory as ExperienceMemory
from schema.memory_ports import Recalled as Recalled
from schema.memory_ports import Verdicts as Verdicts
from schema.source import Source
from schema.task import Task
from schema.usage import Usage

T = TypeVar("T")
ModelRole = Literal["manager", "reviewer", "fixer"]


@dataclass(frozen=True)
class Inspection:
    """Static findings of a whole text, merged and sorted by place, not cut.

    `checked` names what ran (for example "ruff 0.17.6", "12 rules"); empty means that nothing knows this language.
    `notes` are sentences about what should have run and could not. `silenced` are findings that a comment in the code silences;
    they are not among `findings`, and `wholesale` are those of them that no comment names on their lines.
    """

    findings: tuple[Finding, ...]
    checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    silenced: tuple[Finding, ...] = ()
    wholesale: tuple[Finding, ...] = ()


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

        Raises SandboxUnavailableError when nothing may run here, InterruptedTaskError once its task was cancelled.
        """

    def begin(self) -> None:
        """A task starts in this context (contextvars: its threads inherit it)."""

    def cancel(self) -> None:
        """Kill whatever runs now, from another thread; the task that began last starts nothing more."""


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
class ChildRun:
    """How a process of our own ended: `exit_code` is None when its time was up, negative when a signal killed it."""

    exit_code: int | None
    output: str


@dataclass(frozen=True)
class PlanRequest:
    """What the manager knows when a reviewer is about to read the code."""

    task: Task
    match: Match
    summary: str


class Plan(NamedTuple):
    """One to eight steps, what they cost, and sentences for the user."""

    steps: list[str]
    usage: Usage
    notes: tuple[str, ...] = ()


class Manager(Protocol):
    """Explains what will be done; it never decides the route."""

    async def plan(self, request: PlanRequest) -> Plan:
        """A plan. Raises ModelError only when no later call of the task could succeed."""


@dataclass(frozen=True)
class ReviewRequest:
    """What a reviewer sees. `findings` are the static ones of the whole paste: evidence, to be merged with its own.

    `silenced` are those that comments in the code silence: evidence alone.
    """

    task: Task
    findings: tuple[Finding, ...]
    match: Match
    plan: tuple[str, ...]
    summary: str
    silenced: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Review:
    """Findings (the given ones included, merged), cost, and sentences for the user.

    `failure`: the CodeMindError of a model that read a part of the code only.
    """

    findings: tuple[Finding, ...]
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    failure: Exception | None = None


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
    ignored: tuple[Finding, ...] = ()
    """What the user has dismissed: it stays as it is."""
    mends: tuple[Finding, ...] = ()
    """The findings that are stored with memory's proposal, on the lines of the task's code: what it is about, as far as that is known."""
    is_rejected: Callable[[str], bool] = field(default=lambda _: False, compare=False)
    """True for a fixed code that the user has rejected for this code; blocks."""


@dataclass(frozen=True)
class FixOutcome:
    """A verified fix, or None with notes that say why.

    `failure`: the CodeMindError of a model that failed; `fix` is then what there was without it, and not to be learnt.
    """

    fix: Fix | None
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    failure: Exception | None = None
    rejected: bool = False
    """True when there would be a fix, but for the user's having rejected it."""


class Fixer(Protocol):
    """Mends what was found; everything it returns has passed the verifier."""

    async def fix(self, request: FixRequest) -> FixOutcome:
        """Propose a fix. Raises ModelError once the retries are spent."""


@dataclass(frozen=True)
class ModelRequest:
    """One question to a model. `json_schema` is what the answer must be; `task_id` counts it against that task's budget."""

    task_id: str
    role: ModelRole
    system: str
    user: str
    schema_name: str
    json_schema: Mapping[str, Any]
    max_output_tokens: int = 4096


class LanguageModel(Protocol):
    """A chat model that answers in JSON. Time limits, retries, budgets and what an answer costs are its own business."""

    @property
    def name(self) -> str:
        """The model's name, for `model:NAME`."""

    @property
    def host(self) -> str:
        """Where code goes, for the status line."""

    def begin(self, task_id: str) -> None:
        """A task starts: its budget, its time and its usage count from nothing. Called once a task, by the driver."""

    async def ask(self, request: ModelRequest, parse: Callable[[str], T]) -> T:
        """The parsed answer. `parse` gets JSON text (fences, prose and <think> are off) and raises ValueError with a
        sentence for the model; one repair round quotes that sentence.

        Raises: ModelError and its kinds; ModelOutputError when the repaired answer is no better.
        """

    def usage(self, task_id: str) -> Usage:
        """Calls attempted, tokens and cost of that task so far, failed and repair calls included."""
