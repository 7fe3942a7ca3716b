"""The only place that builds real clients, with the other modules of that name. Nothing heavy is imported before it is needed.

loaded = load(flags, os.environ)                 settings, and the origin of each (`loaded.rows()` for doctor)
app = build_app(loaded.settings, save=True)
                                                 cheap: opens nothing, imports no langgraph, no chromadb
app.inspector, app.verifier, app.sandbox         the static engine
app.memory                                       long-term memory; a task with use_memory=False goes past it
app.ledger                                       the ledger itself, for `memory list` and the like
app.recall(task)                                 memory only: a record without a graph
async with app.driver() as driver:               imports langgraph, opens the checkpoints; one driver a session
    record = await driver.run_task(task)         also: cancel_task unfinished resume discard summary notes last_trace
app.notes                                        sentences for the user at start
app.cancel()                                     kills what runs in the sandbox; from any thread
warm_up()                                        imports langgraph; for a background thread once the prompt shows
session_diagram()                                the graph as Mermaid
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import CodeMindError
from schema.assemble import ignored_note, recall_record
from schema.match import Match
from schema.ports import ExperienceMemory, Fixer, Inspector, Manager, Recalled, Reviewer, Sandbox, Verdicts, Verifier
from schema.record import TaskRecord
from schema.task import Task
from settings import ENV_FILE, Loaded, Settings, load_settings
from wiring_model import MODEL_MODULES, ModelEvents, WorkEvents, build_agents, build_model
from wiring_static import PROGRAM_FOLDER
from wiring_static import FirstUseVerifier as FirstUseVerifier
from wiring_static import StaticParts as StaticParts
from wiring_static import build_static as build_static
from wiring_static import static_basis as static_basis

if TYPE_CHECKING:
    from graphs.driver import SessionDriver as SessionDriver
    from graphs.unfinished import UnfinishedTask as UnfinishedTask
    from memory.endpoint_vectors import EndpointVectors
    from memory.index import VectorIndex
    from memory.ledger import Ledger
    from state import Context

LEDGER_FILE = "ledger.sqlite3"
SESSIONS_FILE = "sessions.sqlite3"
LOCKS_FOLDER = "locks"
LOG_FOLDER = "log"
TRACING_OFF = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2")
"""Either, set to true in a user's shell, would send every prompt and every paste to another host."""
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")
"""Read by numpy when it is imported: one product of a few megabytes is no faster on more, and idle threads of OpenBLAS spin for some 30 ms,
which doubled the processor time of a look-up."""


def load(flags: Mapping[str, str], environ: Mapping[str, str]) -> Loaded:
    """Settings in force. Raises: ConfigInvalidError."""
    return load_settings(flags, environ, [PROGRAM_FOLDER / ENV_FILE])


def open_ledger(settings: Settings) -> Ledger:
    """The ledger of CODEMIND_HOME. Nothing is made or read before its first use."""
    from memory.ledger import Ledger

    return Ledger(settings.codemind_home / LEDGER_FILE, lock_timeout_s=settings.memory_lock_timeout_seconds)


def open_memory(settings: Settings, ledger: Ledger, verifier: Verifier) -> ExperienceMemory:
    """Long-term memory on that ledger."""
    from memory.recall import LongTermMemory

    scope = project_of(Path.cwd()) if settings.memory_scope == "project" else ""
    return LongTermMemory(ledger, verifier, scope, vector_index(ledger), endpoint=endpoint_vectors(settings))


def endpoint_vectors(settings: Settings) -> EndpointVectors | None:
    """The vectors of the embedding endpoint; None unless EMBEDDER=endpoint. Nothing is asked yet."""
    if settings.embedder != "endpoint":
        return None
    from integrations.embedding_endpoint import EmbeddingEndpoint
    from memory.endpoint_vectors import EndpointVectors

    return EndpointVectors(EmbeddingEndpoint(settings.embedding_base_url, settings.embedding_model, settings.embedding_api_key.reveal))


def vector_index(ledger: Ledger) -> VectorIndex:
    """The index over a ledger's vectors, in the folder beside it. Nothing of Chroma is imported before its first use."""
    from integrations.child import run_child
    from memory.index import FOLDER_NAME, VectorIndex

    switch_tracing_off()
    os.environ.setdefault(*ONE_THREAD)
    return VectorIndex(ledger, ledger.path.with_name(FOLDER_NAME), run_child, ledger.lock_timeout_s)


def back_up(ledger: Ledger) -> None:
    """Renew the memory's automatic backup where that is due; to be called when nobody waits for an answer. Raises nothing."""
    from memory.backup import back_up_when_due

    back_up_when_due(ledger)


def project_of(folder: Path) -> str:
    """A name for the project that a folder belongs to: that of the nearest Git root, else its own; tells equal names apart."""
    import hashlib  # late: most look-ups are not bound to a project

    root = next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder)
    return f"{root.name}-{hashlib.sha256(str(root).encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


@dataclass(frozen=True)
class App:
    """What the command line and the service stand on. `save` False leaves nothing behind on disk."""

    settings: Settings
    parts: Callable[[], StaticParts]
    """Makes the static engine at the first call, and gives the same one afterwards."""
    ledger: Ledger
    memory: ExperienceMemory
    save: bool
    model_events: ModelEvents = field(default_factory=ModelEvents)
    """What a model does while a task runs; set its `listener` to show it."""
    work_events: WorkEvents = field(default_factory=WorkEvents)
    """Test commands and analysers that run; set its `listener` to show them."""

    @property
    def inspector(self) -> Inspector:
        """All analysers together."""
        return self.parts().inspector

    @property
    def verdicts(self) -> Verdicts | None:
        """What the user has dismissed; None when nothing is to be left behind. Cheap: opens nothing."""
        from memory.verdicts import LedgerVerdicts

        return LedgerVerdicts(self.ledger, project_of(Path.cwd())) if self.save else None

    @property
    def verifier(self) -> Verifier:
        """What judges a fix."""
        return self.parts().verifier

    @property
    def sandbox(self) -> Sandbox:
        """What runs a test command."""
        return self.parts().sandbox

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user at start."""
        return (self.settings.note,) if self.settings.note else ()

    def recall(self, task: Task, *, inspect: bool = False) -> TaskRecord:
        """The record of a look into the memory: no graph, nothing written. A transferred fix is verified first.

        With `inspect` the static findings are in it too.
        """
        started = time.perf_counter()
        recalled, failure = self._recalled(task)
        inspection = self.inspector.inspect(task.source) if inspect else None
        record = recall_record(
            task,
            recalled,
            inspection,
            provider=self.settings.engine,
            max_findings=self.settings.max_findings,
            elapsed_ms=round((time.perf_counter() - started) * 1000),
            failure=failure,
        )
        return self._without_dismissed(task, record) if record.findings and failure is None else record

    def _without_dismissed(self, task: Task, record: TaskRecord) -> TaskRecord:
        """The record without the findings that the user has dismissed; verdicts that can't be read hide nothing."""
        from memory.verdicts import LedgerVerdicts  # late: most look-ups have no findings

        try:
            dismissed = LedgerVerdicts(self.ledger).dismissed(task.source, record.findings)
        except CodeMindError:
            return record
        kept = tuple(found for found in record.findings if found.fingerprint not in dismissed)
        return replace(record, findings=kept, notes=(*record.notes, *ignored_note(len(record.findings) - len(kept))))

    def _recalled(self, task: Task) -> tuple[Recalled | None, dict[str, Any] | None]:
        """Memory's answer with its fix verified, or the failure."""
        if not task.use_memory:
            return Recalled(Match(reason="memory was not asked")), None
        try:
            recalled = self.memory.recall(task.source, test_cmd=task.test_cmd, file=task.file)
        except CodeMindError as error:
            return None, {**error.as_plain(), "exit_code": error.exit_code}
        if recalled.fix is None or recalled.match.status == "IDENTICAL":
            return recalled, None
        verification = self.verifier.verify(task.source, recalled.fix.code, test_cmd=task.test_cmd, file=task.file)
        if verification.level == "clean" and recalled.findings:
            verification = verification.resting_on(self.verifier.verify(task.source, recalled.fix.code, findings=recalled.findings))
        return replace(recalled, fix=replace(recalled.fix, verification=verification)), None

    def driver(self) -> SessionDriver:
        """A new session. Importing langgraph takes most of a second the first time: see `warm_up`."""
        switch_tracing_off()
        from graphs.driver import SessionDriver
        from graphs.session import build_session
        from integrations.checkpoints import open_checkpoints, scratch_checkpoints
        from integrations.session_locks import SessionLocks
        from integrations.trace import TraceWriter

        home = self.settings.codemind_home
        return SessionDriver(
            build_session(),
            self._context(),
            open_saver=partial(open_checkpoints, home / SESSIONS_FILE) if self.save else scratch_checkpoints,
            scratch_saver=scratch_checkpoints,
            locks=SessionLocks(home / LOCKS_FOLDER) if self.save else None,
            trace=TraceWriter(home / LOG_FOLDER) if self.save else None,
            max_rounds=self.settings.max_agent_rounds,
        )

    def _context(self) -> Context:
        """The ports of one session."""
        import uuid  # late: looks the platform up, and only sessions have an id

        from agents.disabled import DisabledInspector
        from state import Context

        inspector = DisabledInspector() if self.settings.engine == "disabled" else self.inspector
        model = build_model(self.settings, save=self.save, events=self.model_events)
        manager, reviewer, fixer = (
            self._static_agents(inspector) if model is None else build_agents(model, inspector, self.verifier, self.settings)
        )
        return Context(
            inspector=inspector,
            manager=manager,
            reviewer=reviewer,
            fixer=fixer,
            memory=self.memory,
            provider=self.settings.engine,
            has_model=model is not None,
            model=model,
            max_findings=self.settings.max_findings,
            session_id=uuid.uuid4().hex,
            scope=project_of(Path.cwd()),
            verdicts=self.verdicts,
        )

    def _static_agents(self, inspector: Inspector) -> tuple[Manager, Reviewer, Fixer]:
        """Those that need no model."""
        from agents.disabled import DisabledReviewer
        from agents.fixer import StaticFixer
        from agents.manager import StaticManager
        from agents.reviewer import StaticReviewer

        disabled = self.settings.engine == "disabled"
        return StaticManager(), DisabledReviewer() if disabled else StaticReviewer(), StaticFixer(inspector, self.verifier)

    def begin(self) -> None:
        """A task starts in this context: `cancel` is about it."""
        self.sandbox.begin()

    def cancel(self) -> None:
        """Kill what runs in the sandbox, and let the task start nothing more there; from any thread."""
        self.sandbox.cancel()


def build_app(settings: Settings, *, save: bool = True) -> App:
    """Everything but the graph, which `App.driver` makes. Opens nothing."""
    work = WorkEvents()
    parts = cache(partial(build_static, settings, work))
    ledger = open_ledger(settings)
    return App(settings, parts, ledger, open_memory(settings, ledger, FirstUseVerifier(parts)), save, work_events=work)


def switch_tracing_off() -> None:
    """Keep LangSmith from sending anything; to be called before langchain is imported."""
    for variable in TRACING_OFF:
        os.environ[variable] = "false"


def warm_up(*, with_model: bool = False) -> None:
    """Import what the first task needs; safe in a background thread."""
    switch_tracing_off()
    for module in ("graphs.driver", "integrations.checkpoints", "agents.fixer", *(MODEL_MODULES if with_model else ())):
        import_module(module)


def session_diagram() -> str:
    """The compiled session graph as Mermaid."""
    switch_tracing_off()
    from graphs.session import mermaid

    return mermaid()
