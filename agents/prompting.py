"""A question to a model, put together: the role's prompt file, the data between fences, and the schema of the answer.

How the answer's form is asked for (by the service, a function, or the schema shown in the prompt) is the model layer's business.

Prompt files are `string.Template`s (the braces of code trip `str.format`), and what is put in is never looked at for `$names`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from pydantic import BaseModel

from agents.fencing import Fencing
from agents.schemas import json_schema
from schema.finding import Finding
from schema.ports import ModelRequest, ModelRole

PROMPTS = Path(__file__).with_name("prompts")
MAX_CONTEXT = 4_000
"""Characters of what stood around the code; the end counts, because a traceback ends with its error."""
MAX_EVIDENCE = 400
MAX_LANGUAGE = 30
DEFAULT_OUTPUT = 4_096


@dataclass(frozen=True)
class Block:
    """One fenced text. `label` is the fence's name, `note` our own sentence before it."""

    label: str
    text: str
    note: str


@dataclass(frozen=True)
class Question:
    """What is asked: `task_id` and `role` for the budget, `blocks` are all data, `values` fill the role's prompt file."""

    task_id: str
    role: ModelRole
    answer: type[BaseModel]
    blocks: Sequence[Block]
    values: Mapping[str, str]
    max_output_tokens: int = DEFAULT_OUTPUT

    def request(self, fencing: Fencing) -> ModelRequest:
        """As the model layer wants it."""
        fenced = [f"{block.note}\n{fencing.fence(block.label, block.text)}" for block in self.blocks]
        fences = prompt("fences", {"number": fencing.number})
        if fencing.has_marked:
            fences += "\n" + prompt("marks", {"mark": fencing.mark})
        return ModelRequest(
            task_id=self.task_id,
            role=self.role,
            system=prompt(self.role, {**self.values, "fences": fences}),
            user="\n\n".join(fenced),
            schema_name=self.answer.__name__,
            json_schema=json_schema(self.answer),
            max_output_tokens=self.max_output_tokens,
        )

    def fencing(self) -> Fencing:
        """Fences that none of the blocks can end."""
        return Fencing([block.text for block in self.blocks])


def spoken(language: str) -> str:
    """A language's name for a sentence of ours: a name given by hand may be anything."""
    return re.sub(r"[^\w+#. -]", "", language)[:MAX_LANGUAGE] or "unknown"


@cache
def template(name: str) -> Template:
    """A file of `prompts/`."""
    return Template((PROMPTS / f"{name}.md").read_text(encoding="utf-8").strip())


def prompt(name: str, values: Mapping[str, str]) -> str:
    """A prompt file with its values. Raises: KeyError when one is missing."""
    return template(name).substitute(values)


def around(context_text: str, summary: str) -> list[Block]:
    """What stood around the code and what the session has done so far, as far as there is any."""
    blocks = []
    if context_text.strip():
        blocks.append(Block("context", context_text.strip()[-MAX_CONTEXT:], "Text that stood around the code when it was handed in:"))
    if summary.strip():
        blocks.append(Block("session", summary, "Outcomes of earlier tasks of this session, for orientation only:"))
    return blocks


def findings_as_lines(findings: Iterable[Finding]) -> str:
    """One JSON object a line: what each finding says, and the code it is about."""
    return "\n".join(json.dumps(as_evidence(found), ensure_ascii=False) for found in findings)


def as_evidence(found: Finding) -> dict[str, str]:
    """A finding without positions: a model is to think in code, not in numbers."""
    return {
        "quote": quote_of(found),
        "message": found.message,
        "severity": found.severity,
        "category": found.category,
        "suggestion": found.suggestion,
        "by": found.rule_id,
    }


def quote_of(found: Finding) -> str:
    """The lines of a finding, cut to where it stands when they are long."""
    text = found.evidence
    if len(text) <= MAX_EVIDENCE:
        return text
    start = max(0, found.start_column - 1) if found.start_line == found.end_line else 0
    return text[start : start + MAX_EVIDENCE]
