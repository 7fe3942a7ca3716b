"""From what a model sent to the JSON text in it: reasoning, fences and prose around it go, nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from errors import ModelRefusedError

REFUSED = "The model refused to answer for this code; change the code, or set another LLM_MODEL."
FILTERED = "The endpoint's content filter stopped the answer for this code; change the code, or set another LLM_MODEL."
AMBIGUOUS = "it holds different JSON objects that could each be the answer: give exactly one, and no text around it"
TOO_DEEP = "its JSON is nested too deeply"
MAX_STARTS = 2_000
"""Most places at which an object is looked for: an answer with more braces than that is code, not JSON."""
_THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"^.*</(?:think|thinking|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(r"<(?:think|thinking|reasoning|thought)>.*$", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
"""Not strict: models write line ends into strings as they are."""


@dataclass(frozen=True)
class ToolCall:
    """A function that the model called; `arguments` is JSON text."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Answer:
    """A whole answer. `input_tokens` and `output_tokens` are None when the endpoint does not count."""

    text: str
    reasoning: str = ""
    refusal: str = ""
    finish_reason: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None


class UnusableAnswerError(Exception):
    """The answer can't be used; `str(error)` tells the model why.

    `is_cut`: it ended at the output limit. `ignores_form`: there is text, and it is no object with the keys that were asked for.
    """

    def __init__(self, sentence: str, *, is_cut: bool = False, is_empty: bool = False, ignores_form: bool = False) -> None:
        super().__init__(sentence)
        self.is_cut = is_cut
        self.is_empty = is_empty
        self.ignores_form = ignores_form


def answer_json(answer: Answer, name: str, required: Sequence[str]) -> str:
    """The JSON object that the answer holds, as clean JSON text. `name` is the function's, `required` are keys it must have.

    Raises: ModelRefusedError; UnusableAnswerError with a sentence for the model.
    """
    if answer.finish_reason == "content_filter":
        raise ModelRefusedError(FILTERED)
    if answer.refusal:
        raise ModelRefusedError(REFUSED)
    if answer.finish_reason == "length":
        raise UnusableAnswerError("it was cut at the output limit", is_cut=True, is_empty=not answer.text.strip())
    if answer.tool_calls and "{" not in answer.text:  # a sentence before the call is no answer
        return json_object(_arguments(answer.tool_calls, name), required)
    # Some servers take the whole answer for reasoning when the model was told not to think.
    return json_object(answer.text if answer.text.strip() else answer.reasoning, required)


def _arguments(calls: Sequence[ToolCall], name: str) -> str:
    """The arguments of the one call. Raises: UnusableAnswerError."""
    if len(calls) > 1:
        raise UnusableAnswerError(f"it calls {len(calls)} functions; call {name} exactly once")
    if calls[0].name != name:
        raise UnusableAnswerError(f"it calls another function than {name}; call {name} exactly once")
    return calls[0].arguments


def json_object(text: str, required: Sequence[str] = ()) -> str:
    """The JSON object in a text, as clean JSON text. Raises: UnusableAnswerError."""
    whole = _decoded(text.strip().removeprefix("\ufeff").strip())
    if isinstance(whole, str):
        whole = _decoded(whole.strip())
    if isinstance(whole, dict):
        return _clean(whole)
    visible = without_thoughts(_shielded(text))
    found = sorted(objects_in(visible), key=len)
    fitting = [value for value in found if all(key in value for key in required)]
    if any(value != fitting[0] for value in fitting):
        # One of them may be a quotation of what the code under review wants to be answered.
        raise UnusableAnswerError(AMBIGUOUS)
    if fitting:
        return _clean(fitting[0])
    if why := _why(visible):
        raise UnusableAnswerError(why, ignores_form=bool(visible))
    return _clean(found[-1])  # it lacks keys: whoever reads it says which


def without_thoughts(text: str) -> str:
    """The text without reasoning in tags; also where the opening tag stood in the prompt, or the closing one never came."""
    rest = _THOUGHT.sub("", text)
    rest = _THOUGHT_END.sub("", rest)
    return _THOUGHT_START.sub("", rest).strip()


def _shielded(text: str) -> str:
    """The text with `<` escaped inside its JSON objects: a tag in quoted code ends no reasoning."""
    parts, position = [], 0
    for start, end, _ in _placed_objects(text):
        parts += [text[position:start], text[start:end].replace("<", "\\u003c")]
        position = end
    return "".join([*parts, text[position:]])


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects of a text, in order."""
    return (value for _, _, value in _placed_objects(text))


def _placed_objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The outermost JSON objects of a text, in order, each with its start and end."""
    position = 0
    for _ in range(MAX_STARTS):
        position = text.find("{", position)
        if position < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        if isinstance(value, dict):
            yield position, end, value
        position = end


def _decoded(text: str) -> Any:
    """The value of a text that is JSON as a whole, else None."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _clean(value: dict[str, Any]) -> str:
    """JSON text that any reader takes: half a surrogate pair becomes the replacement character."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise UnusableAnswerError(TOO_DEEP) from None
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _why(visible: str) -> str:
    """A sentence for the model about a text without a fitting object; empty when its first brace opens a whole object."""
    if not visible:
        return "it is empty"
    start = visible.find("{")
    if start < 0:
        return "it holds no JSON object"
    try:
        _DECODER.raw_decode(visible, start)
    except json.JSONDecodeError as error:
        return f"its JSON is not valid: {error.msg} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        return TOO_DEEP
    return ""
