"""The whole command line with a model behind it: every fault of a server ends in its code, and the next task is served."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.harness import CommandLine, Ran
from tests.model_replies import Reply
from tests.model_server import ModelServer, key_hash

KEY = "sk-proj-" + "T3st" * 8
FIRST = "def first_index(xs):\n    return len(xs)\n"
SECOND = "def last_index(xs):\n    return len(xs)\n"
MENDED = "def last_index(xs):\n    return len(xs) - 1\n"
ANSWERS = {
    "review": {
        "summary": "off by one",
        "findings": [
            {
                "quote": "return len(xs)",
                "message": "the last index is len - 1",
                "severity": "high",
                "category": "bug",
                "suggestion": "subtract one",
                "confidence": 0.9,
            }
        ],
    },
    "fix": {"fixed_code": MENDED, "explanation": "subtract one"},
}
CURED = ["fenced", "prose", "think", "reasoning", "only reasoning", "400 response_format", "whole", "slow"]
FAILED = {
    "400": "llm_request_failed",
    "400 context": "llm_budget_exceeded",
    "401": "llm_request_failed",
    "402": "llm_request_failed",
    "403": "llm_request_failed",
    "404": "llm_request_failed",
    "413": "llm_budget_exceeded",
    "422": "llm_request_failed",
    "429": "llm_request_failed",
    "quota": "llm_request_failed",
    "500": "llm_request_failed",
    "502": "llm_request_failed",
    "503": "llm_request_failed",
    "hang": "agent_timeout",
    "keep-alive": "agent_timeout",
    "dropped": "llm_request_failed",
    "cut": "llm_request_failed",
    "no finish reason": "llm_request_failed",
    "broken sse": "llm_request_failed",
    "html": "llm_request_failed",
    "empty": "llm_request_failed",
    "empty choices": "llm_request_failed",
    "null choices": "llm_request_failed",
    "null content": "invalid_model_output",
    "refusal": "llm_refused",
    "length": "llm_budget_exceeded",
    "content filter": "llm_refused",
    "reasoning, cut": "invalid_model_output",
    "schema violation": "invalid_model_output",
    "invalid json": "invalid_model_output",
    "wrong tool": "invalid_model_output",
    "two tools": "invalid_model_output",
}


def with_model(codemind: CommandLine, server: ModelServer, **more: str) -> CommandLine:
    """The command line with that server as its model."""
    model = {"LLM_BASE_URL": server.url, "LLM_API_KEY": KEY, "LLM_MODEL": "m", **more}
    return replace(codemind, environment=tuple(model.items()))


def written_in(home: Path) -> bytes:
    """All bytes of all files."""
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def holds_key(codemind: CommandLine, ran: Ran) -> bool:
    """True when any part of the key is in the output or in a file."""
    return "T3stT3st" in ran.out + ran.err or b"T3stT3st" in written_in(codemind.home)


@pytest.mark.parametrize("mode", CURED)
def test_an_answer_that_can_be_read_is_as_good_as_any(codemind: CommandLine, mode: str) -> None:
    """Finding by the model on its line, its fix, verified and saved."""
    methods = ("json_schema",) if mode == "400 response_format" else ("json_schema", "json_mode")
    with ModelServer(Reply(mode, always=True, methods=methods), answers=ANSWERS) as server:
        ran = with_model(codemind, server).run("--json", stdin=SECOND)

    record = ran.record
    assert (ran.status, record["provider"], record["error"]) == (0, "openai", None)
    assert [(found["start_line"], found["source"]) for found in record["findings"]] == [(2, "model:m")]
    assert record["fix"]["code"] == MENDED
    assert (record["fix"]["origin"], record["saved"]["status"]) == ("model", "added")
    assert not holds_key(codemind, ran)
    assert {seen.key_hash for seen in server.requests} == {key_hash(KEY)}


@pytest.mark.parametrize("mode", FAILED)
def test_a_fault_ends_in_its_code_and_the_next_task_is_served(codemind: CommandLine, mode: str) -> None:
    """Exit 3, our own sentence, nothing saved from the failed task, no key in any output or file; all calls counted."""
    with ModelServer(Reply(mode, always=True, about="first_index", retry_after="0"), answers=ANSWERS) as server:
        ran = with_model(codemind, server, LLM_TIMEOUT_SECONDS="1").run("--json", stdin=FIRST + "EOF\n" + SECOND)
        failed, served = ran.records

    assert (ran.status, failed["error"]["code"]) == (3, FAILED[mode])
    assert (failed["saved"]["status"], failed["saved"]["why"], failed["fix"]) == ("skipped", "error", None)
    assert (served["error"], served["fix"]["code"], served["saved"]["status"]) == (None, MENDED, "added")
    assert failed["llm"]["calls"] + served["llm"]["calls"] == len(server.chats)
    assert not holds_key(codemind, ran)
    assert b"first_index" not in (codemind.home / "ledger.sqlite3").read_bytes()
    told = failed["error"]["message"] + ran.err
    assert not [word for word in ("127.0.0.1", "example.com", "Traceback") if word in told]


def closing(printed: str) -> list[str]:
    """The parts of the last lines of a report, wherever they were wrapped."""
    return [part.strip() for line in printed.splitlines()[-4:] for part in line.split("|")]


def test_a_known_paste_costs_no_call(codemind: CommandLine) -> None:
    """What was learnt from the model is answered from memory, and the report says that nothing left."""
    with ModelServer(answers=ANSWERS) as server:
        first = with_model(codemind, server).run(stdin=SECOND)
        again = with_model(codemind, server).run(stdin=SECOND)

    assert server.roles == ["plan", "review", "fix"]
    assert "3 model calls, 360 tokens, cost unknown" in closing(first.out)
    assert f"code goes to {server.host}" in closing(first.out)
    assert "no model call" in closing(again.out)
    assert "nothing left this machine" in closing(again.out)


def test_the_cost_is_shown_where_the_prices_are_known(codemind: CommandLine) -> None:
    """In the record and in the report."""
    with ModelServer(answers=ANSWERS) as server:
        priced = with_model(codemind, server, LLM_PRICE_INPUT="1", LLM_PRICE_OUTPUT="10")
        record = priced.run("--json", "--no-save", stdin=SECOND).record
        text = priced.run("--no-save", stdin=SECOND).out

    assert record["llm"] == {"calls": 3, "input_tokens": 300, "output_tokens": 60, "cost_usd": pytest.approx(0.0009)}
    assert "360 tokens, 0.0009 USD" in text


def test_no_save_leaves_nothing_behind(codemind: CommandLine) -> None:
    """What was found out about the endpoint neither."""
    with ModelServer(Reply("400 response_format", methods=("json_schema",), always=True), answers=ANSWERS) as server:
        ran = with_model(codemind, server).run("--json", "--no-save", stdin=SECOND)

    assert ran.record["fix"]["code"] == MENDED
    assert not codemind.home.exists()


def test_a_method_is_found_out_once(codemind: CommandLine) -> None:
    """Neither the next task nor the next run tries what was refused."""
    refused = Reply("400 response_format", methods=("json_schema",), always=True)
    with ModelServer(refused, answers=ANSWERS) as server:
        for _ in range(2):
            with_model(codemind, server).run("--json", "--no-memory", stdin=SECOND + "EOF\n" + SECOND)

    assert [seen.method for seen in server.chats].count("json_schema") == 1


def test_the_budget_of_a_task_is_kept(codemind: CommandLine) -> None:
    """MAX_LLM_CALLS calls and not one more; what was found until then stays."""
    with ModelServer(answers=ANSWERS) as server:
        ran = with_model(codemind, server, MAX_LLM_CALLS="2").run("--json", stdin=SECOND)

    assert (ran.status, ran.record["error"]["code"], ran.record["llm"]["calls"]) == (3, "llm_budget_exceeded", 2)
    assert [found["start_line"] for found in ran.record["findings"]] == [2]
    assert ran.record["saved"]["why"] == "error"


def test_a_settings_file_of_the_working_directory_is_not_read(
    codemind: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one above it, nor one in a repository: key and code go where the user said."""
    inner = tmp_path / "repo" / "src"
    (inner.parent / ".git").mkdir(parents=True)
    inner.mkdir()
    with ModelServer(answers=ANSWERS) as own, ModelServer(answers=ANSWERS) as other:
        for folder in (inner, inner.parent, tmp_path):
            (folder / ".env").write_text(f"LLM_BASE_URL={other.url}\nLLM_MODEL=evil\n")
        monkeypatch.chdir(inner)
        here = with_model(codemind, own).run("--json", "--no-save", stdin=SECOND)
        spawned = with_model(codemind, own).spawn("--json", "--no-save", stdin=SECOND.encode(), cwd=inner)

    assert here.status == spawned.status == 0
    assert (len(own.chats), len(other.requests)) == (6, 0)
    assert {seen.body["model"] for seen in own.chats} == {"m"}


def test_an_incomplete_model_is_said_before_anything_is_read(codemind: CommandLine) -> None:
    """Exit 2, one line that names the variable."""
    ran = replace(codemind, environment=(("LLM_API_KEY", KEY),)).run("--json", stdin=SECOND)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("codemind: config_invalid: LLM_MODEL is not set")
    assert "T3st" not in ran.err


def test_a_key_for_other_programs_does_not_switch(codemind: CommandLine) -> None:
    """The static engine reviews; one line says how to use the key."""
    ran = replace(codemind, environment=(("OPENAI_API_KEY", KEY),)).run("--json", stdin=SECOND)

    assert ran.record["provider"] == "static"
    assert ran.err.count("OPENAI_API_KEY is set for other programs") == 1
    assert "T3st" not in ran.err + json.dumps(ran.record)
