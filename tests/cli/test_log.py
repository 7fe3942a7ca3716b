"""What the command line writes into its log, and that it prints nothing of it."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from cli.app import main
from tests.cli.harness import KEEP, CommandLine
from tests.cli.test_errors import console_on
from tests.model_replies import Reply
from tests.model_server import ModelServer

KEY = "sk-proj-" + "L0gb" * 8


def said_in(codemind: CommandLine) -> list[str]:
    """What was logged, without time, level and process."""
    text = (codemind.home / "log" / "codemind.log").read_text(encoding="utf-8")
    return [line.split(" ", 3)[3] for line in text.splitlines()]


def test_a_run_has_its_start_and_each_task_s_end(codemind: CommandLine) -> None:
    """Version, platform and provider once a run; of a task what it came to, in words of ours."""
    codemind.spawn("--json", stdin=(KEEP + "EOF\nx = 1\n").encode())
    start, first, second = said_in(codemind)

    assert start.startswith("codemind: start: version=")
    assert start.endswith("provider=static method=-")
    assert first.startswith('codemind.tasks: task: id="1" language=python lines=3 match=NONE tier=- route=retrieve_memory>manager>')
    assert "findings=1 level=clean saved=added calls=0 ms=" in first
    assert "findings=0 level=- saved=skipped" in second
    assert "seen" not in first


def test_debug_adds_the_time_of_each_step(codemind: CommandLine) -> None:
    """One line a node."""
    replace(codemind, environment=(("LOG_LEVEL", "debug"),)).run("--json", stdin=KEEP)
    steps = [line for line in said_in(codemind) if line.startswith('codemind.tasks: step: id="1" node=')]
    assert len(steps) == 9


def test_what_a_model_s_endpoint_did(codemind: CommandLine) -> None:
    """Another way of asking, a failed call with its status, a repair round; neither address nor key nor answer."""
    refused = Reply("400 response_format", methods=("json_schema",), always=True)
    script = (refused, Reply("429", retry_after="0", methods=("json_mode",)), Reply("invalid json", role="review"))
    with ModelServer(*script) as server:
        model = (("LLM_BASE_URL", server.url), ("LLM_API_KEY", KEY), ("LLM_MODEL", "m"))
        replace(codemind, environment=model).run("--json", stdin=KEEP)
    said = "\n".join(said_in(codemind))

    assert "provider=openai method=json_schema" in said
    assert "codemind.model: call failed: role=manager kind=OpenAIInvalidRequestError status=400 code=llm_request_failed retries=0" in said
    assert "codemind.model: asked in another way: changed=method method=json_mode" in said
    assert "codemind.model: call failed: role=manager kind=OpenAIRateLimitError status=429 code=llm_request_failed retries=2" in said
    assert "codemind.model: repair round: role=reviewer cut=False empty=False" in said
    assert not [word for word in (server.host, "127.0.0.1", "L0gb", "response_format") if word in said]


def test_what_happened_to_the_memory(codemind: CommandLine, tmp_path: Path) -> None:
    """Seeded, made again, damaged without a backup, refused, recovered: each is a line."""
    seeds = tmp_path / "seeds.jsonl"
    seeds.write_text(json.dumps({"code": KEEP, "fixed_code": KEEP.replace("[]", "None")}) + "\n", encoding="utf-8")
    codemind.run("memory", "seed", "--jsonl", str(seeds))
    codemind.run("memory", "rebuild")
    (codemind.home / "ledger.backup-auto.sqlite3").unlink()
    (codemind.home / "ledger.sqlite3").write_bytes(b"this is no database" * 1000)
    codemind.run("--json", stdin=KEEP)
    codemind.run("memory", "rebuild")
    codemind.run("memory", "recover", "--empty")
    said = [line.partition(" ms=")[0] for line in said_in(codemind) if "start:" not in line]

    assert said[0].startswith("codemind.memory: seeded: lines=1 added=1")
    assert said[1:3] == ["codemind.memory: index: made by hand rows=1 was_damaged=False", "codemind.memory: ledger: damaged, moved aside"]
    assert said[-2:] == [
        "codemind: failed: memory rebuild error=memory_damaged",
        "codemind.memory: ledger: recovered saved=0 lost=0 was_damaged=True",
    ]


def test_a_memory_that_mends_itself_says_so_in_the_log(codemind: CommandLine) -> None:
    """Counts, and no path."""
    codemind.run("--json", stdin=KEEP)
    (codemind.home / "ledger.sqlite3").write_bytes(b"this is no database" * 1000)
    codemind.run("--json", stdin=KEEP)

    assert "codemind.memory: ledger: mended fixes=1 from_backup=1 missing=0" in said_in(codemind)


@pytest.mark.parametrize("arguments", [["recall", "-"], ["memory", "list"], ["--no-save", "--json"], ["--help"]], ids=" ".join)
def test_what_writes_nothing_has_no_log(codemind: CommandLine, arguments: list[str]) -> None:
    """Looking into the memory, and a run that leaves nothing behind."""
    codemind.run(*arguments, stdin=KEEP)
    assert not codemind.home.exists()


def test_no_library_prints_and_none_logs_what_it_was_given(codemind: CommandLine) -> None:
    """Also when a user's shell tells one to: prompts, addresses and keys would be on the screen."""
    with ModelServer(Reply("500", retry_after="0")) as server:
        model = (
            ("LLM_BASE_URL", server.url),
            ("LLM_API_KEY", KEY),
            ("LLM_MODEL", "m"),
            ("OPENAI_LOG", "debug"),
            ("PYTHONWARNINGS", "always"),
        )
        ran = replace(codemind, environment=model).spawn("--json", stdin=KEEP.encode())

    assert (ran.status, ran.err, len(ran.records)) == (0, "", 1)
    assert server.host not in "\n".join(said_in(codemind))


@pytest.mark.parametrize("save", [True, False])
def test_an_unexpected_error_is_a_line_unless_nothing_may_stay(tmp_path: Path, save: bool) -> None:
    """Class and place; with --no-save they are in the one line on the screen only."""

    def broken() -> bytes:
        raise KeyError("secret code")

    err = io.StringIO()
    arguments = ["--json", *([] if save else ["--no-save"])]
    assert main(arguments, console_on(io.StringIO(), err, broken, tmp_path / "home")) == 4

    assert err.getvalue().count("\n") == 1
    assert "secret code" not in err.getvalue()
    if save:
        (line,) = [line for line in said_in(CommandLine(tmp_path / "home")) if "unexpected" in line]
        assert line.startswith("codemind: unexpected: KeyError in tests/cli/test_log.py:")
        assert ".txt" in line
    else:
        assert "it happened in tests/cli/test_log.py:" in err.getvalue()
        assert not (tmp_path / "home").exists()
