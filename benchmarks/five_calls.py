"""What is compared with: a loop that asks a model at every step and has no memory.

    manager -> reviewer -> manager -> fixer -> manager

Each paste goes through all five, with the same prompts, the same client and the same server as CodeMind's own calls. The manager reads the
code again each time, and what the others have answered since.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from agents.fix_answer import parse_fix
from agents.fix_question import fix_question, shown_code
from agents.model_manager import parse_plan, plan_question
from agents.model_reviewer import parse_review, review_question
from agents.prompting import Question
from schema.finding import Finding
from schema.match import Match
from schema.ports import FixRequest, LanguageModel, PlanRequest, ReviewRequest
from schema.task import Task

T = TypeVar("T")
CALLS = 5


@dataclass
class Loop:
    """One paste on its way through the loop."""

    model: LanguageModel
    task: Task
    said: str = ""
    """What was answered so far."""

    async def run(self) -> None:
        """All five calls. Raises: ModelError."""
        self.model.begin(self.task.id)
        plan = await self.manage()
        found = await self.review(plan)
        await self.manage()
        await self.fix(found)
        await self.manage()

    async def manage(self) -> tuple[str, ...]:
        """The manager decides what comes next."""
        question = plan_question(PlanRequest(self.task, Match(), self.said))
        fencing = question.fencing()
        return tuple(await self._ask(question, partial(parse_plan, fencing=fencing)))

    async def review(self, plan: tuple[str, ...]) -> tuple[Finding, ...]:
        """The reviewer reads the code."""
        question = review_question(ReviewRequest(self.task, (), Match(), plan, self.said))
        fencing = question.fencing()
        quoted = await self._ask(question, partial(parse_review, fencing=fencing))
        return tuple(
            Finding(
                self.task.path, 1, 1, 1, 1, one.severity, one.category, "model/bug", one.message, one.suggestion, one.quote, 0.9, "model:m"
            )
            for one in quoted
        )

    async def fix(self, found: tuple[Finding, ...]) -> None:
        """The fixer mends what was found."""
        request = FixRequest(self.task, found, Match(), None, None, self.said)
        shown, fencing = shown_code(request, self.task.code, found, None)
        question = fix_question(request, shown, fencing, found, None)
        await self._ask(question, partial(parse_fix, shown=shown, language=self.task.language, fencing=fencing))

    async def _ask(self, question: Question, parse: Callable[[str], T]) -> T:
        """One call; its answer is kept for the manager."""
        fencing = question.fencing()
        answers: list[str] = []

        def read(text: str) -> T:
            answers.append(text)
            return parse(text)

        parsed = await self.model.ask(question.request(fencing), read)
        self.said += "\n".join(answers) + "\n"
        return parsed
