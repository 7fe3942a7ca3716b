"""Who explains what will be done."""

from __future__ import annotations

from schema.ports import Plan, PlanRequest
from schema.record import Usage


class StaticManager:
    """The plan that always holds when no model takes part."""

    async def plan(self, request: PlanRequest) -> Plan:
        """Two steps, or three when memory explains a part; costs nothing."""
        known = ["Use what memory knows of a part of the code."] if request.match.regions else []
        steps = [
            *known,
            f"Check the {request.task.language} code with the linters and rules.",
            "Try the fixes of the rules one by one.",
        ]
        return Plan(steps, Usage())
