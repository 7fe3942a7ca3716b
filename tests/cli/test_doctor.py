"""`doctor`: what is in force and whether it works."""

from __future__ import annotations

import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from cli.crash import MOST_CRASHES, crash_files, write_crash
from cli.scrub import Scrub
from tests.cli.harness import KEEP, CommandLine
from tests.model_replies import Reply
from tests.model_server import ModelServer


def test_settings_come_with_their_origin_and_without_secrets(codemind: CommandLine) -> None:
    """A key is there or not; its value is nobody's business."""
    ran = replace(codemind, environment=(("LLM_API_KEY", "sk-do-not-show"), ("REVIEWER_PROVIDER", "static"), ("MAX_FINDINGS", "7"))).run(
        "doctor", "--json"
    )
    settings = {row["name"]: row for row in ran.record["settings"]}
    assert (settings["MAX_FINDINGS"]["value"], settings["MAX_FINDINGS"]["origin"]) == ("7", "environment")
    assert settings["MAX_PASTE_KB"]["origin"] == "default"
    assert "sk-do-not-show" not in ran.out + ran.err


def test_the_model_s_endpoint_is_asked(codemind: CommandLine) -> None:
    """One request that costs nothing; a refused key is a problem, and the key is not in what is printed."""
    key = "sk-" + "D0ct" * 6
    for script, status, words in ((), 0, "it lists 1 model"), ((Reply("401", role="models"),), 3, "set LLM_API_KEY"):
        with ModelServer(*script) as server:
            model = (("LLM_BASE_URL", server.url), ("LLM_MODEL", "m"), ("LLM_API_KEY", key))
            ran = replace(codemind, environment=model).run("doctor")

        assert (ran.status, len(server.requests)) == (status, 1)
        assert words in ran.out
        assert f"Model: m at {server.host}" in ran.out
        assert "D0ct" not in ran.out + ran.err


def test_a_sound_home_is_well(codemind: CommandLine) -> None:
    """Exit 0, as text too; looking changes nothing."""
    codemind.run("--json", stdin=KEEP)
    ran = codemind.run("doctor")
    assert ran.status == 0
    assert "sound; 1 experiences" in ran.out
    assert ran.out.endswith("All is well.\n")


def test_an_empty_home_is_well_too(codemind: CommandLine) -> None:
    """And is not made by looking."""
    assert codemind.run("doctor").status == 0
    assert not codemind.home.exists()


def test_a_damaged_memory_is_broken(codemind: CommandLine) -> None:
    """Exit 3, and what to do."""
    codemind.home.mkdir()
    (codemind.home / "ledger.sqlite3").write_bytes(b"this is no database" * 100)
    ran = codemind.run("doctor")
    assert ran.status == 3
    assert "memory recover" in ran.out


def test_sessions_that_can_not_be_kept_are_broken(codemind: CommandLine) -> None:
    """A folder where the file should be: tasks are served, but an interrupted one could not be resumed."""
    (codemind.home / "sessions.sqlite3").mkdir(parents=True)
    ran = codemind.run("doctor")
    assert ran.status == 3
    assert "BROKEN: sessions:" in ran.out


def test_index_log_and_disk_are_shown(codemind: CommandLine) -> None:
    """How many vectors are indexed and by which embedder, what is logged, how much room is left; looking changes none of it."""
    codemind.run("--json", stdin=KEEP)
    codemind.run("memory", "rebuild")
    before = {path: path.stat().st_mtime_ns for path in codemind.home.rglob("*") if "chroma" in path.name}
    ran = codemind.run("doctor", "--json")

    assert re.fullmatch(r"sound; 1 of 1 vectors, embedder [0-9a-f]{32}", ran.record["index"])
    assert re.search(r"log: \d files, \d+ kB$", ran.record["log"])
    assert re.fullmatch(r"[\d.]+ GB free", ran.record["disk"])
    assert ran.record["crash"] is None
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_an_index_that_was_changed_is_no_fault(codemind: CommandLine) -> None:
    """No answer needs it: what to do is said, the exit status stays 0."""
    codemind.run("--json", stdin=KEEP)
    codemind.run("memory", "rebuild")
    (codemind.home / "chroma" / "chroma.sqlite3").write_bytes(b"x" * 5_000)
    ran = codemind.run("doctor")

    assert ran.status == 0
    assert "codemind memory rebuild" in ran.out


def test_a_log_that_can_not_be_written_is_broken(codemind: CommandLine) -> None:
    """A file where the folder should be; a task says it once, and is served."""
    codemind.home.mkdir()
    (codemind.home / "log").write_text("", encoding="utf-8")
    served = codemind.run("--json", stdin=KEEP + "EOF\n" + KEEP.replace("keep", "hold"))
    ran = codemind.run("doctor")

    assert [record["saved"]["status"] for record in served.records] == ["added", "skipped"]
    assert str(served.records).count("The log and the trace could not be written") == 1
    assert (ran.status, "BROKEN: log: " in ran.out) == (3, True)


def an_error(text: str) -> KeyError:
    """One that was raised here."""
    with pytest.raises(KeyError) as raised:
        dict[str, str]()[text]
    return raised.value


def with_traces_of_a_user(codemind: CommandLine, tmp_path: Path) -> tuple[CommandLine, list[str]]:
    """A home below a user's folder with a log, a crash and settings, and every word of it that must not be shown."""
    person, company = "zaphod.beeblebrox", "magrathea-corp"
    user = tmp_path / "people" / person
    home = user / "state" / company
    secret = "ghp_" + "R3p0" * 9
    environment = (
        ("HOME", str(user)),
        ("USER", person),
        ("HOSTNAME", f"{person}-laptop"),
        ("TERM", "xterm-256color"),
        ("LLM_BASE_URL", f"https://llm.{company}.example:8443/v1/{person}"),
        ("LLM_API_KEY", "sk-proj-" + "R3p0" * 9),
        ("LLM_MODEL", f"/srv/{company}/{person}.gguf"),
        ("LLM_PRICE_INPUT", "1.5"),
        ("EMBEDDING_MODEL", f"{person}@{company}.example"),
    )
    static = replace(codemind, home=home, environment=environment[:4])
    named = f'{{"id": "{person} {secret} /srv/{company}/x.py", "code": "def keep(x, seen=[]):\\n    seen.append(x)\\n    return seen\\n"}}'
    static.run("batch", "-", "--json", stdin=named)
    write_crash(an_error(f"{person} {secret}"), home / "log")
    return replace(static, environment=environment), [person, "zaphod", company, "magrathea", "R3p0", str(tmp_path), "/srv/", "seen.append"]


def test_a_report_shows_nothing_of_the_user_s_own(codemind: CommandLine, tmp_path: Path) -> None:
    """No name, host, path, key or code, though settings, log, crash and problems hold them; what helps a maintainer is there."""
    user, words = with_traces_of_a_user(codemind, tmp_path)
    ran = user.run("doctor", "--report")

    assert [word for word in words if word.lower() in ran.out.lower()] == []
    assert ran.out.startswith("## CodeMind report\n")
    assert ran.out.endswith("it is safe to paste.\n")
    for helpful in (
        "LLM_API_KEY=set  (environment)",
        "LLM_BASE_URL=https://<host>  (environment)",
        "LLM_PRICE_INPUT=1.5",
        "provider: openai, service other at <host>, asked by json_schema",
        "TERM=xterm-256color, 80 columns",
        "codemind.tasks: task: id=",
        "route=retrieve_memory>manager>",
        "level=clean saved=added",
        "KeyError\n  tests/cli/test_doctor.py:",
        "BROKEN: model: ",
    ):
        assert helpful in ran.out
    assert "MAX_FINDINGS" not in ran.out


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("api.openai.com", True),
        ("api.deepseek.com", True),
        ("openrouter.ai", True),
        ("127.0.0.1:11434", True),
        ("localhost:8080", True),
        ("[::1]:8080", True),
        ("acme.openai.azure.com", False),
        ("acme.openai.com", False),
        ("api.openai.com.acme.example", False),
        ("ollama", False),
        ("192.168.1.7:8080", False),
        ("gpu.lan", False),
    ],
)
def test_a_host_is_shown_when_everybody_knows_it(host: str, shown: bool) -> None:
    """Loopback and public services; a company's own part of one is not."""
    scrub = Scrub("", "", (), host)
    assert scrub.host(host) == (host if shown else "<host>")
    assert scrub.line(f"m at {host}; it lists 1 model") == f"m at {host if shown else '<host>'}; it lists 1 model"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("in /home/ann/x.py", "in ~/<path>"),
        ("in /home/annabel/x.py", "in <path>"),
        ("in /home/ann", "in ~"),
        ("(/srv/data/a b)", "(<path> b)"),
        (r"in C:\Users\bob\x.py and \\server\share", "in <path> and <path>"),
        ("file:///etc/passwd", "<path>"),
        ("route=a>b/c cli/desk.py:12 <library>/openai/x.py:1", "route=a>b/c cli/desk.py:12 <library>/openai/x.py:1"),
        ("ann-laptop said ANN and annex", "<name> said <name> and annex"),
        ("see https://ann@git.acme.example/x?y", "see https://<host>"),
        ("ft:gpt-4o:acme::id by ann@acme.example", "ft:<name> by <mail>"),
        ("2.3 of 4 / 5 vectors, 10/12", "2.3 of 4 / 5 vectors, 10/12"),
    ],
)
def test_a_line_is_scrubbed(line: str, shown: str) -> None:
    """Paths, names, addresses; what only looks like one stays."""
    assert Scrub("/home/ann", "/var/state", ("ann-laptop", "ann"), "").line(line) == shown


def test_crash_files_are_private_few_and_named_from_the_program(tmp_path: Path) -> None:
    """Several in one second each have a file; the oldest go; no folder of this machine is in one."""
    for number in range(MOST_CRASHES + 5):
        written = write_crash(an_error(f"missing-{number}"), tmp_path / "log")
    files = crash_files(tmp_path / "log")

    assert written is not None
    assert (len(files), files[-1]) == (MOST_CRASHES, written)
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    text = written.read_text(encoding="utf-8")
    assert "KeyError\n  tests/cli/test_doctor.py:" in text
    assert str(tmp_path) not in text
