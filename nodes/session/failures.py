"""How a node keeps part results: an expected failure becomes a plain value in the state, the first one stays."""

from __future__ import annotations

from typing import Any

from errors import CodeMindError, SandboxUnavailableError, ToolMissingError
from schema.fix import Fix
from state import SessionState


def failure(error: CodeMindError) -> dict[str, Any]:
    """The state's `error`: code, message, and the exit status it leads to."""
    return {**error.as_plain(), "exit_code": error.exit_code}


def first_failure(state: SessionState, error: CodeMindError | None) -> dict[str, Any] | None:
    """The failure that the task ends with: an earlier one goes before `error`."""
    earlier = state.get("error")
    if earlier is not None or error is None:
        return earlier
    return failure(error)


def untested(fix: Fix | None) -> CodeMindError | None:
    """The failure of a test command that was given and could not run; the fix itself stays."""
    if fix is None:
        return None
    if why := fix.verification.not_started:
        return ToolMissingError(f"{why[0].upper()}{why[1:]}; check the command, and that the sandbox can see the program.")
    if not fix.verification.no_sandbox:
        return None
    return SandboxUnavailableError("The test command was not run: there is no working sandbox here; see `doctor`.")
