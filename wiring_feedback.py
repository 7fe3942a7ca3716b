"""What becomes of fixes after they were offered: the savings that are counted, and the user's own edit of a fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wiring import project_of

if TYPE_CHECKING:
    from memory.ledger import Ledger
    from memory.savings import LedgerSavings
    from schema.experience import Experience
    from schema.revision import Revision


@dataclass(frozen=True)
class Feedback:
    """On the ledger of a CODEMIND_HOME; opens nothing. Every method raises what `memory.ledger.Ledger` raises."""

    ledger: Ledger

    def book(self) -> LedgerSavings:
        """Where answers from memory are counted; raises nothing."""
        from memory.savings import LedgerSavings

        return LedgerSavings(self.ledger)

    def savings(self) -> dict[str, Any]:
        """What memory has spared and what was spent: in all, and for each day."""
        from memory.savings import savings_report

        return savings_report(self.ledger)

    def revise(self, experience: Experience, corrected: Sequence[int]) -> Revision:
        """Remember a fix that the user has edited, ahead of the stored ones that it corrects. Raises InputInvalidError too."""
        from memory.recall import refuse_undecodable
        from memory.revising import revise

        refuse_undecodable(experience)
        return revise(self.ledger, replace(experience, scope=project_of(Path.cwd())), corrected)

    def take_back(self, revision: Revision) -> bool:
        """Undo an edit; False when it is no longer there."""
        from memory.revising import take_back_revision

        return take_back_revision(self.ledger, revision)


async def edited_text(text: str, language: str, environment: Mapping[str, str]) -> str:
    """The text after the user has changed it in an editor. Raises InputInvalidError, ToolMissingError, StorageFailedError."""
    from integrations.editor import edit
    from integrations.sandbox import SUFFIXES

    return await edit(text, SUFFIXES.get(language, ".txt"), environment)
