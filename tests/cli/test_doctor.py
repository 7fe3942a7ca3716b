"""`doctor`: what is in force and whether it works."""

from __future__ import annotations

from dataclasses import replace

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
