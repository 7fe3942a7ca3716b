"""The text that the session's commands are about: as it came in, and the report on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cli.edge import PASTE, Entry, Served
from cli.options import TaskOptions

if TYPE_CHECKING:
    from wiring_memory import SourceFile

Verdict = str
"""`accepted`, `rejected`, or empty."""


@dataclass(frozen=True)
class Shown:
    """One review. `served` is None when it was stopped before its report; `options` are those it ran with.

    Holds what the user's secrets are, so it never leaves this process.
    """

    entry: Entry
    options: TaskOptions
    file: SourceFile | None = None
    is_example: bool = False
    served: Served | None = None
    verdict: Verdict = ""
    """What the user has said of the fix."""
    draft: str = ""
    """What the user has made of the fix in an editor and what was not taken over: the next `/edit` goes on with it."""

    @property
    def name(self) -> str:
        """How a sentence calls it: `paste 2`, or the file's path."""
        task = self.entry.task
        if self.is_example:
            return "the example"
        if not self.entry.was_read:
            return "the resumed paste"
        return f"paste {task.id}" if task.path == PASTE else task.path

    @property
    def words(self) -> str:
        """Name, language and size: `paste 2 (python, 5 lines)`."""
        task = self.entry.task
        lines = task.code.count("\n") + (not task.code.endswith("\n"))
        return f"{self.name} ({task.language}, {lines} line{'s' if lines != 1 else ''})"

    def judged(self, verdict: Verdict) -> Shown:
        """The same with the user's verdict on its fix."""
        return replace(self, verdict=verdict)
