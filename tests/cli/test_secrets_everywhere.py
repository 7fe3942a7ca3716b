"""Secrets of every kind go through every way into the program, and no part of any is found afterwards: not in a file under
CODEMIND_HOME, not in a request to the model, not in what is printed. Only the user's own copy of the code has them."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from cli.console import Console
from tests.cli.harness import CommandLine, Ran
from tests.cli.planted import ALL, DEFECT, LAST, OTHERS, PYTHON, Planted, leaks, paste, without_own_copy, written_in
from tests.cli.screen import opened
from tests.model_replies import Reply
from tests.model_server import ModelServer

KEY = "sk-svcacct-" + "K3yF0rTh3M0d3l" * 3
FIXED = DEFECT.replace("seen=[]", "seen=None").replace("    seen.append", "    if seen is None:\n        seen = []\n    seen.append")


def with_model(codemind: CommandLine, server: ModelServer) -> CommandLine:
    """The command line with that server as its model."""
    model = (("LLM_BASE_URL", server.url), ("LLM_API_KEY", KEY), ("LLM_MODEL", "m"), ("LLM_TIMEOUT_SECONDS", "5"))
    return replace(codemind, environment=model)


def kept_and_said(codemind: CommandLine, ran: Ran) -> list[str | bytes]:
    """Everything that a JSON run left, but for the user's own copy."""
    return [written_in(codemind.home), without_own_copy(ran.records), ran.err]


def bodies(server: ModelServer) -> str:
    """All requests."""
    return "\n".join(json.dumps([seen.path, seen.body, seen.headers], ensure_ascii=False) for seen in server.requests)


def test_there_are_enough_of_them() -> None:
    """Each is found by the search when it is there, whole or in part: a search that finds nothing would prove nothing."""
    assert len({planted.kind for planted in ALL}) >= 20
    for planted in ALL:
        assert planted.kind in leaks(planted.code)
        assert planted.kind in leaks(f"...{planted.value.splitlines()[0][-12:]}...")
    assert leaks(DEFECT) == []


def test_a_pipe_without_a_model(codemind: CommandLine) -> None:
    """The paste is reviewed, its fix saved, each secret reported on its line; with --trace too. The user's copy is whole."""
    ran = codemind.run("--json", "--trace", stdin=paste())

    record = ran.record
    assert (record["error"], record["saved"]["status"]) == (None, "added")
    assert record["fix"]["code"] == paste().replace(DEFECT, FIXED)
    lines = {finding["start_line"] for finding in record["findings"] if finding["rule_id"] == "secrets/hard-coded-credential"}
    assert len(lines) == len(PYTHON)
    assert "retrieve_memory" in ran.err
    assert leaks(*kept_and_said(codemind, ran)) == []


def test_all_languages_as_a_batch(codemind: CommandLine) -> None:
    """A line each, several at a time, and a secret as a line's id; then once more, from memory."""
    batch = "".join(json.dumps({"id": planted.code, "code": planted.code, "language": language}) + "\n" for language, planted in OTHERS)
    batch += json.dumps({"id": "python", "code": paste()}) + "\n"
    for _ in range(2):
        ran = codemind.run("batch", "-", "--json", "--jobs", "2", stdin=batch)
        assert [record["error"] for record in ran.records] == [None] * (len(OTHERS) + 1)
        assert {record["id"] for record in ran.records} == {"python", *(planted.code for _, planted in OTHERS)}
        assert all(record["findings"] for record in ran.records)
        said = without_own_copy([{**record, "id": ""} for record in ran.records])
        assert leaks(written_in(codemind.home), said, ran.err) == []


def test_a_session_with_a_model(codemind: CommandLine) -> None:
    """No request holds one. What the model makes up itself, in a finding, a fix and a summary, is not kept either."""
    made_up = Planted("made up by the model", "{}", "ghp_", 36).value
    answers = {
        "plan": {"thoughts": f"revoke {made_up}", "steps": [f"look at {made_up}"]},
        "review": {
            "summary": f"it uses {made_up}",
            "findings": [
                {
                    "quote": "seen.append(x)",
                    "message": f"grows for ever, like {made_up}",
                    "severity": "high",
                    "category": "bug",
                    "suggestion": f"use {made_up}",
                    "confidence": 0.9,
                }
            ],
        },
        "fix": {"fixed_code": DEFECT.replace("seen=[]", f'seen=["{made_up}"]'), "explanation": f"as in {made_up}"},
    }
    with ModelServer(answers=answers) as server:
        ran = with_model(codemind, server).run("--json", "--trace", stdin=paste() + "\nEOF\n" + DEFECT.replace("keep", "hold"))

    assert len(server.chats) >= 3
    assert leaks(bodies(server), *kept_and_said(codemind, ran)) == []
    everything = written_in(codemind.home) + (bodies(server) + ran.out + ran.err).encode()
    assert made_up.encode() not in everything
    assert made_up[8:20].encode() not in everything
    assert KEY[12:24].encode() not in everything


@pytest.mark.parametrize("mode", ["401", "422", "500", "invalid json", "schema violation", "cut", "refusal"])
def test_a_session_whose_model_fails(codemind: CommandLine, mode: str) -> None:
    """A repair round quotes the model, a provider's error quotes the request: neither is kept or shown."""
    echo = json.dumps({"summary": paste(), "findings": "none"})
    with ModelServer(Reply(mode, always=True, content=echo if mode == "schema violation" else None, retry_after="0")) as server:
        ran = with_model(codemind, server).run("--json", stdin=paste())

    assert ran.status == 3
    assert server.chats
    assert leaks(bodies(server), *kept_and_said(codemind, ran)) == []


def test_a_file_that_is_fixed_recalled_and_written(codemind: CommandLine, tmp_path: Path) -> None:
    """`fix FILE --write` puts them back in place: the file has them, and nothing else."""
    file = tmp_path / "app.py"
    file.write_text(paste(), encoding="utf-8")
    fixed = codemind.run("fix", str(file), "--json")
    recalled = codemind.run("recall", str(file), "--json")
    written = codemind.run("fix", str(file), "--json", "--write")

    assert (recalled.record["match"]["status"], written.status) == ("IDENTICAL", 0)
    assert file.read_text(encoding="utf-8") == paste().replace(DEFECT, FIXED)
    for ran in (fixed, recalled, written):
        assert leaks(*kept_and_said(codemind, ran)) == []


def test_reports_as_text(codemind: CommandLine) -> None:
    """Findings, explanation, closing lines: a secret is named by its kind. The lines around the fix, the user's own, have none here."""
    ran = codemind.run(stdin=paste())

    assert "GitHub token" in ran.out
    assert "+    if seen is None:" in ran.out
    assert leaks(ran.out, ran.err) == []


@pytest.mark.parametrize("format_name", ["jsonl", "json"])
def test_findings_for_other_programs(codemind: CommandLine, format_name: str) -> None:
    """Evidence is the code with placeholders: a CI log keeps it for ever."""
    ran = codemind.run("--format", format_name, stdin=paste())
    said = ran.out if format_name == "jsonl" else without_own_copy(ran.records)

    assert "CMSECRET" in said
    assert leaks(said, ran.err) == []


_FINDING = {
    "start_line": 1,
    "end_line": 1,
    "start_column": 1,
    "end_column": 2,
    "severity": "high",
    "category": "bug",
    "confidence": 1.0,
    "fix": None,
    "fingerprint": "f",
}


def seeds() -> list[dict[str, Any]]:
    """One seed for each secret, which stands in every field of it."""
    rows: list[dict[str, Any]] = []
    for planted in ALL:
        row = {
            "code": f"{DEFECT}{planted.code}\n",
            "fixed_code": f"{FIXED}{planted.code}\n",
            "explanation": f"A list was shared:\n{planted.code}",
            "language": "python",
            "source": planted.code,
            "license": planted.code,
            "provenance": {"author": planted.code, "file_hash": planted.code},
            "trust": "quarantined",
            "trust_reason": planted.code,
            "findings": [{**_FINDING, **dict.fromkeys(("rule_id", "message", "suggestion", "evidence", "source", "path"), planted.code)}],
        }
        rows.append(row)
    return rows


def test_seeds_and_what_is_made_of_them(codemind: CommandLine, tmp_path: Path) -> None:
    """Ledger, vectors, Chroma's files, and what list, show, search and export print."""
    file = tmp_path / "seeds.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in seeds()), encoding="utf-8")
    seeded = codemind.run("memory", "seed", "--jsonl", str(file), "--json")
    assert json.loads(seeded.out)["bad"] == 0
    printed = [codemind.run("memory", *words) for words in (["list"], ["search", "seen"], ["export"], ["review"], ["stats"])]
    (first, *_) = printed[0].out.split()
    printed += [codemind.run("memory", "show", first), codemind.run("memory", "rebuild")]

    assert (codemind.home / "chroma").is_dir()
    assert leaks(written_in(codemind.home), seeded.out, seeded.err, *(ran.out + ran.err for ran in printed)) == []


def test_a_session_that_is_killed_in_a_call(codemind: CommandLine) -> None:
    """kill -9 while the model is asked: the checkpoint holds placeholders, and so does what `resume` makes of it."""
    with ModelServer(Reply("hang")) as server:
        running = with_model(codemind, server)
        process = running.start("--json")
        assert process.stdin is not None
        process.stdin.write(paste().encode() + b"\nEOF\n")
        process.stdin.flush()
        assert server.wait_until(lambda seen: bool(seen.chats), timeout_s=60)
        process.kill()
        out, err = process.communicate(timeout=60)

    assert (codemind.home / "sessions.sqlite3").exists()
    assert leaks(written_in(codemind.home), bodies(server), out, err) == []
    resumed = codemind.run("resume", "--json")
    assert resumed.record["findings"]
    assert leaks(written_in(codemind.home), resumed.out, resumed.err) == []


def test_a_crash_and_the_report_about_it(codemind: CommandLine) -> None:
    """An error that quotes the code, and causes that do; then `doctor`, plain and as a report."""

    def broken() -> bytes:
        raise KeyError(LAST.code) from ValueError(paste())

    codemind.run("--json", stdin=paste())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODEMIND_HOME", str(codemind.home))
        crashed = _crash(broken, codemind)
    reported = [codemind.run("doctor", *words) for words in ([], ["--report"], ["--json"])]

    assert "internal_error" in crashed
    assert "KeyError" in reported[1].out
    assert leaks(written_in(codemind.home), crashed, *(ran.out + ran.err for ran in reported)) == []


def _crash(read: Any, codemind: CommandLine) -> str:
    """What is printed when reading the input fails as nobody expects."""
    out, err = io.StringIO(), io.StringIO()
    status = main(["--json"], Console(read=read, stdout=out, stderr=err, environment={"CODEMIND_HOME": str(codemind.home)}))
    assert status == 4
    return out.getvalue() + err.getvalue()


def test_a_test_command_that_holds_one(codemind: CommandLine) -> None:
    """It is the user's own, and yet neither log, trace nor memory keeps it."""
    command = f"true # {PYTHON[2].value}"
    ran = codemind.run("--json", "--allow-unsandboxed", "--test-cmd", command, stdin=DEFECT)

    assert ran.record["fix"]["verification"]["level"] == "tested"
    assert leaks(*kept_and_said(codemind, ran)) == []


def test_what_stands_around_the_code(codemind: CommandLine) -> None:
    """A message with prose, a fence and a traceback: a model reads the prose as well, without its secrets."""
    message = f"Why does this hang?\n\n{PYTHON[2].code}\n{LAST.code}\n\n```python\n{DEFECT}```\n\nMy login:\n\n{PYTHON[14].code}\n"
    with ModelServer() as server:
        ran = with_model(codemind, server).run("--json", stdin=message)

    assert "Why does this hang?" in bodies(server)
    assert leaks(bodies(server), *kept_and_said(codemind, ran)) == []


def test_what_a_failing_test_prints(codemind: CommandLine) -> None:
    """Its output goes to the model, that mends the fix: without the secrets in it."""
    printed = base64.b64encode("\n".join(planted.code for planted in PYTHON).encode()).decode()
    answers = {"fix": {"fixed_code": FIXED.replace("x)", "x or 0)"), "explanation": "default"}}
    with ModelServer(answers=answers) as server:
        given = ["--json", "--allow-unsandboxed", "--test-cmd", f"echo {printed} | base64 -d; exit 1"]
        ran = with_model(codemind, server).run(*given, stdin=DEFECT)

    assert "CMSECRET" in bodies(server)
    assert leaks(bodies(server), *kept_and_said(codemind, ran)) == []


def test_a_session_at_the_prompt(codemind: CommandLine) -> None:
    """History, checkpoints, memory and log of an interactive session, while it waits for the next paste and behind its end."""
    with opened(codemind) as screen:
        screen.paste(paste() + "\n")
        screen.wait_for("nothing leaves this machine")
        screen.wait_for("code>")
        alive = written_in(codemind.home)
        screen.type("/quit\r")

    assert b"CMSECRET" in alive
    assert leaks(alive, written_in(codemind.home)) == []
