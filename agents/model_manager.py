"""The manager with a model: it writes the plan that the reviewer reads. It never decides the route."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from agents.answers import spent_since, tidy
from agents.fencing import Fencing
from agents.prompting import Block, Question, around, spoken
from agents.schemas import MAX_STEPS, TaskPlan, parse
from errors import ContextTooLongError, ModelOutputError, ModelRefusedError
from schema.ports import LanguageModel, Manager, Plan, PlanRequest
from utils.syntax import blocks

MAX_CODE_LINES = 200
"""Of longer code the plan sees an outline: the reviewer reads all of it anyway."""
MAX_CHARACTERS = 16_000
"""The same in characters: a minified file has few lines."""
MAX_HEAD_LINES = 60
MAX_OUTLINE = 200
MAX_STEP = 300
MAX_KNOWN = 600

FALLBACK_NOTE = "the model made no plan ({why}); the review went on with the standard steps"


@dataclass(frozen=True)
class ModelManager:
    """Asks the model for a plan; `fallback` plans when that fails."""

    model: LanguageModel
    fallback: Manager

    async def plan(self, request: PlanRequest) -> Plan:
        """A plan of one to eight steps. An answer that is no use leads to the standard plan and a note.

        Raises: ModelError when the endpoint failed, or budget or time are spent: then no later call of the task can succeed.
        """
        before = self.model.usage(request.task.id)
        question = plan_question(request)
        fencing = question.fencing()
        try:
            steps = await self.model.ask(question.request(fencing), partial(parse_plan, fencing=fencing))
        except (ModelOutputError, ModelRefusedError, ContextTooLongError) as error:
            standard = await self.fallback.plan(request)
            note = FALLBACK_NOTE.format(why=error.message.rstrip("."))
            return Plan(standard.steps, spent_since(before, self.model.usage(request.task.id)), (*standard.notes, note))
        return Plan(steps, spent_since(before, self.model.usage(request.task.id)))


def plan_question(request: PlanRequest) -> Question:
    """What the manager is shown: the code or its outline, what memory knows, what stood around, the session so far."""
    task = request.task
    lines = task.code.split("\n")
    if len(lines) <= MAX_CODE_LINES and len(task.code) <= MAX_CHARACTERS:
        shown = [Block("code", task.code, f"The code ({spoken(task.language)}):")]
    else:
        note = f"The head and the outline of the code ({spoken(task.language)}, {len(lines)} lines; the reviewer sees all of it):"
        shown = [Block("code", outline(task.code, task.language), note)]
    known = [
        Block("known", region.explanation[:MAX_KNOWN], "A part of the code is known to the memory of past fixes, which says about it:")
        for region in request.match.regions
        if region.explanation.strip()
    ]
    values = {"language": spoken(task.language), "max_steps": str(MAX_STEPS)}
    blocks_shown = [*shown, *known[:MAX_STEPS], *around(task.context_text, request.summary)]
    return Question(task.id, "manager", TaskPlan, blocks_shown, values)


def outline(code: str, language: str) -> str:
    """The first lines, and the heads of all functions and classes."""
    head = code[: MAX_CHARACTERS // 2].split("\n")[:MAX_HEAD_LINES]
    heads = [f"{'    ' * block.depth}{block.header}" for block in blocks(code, language)]
    return "\n".join([*head, "", *heads[:MAX_OUTLINE]])[:MAX_CHARACTERS]


def parse_plan(text: str, fencing: Fencing) -> list[str]:
    """The steps, tidied. Raises: ValueError with a sentence for the model."""
    steps = [tidy(fencing.undo(step), MAX_STEP) for step in parse(TaskPlan, text).steps]
    if not any(steps):
        raise ValueError("steps: every step is blank")
    return [step for step in steps if step]
