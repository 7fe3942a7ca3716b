"""Every expected failure of CodeMind: one class, one stable code, one exit status, one sentence.

    CodeMindError
    |-- UsageError                  exit 2   the caller can mend it
    |   |-- ConfigInvalidError               config_invalid
    |   |-- InputInvalidError                input_invalid
    |   |-- PathNotAllowedError              path_not_allowed
    |   |-- NotARepositoryError              not_a_repository
    |   `-- RuleInvalidError                 rule_invalid
    |-- OperationError              exit 3   something outside failed
    |   |-- ModelError                       llm_request_failed
    |   |   |-- ModelRefusedError            llm_refused
    |   |   |-- ModelOutputError             invalid_model_output
    |   |   |-- ModelBudgetError             llm_budget_exceeded
    |   |   |   `-- ContextTooLongError      llm_budget_exceeded
    |   |   `-- AgentTimeoutError            agent_timeout
    |   |-- RoundBudgetError                 agent_round_budget_exceeded
    |   |-- GitFailedError                   git_failed
    |   |-- MemoryLockedError                memory_locked
    |   |-- MemoryMismatchError              memory_mismatch
    |   |-- MemoryDamagedError               memory_damaged
    |   |   `-- MemoryHealedError            memory_damaged
    |   |-- StorageFailedError               storage_failed
    |   |   `-- SharingFailedError           storage_failed
    |   |-- SandboxUnavailableError          sandbox_unavailable
    |   `-- ToolMissingError                 tool_missing
    |-- ReviewerDisabledError       exit 3   approval_missing is not meant: see its docstring
    `-- InterruptedTaskError        exit 130 interrupted

`message` is our own fixed sentence that says what to do next. Provider text, endpoints and keys never stand in it.
"""

from __future__ import annotations

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_OPERATION = 3
EXIT_INTERNAL = 4
EXIT_INTERRUPTED = 130


class CodeMindError(Exception):
    """Base of all expected failures; `str(error)` is the one line the user reads."""

    code = "internal_error"
    exit_code = EXIT_INTERNAL

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def as_plain(self) -> dict[str, str]:
        """The `error` object of a task record."""
        return {"code": self.code, "message": self.message}


class UsageError(CodeMindError):
    """The caller can mend it: wrong input, settings or paths."""

    code = "config_invalid"
    exit_code = EXIT_USAGE


class ConfigInvalidError(UsageError):
    """A setting is missing or has a value that can't be used."""


class InputInvalidError(UsageError):
    """The code handed in can't be read: empty file, binary, wrong encoding, too large."""

    code = "input_invalid"


class PathNotAllowedError(UsageError):
    """A path lies outside what may be read or written."""

    code = "path_not_allowed"


class NotARepositoryError(UsageError):
    """A Git repository was needed and none is there."""

    code = "not_a_repository"


class RuleInvalidError(UsageError):
    """A rule file breaks the format `codemind-rule/1` or its own cases."""

    code = "rule_invalid"


class OperationError(CodeMindError):
    """Something outside of the program failed; part results are kept."""

    code = "storage_failed"
    exit_code = EXIT_OPERATION


class ModelError(OperationError):
    """The model could not be asked."""

    code = "llm_request_failed"


class ModelRefusedError(ModelError):
    """The model refused to answer."""

    code = "llm_refused"


class ModelOutputError(ModelError):
    """The model's answer was unusable, its repair round included."""

    code = "invalid_model_output"


class ModelBudgetError(ModelError):
    """The call budget or the context window is spent."""

    code = "llm_budget_exceeded"


class ContextTooLongError(ModelBudgetError):
    """One question was longer than the model's context window; a shorter one may still be answered."""


class AgentTimeoutError(ModelError):
    """A call or the whole run took longer than its limit."""

    code = "agent_timeout"


class RoundBudgetError(OperationError):
    """A task went round more often than MAX_AGENT_ROUNDS."""

    code = "agent_round_budget_exceeded"


class GitFailedError(OperationError):
    """Git answered with an error."""

    code = "git_failed"


class MemoryLockedError(OperationError):
    """Another writer held the ledger longer than the lock time limit; the message names the holder."""

    code = "memory_locked"


class MemoryMismatchError(OperationError):
    """The ledger was written by a newer CodeMind."""

    code = "memory_mismatch"


class MemoryDamagedError(OperationError):
    """The ledger can't be read; it was moved aside, nothing was started anew."""

    code = "memory_damaged"


class MemoryHealedError(MemoryDamagedError):
    """The ledger was damaged and has been mended meanwhile: the call changed nothing, and the same call again is answered."""


class StorageFailedError(OperationError):
    """Nothing could be written: full disk, read-only folder, file size limit."""

    code = "storage_failed"


class SharingFailedError(StorageFailedError):
    """The shared memory can't be reached or does not answer as one; what waits for it stays in the ledger."""


class SandboxUnavailableError(OperationError):
    """A test command was given, and this machine has no working sandbox."""

    code = "sandbox_unavailable"


class ToolMissingError(OperationError):
    """A program that CodeMind runs is not installed."""

    code = "tool_missing"


class ReviewerDisabledError(OperationError):
    """The disabled reviewer was called: a wiring fault, so it never reaches a user as a result."""

    code = "config_invalid"


class InterruptedTaskError(CodeMindError):
    """The user pressed Ctrl-C; the paste is kept."""

    code = "interrupted"
    exit_code = EXIT_INTERRUPTED
