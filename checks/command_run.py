"""What a run of the user's test command says: that there is no such command, how it ended, and its output in bounds."""

from __future__ import annotations

import re
from typing import Final

from schema.ports import SandboxRun
from utils.redact import redact
from utils.terminal import visible

TAIL_LINES: Final = 5
TAIL_CHARACTERS: Final = 400
HEAD_CHARACTERS: Final = 1_500
MAX_CHARACTERS: Final = 4_000
"""Of an output that a fixer reads: where the failure is told, and the summary that runners end with."""
MAX_REASON: Final = 160

_COLOUR = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_NO_COMMAND: Final = frozenset({126, 127})
"""What a shell ends with when it finds nothing to start, or may not start it. A program can end with them too, so its words count."""
_SHELL = re.compile(
    r"^(?:\S*/)?(?:sh|bash|dash|env): (?:(?:line )?\d+: )?(?:exec: )?"
    r"(?P<why>.*(?:not found|No such file or directory|Permission denied|cannot execute.*|Exec format error|[Ii]s a directory))$"
)
_RUNNER = re.compile(
    r"^(?:\S*python[\d.]*: (?P<module>No module named \S+)"
    r"|make: \*\*\* (?P<make>No rule to make target .*?)\.?(?:  Stop\.)?"
    r"|npm (?:ERR!|error) (?P<npm>Missing script: .*)"
    r"|ERROR: (?P<pytest>file or directory not found: .*))$"
)
"""Runners that were started and found nothing to run. Each says so in a line of its own."""


def why_not_started(run: SandboxRun) -> str:
    """Why there was nothing to start, in a few words; empty when something was."""
    if not run.exit_code:
        return ""
    for line in reversed(_last_lines(run.output)):
        shell = _SHELL.match(line) if run.exit_code in _NO_COMMAND else None
        said = shell["why"] if shell else _said_by_runner(line)
        if said:
            return said[:MAX_REASON]
    return ""


def _said_by_runner(line: str) -> str:
    found = _RUNNER.match(line)
    return next((words for words in found.groups() if words), "") if found else ""


def ending(run: SandboxRun) -> str:
    """How a command ended, after "it"."""
    if run.timed_out:
        return f"took longer than {run.elapsed_s:.0f} s and was stopped"
    return "was stopped, as it printed without end" if run.exit_code is None else f"fails with exit status {run.exit_code}"


def tail(output: str) -> str:
    """The last lines of an output, in one line."""
    return " | ".join(_last_lines(output))[-TAIL_CHARACTERS:]


def both_ends(output: str) -> str:
    """Head and tail of an output in whole lines, at most MAX_CHARACTERS, without secrets and control characters."""
    text = _plain(output)
    if len(text) <= MAX_CHARACTERS:
        return text
    head = text[:HEAD_CHARACTERS].rpartition("\n")[0] or text[:HEAD_CHARACTERS]
    room = MAX_CHARACTERS - HEAD_CHARACTERS
    cut = text[-room:]
    end = cut.partition("\n")[2] or cut
    return f"{head}\n[{len(text) - len(head) - len(end)} characters left out]\n{end}"


def _last_lines(output: str) -> list[str]:
    return [line.strip() for line in _plain(output).split("\n") if line.strip()][-TAIL_LINES:]


def _plain(output: str) -> str:
    """Without colours, and redacted before anything is cut: half a secret is not known for one."""
    return redact(visible(_COLOUR.sub("", output).replace("\r\n", "\n").strip())).text
