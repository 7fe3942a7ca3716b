"""Remember a verified fix, or count the use of a remembered one."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

from langgraph.runtime import Runtime

from errors import CodeMindError
from nodes.session.failures import first_failure
from nodes.session.routes import WHOLE
from nodes.session.spending import spent
from schema.experience import Experience, Provenance, Saved, Why
from schema.finding import Finding
from schema.fix import Fix, Verification
from schema.match import Match, Trust
from schema.ports import ExperienceMemory
from schema.task import Task
from state import Context, SessionState

HARMLESS = frozenset({"sandbox_unavailable", "tool_missing"})
"""Failures after which a fix is still as good as its level says."""


ASIDE_NOTE = "kept aside: {why}; /accept (or `memory approve`) lets it be offered"


class SaveUpdate(TypedDict, total=False):
    """What `save_experience` writes."""

    saved: dict[str, Any]
    error: dict[str, Any] | None
    notes: list[str]


async def save_experience(state: SessionState, runtime: Runtime[Context]) -> SaveUpdate:
    """Write what was learnt, once: what came from memory only bumps its counters.

    Reads: task, match, findings, fix, long_term_context, error, notes. Writes: saved, error, notes. Doing it twice changes nothing.
    """
    memory = runtime.context.memory
    why = reason_not_to_save(state, has_memory=memory is not None)
    if why is not None or memory is None:
        return {"saved": Saved("skipped", why=why).as_plain(), "error": state.get("error")}
    try:
        saved = await (count_use(state, memory) if from_memory(state) else learn(state, memory, runtime.context))
    except CodeMindError as error:
        return {"saved": Saved("skipped", why="error").as_plain(), "error": first_failure(state, error)}
    update: SaveUpdate = {"saved": saved.as_plain(), "error": state.get("error")}
    return {**update, "notes": [*state.get("notes", []), ASIDE_NOTE.format(why=saved.aside)]} if saved.aside else update


def reason_not_to_save(state: SessionState, *, has_memory: bool) -> Why | None:
    """Why nothing is written, or None when there is something to write."""
    error = state.get("error")
    if not has_memory or not state["task"].get("save", True):
        return "no_save"
    if error is not None and error["code"] not in HARMLESS:
        return "error"
    fix = state.get("fix")
    if fix is None and state.get("rejected"):
        return "rejected"
    if fix is None:
        return "no_fix" if state.get("findings") else "nothing_found"
    # What the user's own tests refuse is no experience to offer again; a use of one that is there is counted all the same.
    return "rejected" if Fix.from_plain(fix).verification.tests_failed and not from_memory(state) else None


def from_memory(state: SessionState) -> bool:
    """True when the fix is what memory proposed, or a part of it: then its explanation is memory's, with nothing added."""
    fix, recalled = state.get("fix"), state["long_term_context"].get("fix")
    if fix is None or recalled is None:
        return False
    return bool(fix["code"] == recalled["code"] or (fix["origin"] == recalled["origin"] and fix["explanation"] == recalled["explanation"]))


async def count_use(state: SessionState, memory: ExperienceMemory) -> Saved:
    """Bump the counters of what memory offered. Raises: MemoryLockedError and the other failures of the memory."""
    match = Match.from_plain(state["match"])
    await asyncio.to_thread(memory.mark_used, match)
    await confirm(state, match, memory)
    if match.status == "IDENTICAL" and match.coverage >= WHOLE:
        return Saved("duplicate", match.experience_id)
    return Saved("skipped", match.experience_id, "from_memory")


async def confirm(state: SessionState, match: Match, memory: ExperienceMemory) -> None:
    """Let the fix of exactly this code earn trust when it has mended here what the user's tests complain of."""
    fix, recalled = Fix.from_plain(state["fix"] or {}), state["long_term_context"]["fix"]
    if fix.verification.mended_tests and match.status == "IDENTICAL" and fix.code == recalled["code"]:
        await asyncio.to_thread(memory.confirm, Task.from_plain(state["task"]).source, match, fix.verification)


async def learn(state: SessionState, memory: ExperienceMemory, context: Context) -> Saved:
    """Write the paste with its fix. When the task is cancelled meanwhile, the write is taken back.

    Raises: MemoryLockedError and the other failures of the memory.
    """
    writing = asyncio.ensure_future(asyncio.to_thread(memory.remember, experience_of(state, context)))
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        memory.undo(await writing)
        raise


def experience_of(state: SessionState, context: Context) -> Experience:
    """The paste as it was handed in, with its fix and the evidence for it."""
    task = Task.from_plain(state["task"])
    fix = Fix.from_plain(state["fix"] or {})
    trust, reason = trust_in(fix.verification)
    return Experience(
        language=task.language,
        code=state["user_input_code"],
        fixed_code=fix.code,
        explanation=fix.explanation,
        provenance=Provenance("session", ref=context.session_id),
        findings=tuple(Finding.from_plain(plain) for plain in state.get("findings", [])),
        verification=fix.verification,
        trust=trust,
        trust_reason=reason,
        scope=context.scope,
        cost=spent(state),
    )


def trust_in(verification: Verification) -> tuple[Trust, str]:
    """What the evidence is worth: only tests that failed before the fix and pass with it prove anything."""
    if verification.mended_tests:
        return "proved", "the test command failed before the fix and passes with it"
    if verification.level == "tested":
        return "plausible", "the test command passes, but it passed before the fix too"
    return "plausible", f"level {verification.level}"
