"""Who finds defects."""

from __future__ import annotations

from schema.ports import Review, ReviewRequest


class StaticReviewer:
    """The linters and rules have already spoken; nothing is added to them."""

    async def review(self, request: ReviewRequest) -> Review:
        """The static findings as they are."""
        return Review(request.findings)
