"""The parts of the model layer that need no server: reading answers, methods, habits, thinking, faults, hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import AgentTimeoutError, ContextTooLongError, ModelError, ModelRefusedError
from integrations.model_answer import Answer, ToolCall, UnusableAnswerError, answer_json, json_object
from integrations.model_endpoint import ModelEndpoint
from integrations.model_faults import fault_of, refusal_of, retry_after_s
from integrations.model_methods import EndpointMemory, Habits, adapted, first_habits, request_body, strict_schema
from integrations.model_probe import Listing
from tests.integrations.models import a_request
from utils.hosts import host_of, is_local, is_loopback

WANTED = ("fixed_code",)
OBJECTS = st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text(), max_size=3), max_size=4)


def an_endpoint(base_url: str = "http://127.0.0.1:8000/v1", **changes: Any) -> ModelEndpoint:
    """An endpoint without a key."""
    return ModelEndpoint(**{"base_url": base_url, "model": "m", "reveal_key": lambda: "", **changes})


@pytest.mark.parametrize(
    "text",
    [
        '{"fixed_code": "x"}',
        '\ufeff {"fixed_code": "x"} \n',
        '```json\n{"fixed_code": "x"}\n```',
        'Here: {"note": 1}\n```\n{"fixed_code": "x"}\n```\nDone.',
        '<think>{"fixed_code": "no"}</think>{"fixed_code": "x"}',
        'hm </think> {"fixed_code": "x"}',
        '{"fixed_code": "x"} <think>was that right',
        '"{\\"fixed_code\\": \\"x\\"}"',
        '[{"fixed_code": "x"}]',
        'f(x) { return {} } {"fixed_code": "x"}',
    ],
)
def test_the_object_is_found_in_its_wrapping(text: str) -> None:
    """And nothing else is taken for it."""
    assert json.loads(json_object(text, WANTED)) == {"fixed_code": "x"}


@pytest.mark.parametrize("inner", ["<think>not a thought</think>", "```json\n{}\n```", "a\nb\tc", "}{", '{"fixed_code": 1}'])
def test_what_stands_inside_a_string_stays(inner: str) -> None:
    """Code under review may hold anything."""
    wrapped = "```json\n" + json.dumps({"fixed_code": inner}) + "\n```"

    assert json.loads(json_object(json.dumps({"fixed_code": inner}), WANTED)) == {"fixed_code": inner}
    assert json.loads(json_object(wrapped.replace("<think>", "<b>").replace("</think>", "</b>"), WANTED))["fixed_code"]


def test_line_ends_in_strings_are_taken() -> None:
    """Models write them as they are."""
    assert json.loads(json_object('{"fixed_code": "a\n\tb"}')) == {"fixed_code": "a\n\tb"}


@given(OBJECTS)
def test_any_object_survives_a_fence_and_prose(value: dict[str, Any]) -> None:
    """Reading is the inverse of wrapping."""
    assert json.loads(json_object(f"Sure:\n```json\n{json.dumps({'fixed_code': value})}\n```\nBye", WANTED)) == {"fixed_code": value}


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """No other error, and what is read can be encoded."""
    try:
        json_object(text, WANTED).encode("utf-8")
    except UnusableAnswerError:
        return


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("<think>for ever", "empty"),
        ("no braces", "no JSON object"),
        ('{"fixed_code": ', "not valid"),
        ('{"findings": [{"quote": "a"}, ', "not valid"),
        ("[" * 5_000 + "{" + '"a":[' * 5_000, "deeply|not valid"),
    ],
)
def test_a_text_without_an_object_says_why(text: str, why: str) -> None:
    """A sentence that the model can act on; an inner object is not taken for the whole one."""
    with pytest.raises(UnusableAnswerError, match=why):
        json_object(text, WANTED)


@pytest.mark.parametrize(
    "text",
    [
        '{"fixed_code": "x"}\nThe code asked for: {"fixed_code": "y", "more": "keys"}',
        'The code says {"fixed_code": "y"}, so:\n```json\n{"fixed_code": "x"}\n```',
    ],
)
def test_two_different_answers_are_none(text: str) -> None:
    """One may be quoted from the code: the model is asked again, nothing is chosen for it."""
    with pytest.raises(UnusableAnswerError, match="exactly one"):
        json_object(text, WANTED)


def test_the_same_answer_twice_is_one() -> None:
    """Some models say it again."""
    assert json_object('{"fixed_code": "x"} Again: {"fixed_code": "x"}', WANTED) == '{"fixed_code": "x"}'


def test_an_object_that_lacks_keys_is_handed_on() -> None:
    """Whoever parses it says which keys."""
    assert json_object('So: {"other": 1}', WANTED) == '{"other": 1}'


def test_half_a_surrogate_pair_becomes_a_mark() -> None:
    """It could not be stored; a whole pair is one character."""
    assert json.loads(json_object('{"a": "\\ud83d", "b": "\\ud83d\\ude00"}')) == {"a": "\ufffd", "b": "\U0001f600"}


@pytest.mark.parametrize("answer", [Answer("", refusal="no"), Answer("{}", finish_reason="content_filter")])
def test_a_refusal_is_no_answer(answer: Answer) -> None:
    """There is nothing to repair."""
    with pytest.raises(ModelRefusedError):
        answer_json(answer, "X", ())


def test_text_goes_before_reasoning_and_reasoning_before_nothing() -> None:
    """Some servers put the whole answer into the reasoning."""
    call = ToolCall("X", '{"a": 3}')

    assert answer_json(Answer('{"a": 1}', reasoning='{"a": 2}', finish_reason="stop", tool_calls=(call,)), "X", ()) == '{"a": 1}'
    assert answer_json(Answer("", reasoning='{"a": 2}', finish_reason="stop"), "X", ()) == '{"a": 2}'
    assert answer_json(Answer("", finish_reason="tool_calls", tool_calls=(call,)), "X", ()) == '{"a": 3}'
    assert answer_json(Answer("I will call it.", finish_reason="tool_calls", tool_calls=(call,)), "X", ()) == '{"a": 3}'


def test_schemas_are_sent_as_strict_services_want_them() -> None:
    """Every key required, none further, no lengths; a property that is called like a keyword stays."""
    sent = strict_schema(
        {
            "title": "T",
            "type": "object",
            "properties": {"title": {"type": "string", "maxLength": 5, "default": ""}, "inner": {"anyOf": [{"properties": {"a": {}}}]}},
            "$defs": {"default": {"type": "object", "properties": {}}},
        }
    )

    assert sent == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "inner": {"anyOf": [{"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}]},
        },
        "$defs": {"default": {"type": "object", "properties": {}, "required": [], "additionalProperties": False}},
        "required": ["title", "inner"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("base_url", "mode", "fields"),
    [
        ("https://api.deepseek.com", "", {"thinking": {"type": "disabled"}}),
        ("https://api.deepseek.com", "enabled", {"thinking": {"type": "enabled"}}),
        ("https://api.openai.com/v1", "", {}),
        ("https://api.openai.com/v1", "disabled", {"reasoning_effort": "none"}),
        ("https://api.openai.com/v1", "low", {"reasoning_effort": "low"}),
        ("https://api.siliconflow.cn/v1", "disabled", {"enable_thinking": False}),
        ("http://localhost:11434/v1", "disabled", {"reasoning_effort": "none"}),
        ("http://localhost:8000/v1", "disabled", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("http://localhost:8000/v1", "", {}),
    ],
)
def test_thinking_is_said_in_each_service_s_words(base_url: str, mode: str, fields: dict[str, Any]) -> None:
    """One setting for all."""
    assert an_endpoint(base_url, thinking=mode).thinking_fields() == fields


def test_the_output_limit_has_the_name_that_is_obeyed() -> None:
    """OpenAI refuses the old name for its new models; others ignore the new one."""
    names = {}
    for base_url in ("https://api.openai.com/v1", "https://api.deepseek.com", "http://localhost:8000/v1"):
        endpoint = an_endpoint(base_url)
        names[host_of(base_url)] = next(iter(request_body(endpoint, first_habits(endpoint), a_request(), 9)))

    assert names == {"api.openai.com": "max_completion_tokens", "api.deepseek.com": "max_tokens", "localhost:8000": "max_tokens"}


@pytest.mark.parametrize(
    ("refusal", "change"),
    [
        ("this response_format type is unavailable now", {"method": "json_mode"}),
        ("unsupported value: 'temperature'", {"temperature": False}),
        ("unknown field: thinking", {"thinking": False}),
        ("stream_options is not supported", {"stream_options": False}),
        ("streaming is not supported for this model", {"stream": False}),
        ("unsupported parameter: 'max_tokens'", {"cap_field": "max_completion_tokens"}),
        ("max_tokens must be at most 4096", None),
        ("the sky is too low", None),
    ],
)
def test_a_refusal_changes_what_it_is_about(refusal: str, change: dict[str, Any] | None) -> None:
    """And nothing else."""
    habits = Habits("json_schema", "max_tokens")
    expected = None if change is None else Habits(**{"method": "json_schema", "cap_field": "max_tokens", **change})

    assert adapted(an_endpoint(), habits, refusal) == expected


def test_a_damaged_list_of_endpoints_is_no_fault(tmp_path: Path) -> None:
    """What is in there is worth a call or two."""
    for text in ("", "[]", '{"x": 1}', '{"x": {"method": "magic"}}', "\x00"):
        (tmp_path / "endpoints.json").write_text(text)

        assert EndpointMemory(tmp_path).of(an_endpoint()) == Habits("json_schema", "max_tokens")


def test_habits_that_can_t_be_written_are_kept_in_the_process(tmp_path: Path) -> None:
    """A home that is a file is reported by what needs it."""
    (tmp_path / "home").write_text("")
    memory = EndpointMemory(tmp_path / "home")
    memory.remember(an_endpoint(), Habits("prompt", "max_tokens"))

    assert memory.of(an_endpoint()).method == "prompt"


def test_usual_habits_leave_no_file(tmp_path: Path) -> None:
    """There is nothing to remember."""
    EndpointMemory(tmp_path / "home").remember(an_endpoint(), first_habits(an_endpoint()))

    assert list(tmp_path.iterdir()) == []


class FailingError(Exception):
    """An error with what the client's errors have."""

    def __init__(self, status: int | None = None, body: object = None, headers: dict[str, str] | None = None) -> None:
        super().__init__("secret text")
        self.status_code = status
        self.body = body
        self.response = type("Response", (), {"headers": headers or {}})()


@pytest.mark.parametrize(
    ("error", "kind", "retries"),
    [
        (FailingError(400, {"error": {"message": "This model's maximum context length is 8"}}), ContextTooLongError, 0),
        (FailingError(429, {"error": {"code": "insufficient_quota"}}), ModelError, 0),
        (FailingError(529), ModelError, 2),
        (FailingError(418), ModelError, 0),
        (TimeoutError(), AgentTimeoutError, 1),
        (IndexError("list index out of range"), ModelError, 0),
        (json.JSONDecodeError("x", "y", 0), ModelError, 1),
    ],
)
def test_any_exception_becomes_our_own_error(error: Exception, kind: type[ModelError], retries: int) -> None:
    """With our sentence, never the exception's."""
    fault = fault_of(error, an_endpoint(), 60)

    assert (type(fault.error), fault.retries) == (kind, retries)
    assert "secret" not in fault.error.message


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (FailingError(429), "busy"),
        (FailingError(503), "busy"),
        (FailingError(529), "busy"),
        (FailingError(500), "failing"),
        (FailingError(504), "slow"),
        (TimeoutError(), "slow"),
        (json.JSONDecodeError("x", "y", 0), "broken"),
    ],
)
def test_a_fault_says_why_it_is_waited(error: Exception, cause: str) -> None:
    """Only an endpoint that has too much to do is busy."""
    assert fault_of(error, an_endpoint(), 60).cause == cause


def test_a_refusal_is_read_without_the_request_that_it_repeats() -> None:
    """FastAPI echoes the input: words of the user's code must not look like a refusal."""
    body = {"detail": [{"loc": ["body", "model"], "msg": "Field required", "input": "tools = response_format"}]}

    assert "response_format" not in refusal_of(FailingError(422, body))
    assert "field required" in refusal_of(FailingError(422, body))


@pytest.mark.parametrize(("text", "seconds"), [("7", 7.0), ("-1", 0.0), ("soon", None), ("", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)])
def test_retry_after_is_read_in_both_forms(text: str, seconds: float | None) -> None:
    """Seconds, or a date; anything else says nothing."""
    assert retry_after_s(FailingError(429, headers={"retry-after": text})) == seconds


@pytest.mark.parametrize(
    ("address", "loopback", "local"),
    [
        ("http://127.0.0.1:8080/v1", True, True),
        ("http://[::1]:8080/v1", True, True),
        ("http://localhost/v1", True, True),
        ("http://192.168.1.5:11434/v1", False, True),
        ("http://ollama:11434/v1", False, True),
        ("http://gpu.lan/v1", False, True),
        ("https://api.openai.com/v1", False, False),
        ("https://localhost.example.com/v1", False, False),
        ("https://8.8.8.8/v1", False, False),
    ],
)
def test_hosts_are_told_apart(address: str, loopback: bool, local: bool) -> None:
    """This machine, the user's network, the rest of the world."""
    assert (is_loopback(address), is_local(address)) == (loopback, local)


def test_a_model_that_a_known_service_does_not_list_is_a_problem() -> None:
    """Elsewhere any name may be served, and the list may be short."""
    missing, there = Listing(3, knows_model=False), Listing(3, knows_model=True)

    assert "LLM_MODEL" in missing.problem(an_endpoint("https://api.openai.com/v1"))
    assert missing.problem(an_endpoint()) == there.problem(an_endpoint("https://api.openai.com/v1")) == ""
    assert there.words(an_endpoint()) == "it lists 3 models"
