"""Fold the finished task into the summary of the session."""

from __future__ import annotations

from typing import TypedDict

from langchain_core.messages import AIMessage

from state import SUMMARY_LIMIT, SessionState


class SummaryUpdate(TypedDict):
    """What `summarize` writes."""

    messages: list[AIMessage]
    summary: str
    tasks_done: int


async def summarize(state: SessionState) -> SummaryUpdate:
    """Add one line, outcomes only: no code and no name out of it. The oldest lines go when the summary is full.

    Reads: task, match, findings, fix, saved, summary, tasks_done. Writes: summary, tasks_done, messages.
    """
    done = state.get("tasks_done", 0) + 1
    line = outcome_line(state, done)
    lines = [*state.get("summary", "").splitlines(), line]
    return {"messages": [AIMessage(line)], "summary": newest(lines, SUMMARY_LIMIT), "tasks_done": done}


def outcome_line(state: SessionState, number: int) -> str:
    """What a later task may know of this one, for example `2: python, NONE, 1 finding (ruff/B006), fixed by rules (clean), added`."""
    findings = state.get("findings", [])
    rules = sorted({found["rule_id"] for found in findings})
    named = f" ({', '.join(rules[:5])}{', ...' if len(rules) > 5 else ''})" if rules else ""  # noqa: PLR2004 - five names say enough
    fix = state.get("fix")
    mended = "no fix" if fix is None else f"fixed by {fix['origin']} ({fix['verification']['level']})"
    count = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}"
    return f"{number}: {state['task']['language']}, {state['match_status']}, {count}{named}, {mended}, {state['saved']['status']}"


def newest(lines: list[str], limit: int) -> str:
    """The last lines that fit into `limit` characters."""
    kept: list[str] = []
    room = limit
    for line in reversed(lines):
        room -= len(line) + bool(kept)
        if room < 0:
            break
        kept.insert(0, line)
    return "\n".join(kept)
