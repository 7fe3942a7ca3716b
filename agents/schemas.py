"""What a model must answer: strict, bounded shapes, their JSON schemas for the request, and parsing into them.

The schemas name types, keys and allowed words only: some endpoints refuse lengths, and a grammar made from them is slow. Lengths are
checked here. `parse` raises ValueError with a sentence that the model can act on; it repeats nothing of the answer but key names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from schema.finding import Category, Severity

MAX_FINDINGS = 50
MAX_STEPS = 8
MAX_COMPLAINTS = 3
"""Mistakes named in one sentence; a model mends the rest along with them."""

_UNSENT_KEYS = frozenset({"title", "default", "maxLength", "minLength", "maxItems", "minItems", "maximum", "minimum"})
_ODD = re.compile(r"[^\w-]")
_M = TypeVar("_M", bound=BaseModel)


def _lowered(value: object) -> object:
    """`HIGH` is meant as `high`: not worth another call."""
    return value.strip().lower() if isinstance(value, str) else value


Step = Annotated[str, Field(min_length=1, max_length=400)]


class _Answer(BaseModel):
    """Nothing is converted, nothing unknown is let through."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class TaskPlan(_Answer):
    """The manager's answer."""

    thoughts: str = Field(max_length=4_000, description="one or two sentences")
    steps: list[Step] = Field(min_length=1, max_length=MAX_STEPS, description="1 to 8 short steps, most important first")


class QuotedFinding(_Answer):
    """One defect, placed by what the code says there."""

    quote: str = Field(min_length=1, max_length=4_000, description="the exact code that is wrong, copied character by character")
    message: str = Field(min_length=1, max_length=1_000, description="what goes wrong, and when")
    severity: Annotated[Severity, BeforeValidator(_lowered)]
    category: Annotated[Category, BeforeValidator(_lowered)]
    suggestion: str = Field(max_length=1_500, description="what to do instead")
    confidence: float = Field(ge=0, le=1, description="0 to 1: how sure you are that this is a real defect")


class ReviewerOutput(_Answer):
    """The reviewer's answer."""

    summary: str = Field(max_length=4_000, description="one or two sentences")
    findings: list[QuotedFinding] = Field(max_length=MAX_FINDINGS, description="at most 50; an empty list when nothing is wrong")


class FixResult(_Answer):
    """The fixer's answer."""

    fixed_code: str = Field(min_length=1, max_length=1_000_000, description="all of the code, mended; nothing left out")
    explanation: str = Field(max_length=4_000, description="what was wrong and what you changed, in one or two sentences")


def parse(model: type[_M], text: str) -> _M:
    """The answer. Raises: ValueError with a sentence for the model."""
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(complaint(error)) from None


def complaint(error: ValidationError) -> str:
    """What is wrong with an answer, in one line."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    named = [f"{_path(fault['loc'])}: {fault['msg']}" if fault["loc"] else str(fault["msg"]) for fault in faults[:MAX_COMPLAINTS]]
    more = len(faults) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more > 0 else "")


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an answer, in the part of the language that every endpoint takes: no references, no lengths."""
    whole = model.model_json_schema()
    return dict(_plain(whole, whole.get("$defs", {})))


def _plain(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """One schema without what is not sent, references replaced by what they refer to."""
    if "$ref" in node:
        return _plain(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    plain: dict[str, Any] = {key: value for key, value in node.items() if key not in _UNSENT_KEYS and key != "$defs"}
    if "properties" in plain:
        plain["properties"] = {name: _plain(shape, definitions) for name, shape in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)
    if plain.get("type") == "object":
        plain.pop("description", None)  # our own docstring
    return plain


def _path(place: tuple[int | str, ...]) -> str:
    """`findings[0].severity`. A name that the model made up may be anything: it is cut, and its odd characters are replaced."""
    path = "".join(f"[{part}]" if isinstance(part, int) else "." + _ODD.sub("?", part[:40]) for part in place)
    return path.removeprefix(".")
