"""REVIEWER_PROVIDER=disabled: only memory answers, nothing else looks at the code."""

from __future__ import annotations

from errors import ReviewerDisabledError
from schema.ports import Inspection, Review, ReviewRequest
from schema.source import Source


class DisabledReviewer:
    """Reviews nothing, and says so."""

    async def review(self, request: ReviewRequest) -> Review:
        """Raises: ReviewerDisabledError, always; the session then says that nothing was reviewed."""
        raise ReviewerDisabledError("The reviewer is disabled; set REVIEWER_PROVIDER to static or auto to have code reviewed.")


class DisabledInspector:
    """Inspects nothing. The fixes of memory are still verified, by the real inspector."""

    def inspect(self, source: Source) -> Inspection:
        """No findings, and nothing that checked."""
        return Inspection(())

    def basis(self) -> str:
        """Never what a verification rests on."""
        return "disabled"
