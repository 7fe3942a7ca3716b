"""What a session has done that can be taken back: saves, writes, verdicts, edits. `/undo` takes back the newest.

It is kept in this process only: a written file's previous bytes may hold secrets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schema.experience import Judged, Saved
from schema.finding import Finding
from schema.revision import Revision
from schema.source import Source
from wiring import App
from wiring_feedback import Feedback
from wiring_memory import unwrite

if TYPE_CHECKING:
    from wiring_memory import Written


@dataclass(frozen=True)
class Save:
    """A fix that was remembered."""

    words: str
    saved: Saved

    def take_back(self, app: App) -> str:
        """Delete it from the memory, when it is still there."""
        if app.memory.undo(self.saved):
            return f"Taken back: {self.words}"
        return f"Nothing to take back: {self.words} is no longer in the memory"


@dataclass(frozen=True)
class Write:
    """A file that was written or created."""

    words: str
    written: Written

    def take_back(self, app: App) -> str:
        """Put the previous content back. Raises InputInvalidError, StorageFailedError; then the file is as it was."""
        unwrite(self.written)
        return f"Taken back: {self.words}; the file is {'as it was before' if self.written.before else 'gone'}"


@dataclass(frozen=True)
class Verdict:
    """A fix that was accepted or rejected; several alternatives when it came from several."""

    words: str
    judged: tuple[Judged, ...]
    forget: Callable[[], None]
    """Called once it is taken back: the report on the screen has no verdict any more."""

    def take_back(self, app: App) -> str:
        """Give the fix its former trust."""
        gone = [each for each in reversed(self.judged) if not app.memory.take_back(each)]
        self.forget()
        if len(gone) == len(self.judged):
            return f"Nothing to take back: the fix of {self.words} is no longer in the memory"
        return f"Taken back: {self.words}"


@dataclass(frozen=True)
class Edited:
    """A fix that the user has edited."""

    words: str
    revision: Revision
    forget: Callable[[], None]
    """Called once it is taken back: the report on the screen has the fix of before."""

    def take_back(self, app: App) -> str:
        """Take the edit out of the memory; what it corrected is as it was."""
        is_there = Feedback(app.ledger).take_back(self.revision)
        self.forget()
        return f"Taken back: {self.words}" if is_there else f"Nothing to take back: {self.words} is no longer in the memory"


@dataclass(frozen=True)
class Ignored:
    """Findings that are not to be reported again."""

    words: str
    source: Source
    findings: tuple[Finding, ...]

    def take_back(self, app: App) -> str:
        """Let them be reported again."""
        if app.verdicts is not None:
            app.verdicts.restore(self.source, self.findings)
        return f"Taken back: {self.words}"


Act = Save | Write | Verdict | Edited | Ignored


class Journal:
    """The acts of one session, oldest first."""

    def __init__(self) -> None:
        self._acts: list[Act] = []
        self._has_forgotten = False

    def add(self, act: Act) -> None:
        """Note something that was done."""
        self._acts.append(act)
        self._has_forgotten = False

    def take_forgotten(self) -> bool:
        """True once after something was forgotten, when nothing was done since: `/undo` would be meant for that."""
        had, self._has_forgotten = self._has_forgotten, False
        return had

    def newest(self) -> Act | None:
        """What `/undo` would take back."""
        return self._acts[-1] if self._acts else None

    def strike(self, act: Act) -> None:
        """Take an act out: it was taken back, or never can be."""
        self._acts = [each for each in self._acts if each is not act]

    def forget(self, experience_id: str) -> None:
        """An experience was deleted for good: its save can't be taken back any more."""
        self._acts = [act for act in self._acts if _saved_id(act) != experience_id]
        self._has_forgotten = True


def _saved_id(act: Act) -> str | None:
    """The experience that an act has written."""
    if isinstance(act, Edited):
        return act.revision.saved.id
    return act.saved.id if isinstance(act, Save) else None
