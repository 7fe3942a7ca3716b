"""The state of the session graph, its reducers, and the Context of ports that nodes reach the world through.

State holds plain values only (it is checkpointed): dataclasses of `schema/` go in as their `as_plain()`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from schema.ports import ExperienceMemory, Fixer, Inspector, LanguageModel, Manager, Reviewer, Verdicts

Worker = Literal["reviewer", "fixer", "FINISH"]

SUMMARY_LIMIT = 2_000
"""Characters of the session summary; the oldest lines go first."""


class SessionState(TypedDict, total=False):
    """One session. The first block lives as long as the session, the second is emptied by `clear` after each task."""

    summary: str
    tasks_done: int

    messages: Annotated[list[AnyMessage], add_messages]
    task: dict[str, Any]
    user_input_code: str
    current_code: str
    long_term_context: dict[str, Any]
    match: dict[str, Any]
    match_status: str
    plan: list[str]
    next_worker: str
    history: list[str]
    findings: list[dict[str, Any]]
    ignored: list[dict[str, Any]]
    silenced: list[dict[str, Any]]
    fix: dict[str, Any] | None
    rejected: bool
    saved: dict[str, Any]
    notes: list[str]
    reviewed: bool
    usage: dict[str, Any]
    error: dict[str, Any] | None


@dataclass(frozen=True)
class Context:
    """The ports of one run, given to the graph with `context=`; never checkpointed. `memory` is None with --no-memory."""

    inspector: Inspector
    manager: Manager
    reviewer: Reviewer
    fixer: Fixer
    memory: ExperienceMemory | None
    provider: str
    has_model: bool = False
    max_findings: int = 50
    session_id: str = ""
    scope: str = ""
    """The project that what is learnt belongs to."""
    model: LanguageModel | None = None
    """What the agents ask, kept here so that a failed task's calls are counted too."""
    verdicts: Verdicts | None = None
    """Which findings the user has dismissed; None when nothing is kept."""
