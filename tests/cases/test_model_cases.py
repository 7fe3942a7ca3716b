"""What people met with models, through the whole program on a scripted server: one fixture a case."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from cli.console import of_bytes
from tests.cases.case import read_input
from tests.cases.expectations import CHECKS, fix_changes_at_most
from tests.model_replies import JSON_FORMATS, Reply
from tests.model_server import ModelServer, Seen

FIXTURES = sorted((Path(__file__).parent / "model_fixtures").glob("*.json"))
KEY = "sk-proj-" + "K3yk" * 8


def replies(script: list[dict[str, Any]]) -> list[Reply]:
    """The server's script; a list of methods becomes a tuple."""
    fields: list[dict[str, Any]] = [{**one, "methods": tuple(one.get("methods", JSON_FORMATS))} for one in script]
    return [Reply(**one) for one in fields]


def run(given: bytes, home: Path, server: ModelServer) -> tuple[int, str, str]:
    """`codemind --json` with that model: exit status, output, errors."""
    out, err = io.StringIO(), io.StringIO()
    environment = {"CODEMIND_HOME": str(home), "LLM_BASE_URL": server.url, "LLM_API_KEY": KEY, "LLM_MODEL": "m"}
    status = main(["--json"], of_bytes(io.BytesIO(given), out, err, environment))
    return status, out.getvalue(), err.getvalue()


def check(step: Mapping[str, Any], ran: tuple[int, str, str], asked: list[Seen], home: Path) -> None:
    """One run against what its fixture expects."""
    status, out, err = ran
    expect = step["expect"]
    assert status == expect["exit"], err
    assert expect.get("roles", [seen.role for seen in asked]) == [seen.role for seen in asked]
    assert expect.get("methods", [seen.method for seen in asked]) == [seen.method for seen in asked]
    records = [json.loads(line) for line in out.splitlines()]
    assert sum(record["llm"]["calls"] for record in records) == expect.get("calls", len(asked)) == len(asked)
    assert len(records) == len(expect["records"])
    for record, wanted in zip(records, expect["records"], strict=True):
        for key, value in wanted.items():
            if key == "fix_changes_at_most":
                fix_changes_at_most(record, value, [line for line in step["input"] if line != "EOF"])
            else:
                CHECKS[key](record, value)
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file()).decode(errors="replace")
    assert not [text for text in ("K3yk", *expect.get("home_lacks", ())) if text in written + out + err]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_case_comes_out_as_its_fixture_says(path: Path, home: Path) -> None:
    """Calls, roles, methods, findings, fix, what is saved, exit status; the key is in no output and no file."""
    case = json.loads(path.read_text(encoding="utf-8"))
    assert case["id"] == path.stem
    with ModelServer(*replies(case["script"])) as server:
        for step in (case, *([case["then"]] if "then" in case else [])):
            before = len(server.chats)
            ran = run(read_input(step), home, server)
            check(step, ran, server.chats[before:], home)
