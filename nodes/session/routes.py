"""Where a task goes next. Pure functions: code decides, a model only explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from schema.match import Match
from state import SessionState, Worker

WHOLE = 1.0
"""Coverage of a hit that explains the whole paste."""


def continue_router(state: SessionState) -> Literal["retrieve_memory", "quit"]:
    """After `user_input`: a task goes on, `/quit`, Ctrl-D and the end of a pipe leave the graph."""
    return "retrieve_memory" if state.get("task") else "quit"


def next_worker(state: SessionState) -> Worker:
    """After `manager`: what it wrote down."""
    worker: Worker = state["next_worker"]  # type: ignore[assignment]  # plain text in the state, written by `manager` only
    return worker


def route(match: Match, history: Sequence[str], *, found: bool, has_fix: bool, has_model: bool, chosen: bool) -> Worker:
    """The next worker. Each runs at most once a task, so every task ends.

    `found`: there are findings. `has_fix`: memory's own fix is verified and in place. `chosen`: the user says what is to be mended, so
    nothing is reviewed. Else only a hit that explains the whole paste can save a review.
    """
    transferred = any(region.fixed_code is not None for region in match.regions)
    if "fixer" in history:
        return "FINISH"
    if "reviewer" in history or chosen:
        return "fixer" if found or transferred else "FINISH"
    if match.coverage >= WHOLE and match.status == "IDENTICAL" and has_fix:
        return "FINISH"
    if match.coverage >= WHOLE and match.status == "SIMILAR" and (transferred or has_model):
        return "fixer"
    return "reviewer"
