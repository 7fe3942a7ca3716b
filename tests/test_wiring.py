"""What the wiring promises to the command line and the service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from errors import MemoryLockedError
from schema.assemble import inspection_notes
from schema.fix import Verification
from schema.ports import Recalled, SandboxRun
from schema.source import Source
from settings import Secret, Settings, load_settings
from settings_model import OPENAI_KEY_UNUSED
from tests.fakes import FIXED, FakeInspector, FakeMemory, FakeVerifier, a_finding, a_fix, a_match, a_task, verified
from tests.model_replies import Reply
from tests.model_server import ModelServer
from wiring import (
    TRACING_OFF,
    App,
    FirstUseVerifier,
    StaticParts,
    build_app,
    build_static,
    load,
    open_ledger,
    project_of,
    switch_tracing_off,
    warm_up,
)
from wiring_memory import open_care
from wiring_model import ModelEvents, build_model, probe

ROOT = Path(__file__).resolve().parents[1]


class NoSandbox:
    """Counts how often it is stopped."""

    def __init__(self) -> None:
        self.cancelled = 0

    def mode(self) -> str:
        """None here."""
        return "unavailable: fake"

    def run(self, command: str, file: str | None, text: str, language: str) -> SandboxRun:
        """A run that passes."""
        return SandboxRun(0, False, "", 0.0)

    def begin(self) -> None:
        """Nothing to prepare."""

    def cancel(self) -> None:
        """Count."""
        self.cancelled += 1


def an_app(home: Path, memory: FakeMemory, verifier: FakeVerifier | None = None, **changes: object) -> App:
    """An App on fakes."""
    parts = StaticParts(FakeInspector(lambda _: [a_finding()]), verifier or FakeVerifier(), NoSandbox())
    settings = replace(Settings(), codemind_home=home, **changes)  # type: ignore[arg-type]  # fields of Settings
    return App(settings, lambda: parts, open_ledger(settings), memory, save=False)


def test_settings_come_from_flags_and_environment(tmp_path: Path) -> None:
    """As the command line hands them over."""
    loaded = load({"FAIL_ON": "high"}, {"CODEMIND_HOME": str(tmp_path)})

    assert (loaded.settings.fail_on, loaded.settings.codemind_home) == ("high", tmp_path)


def test_building_an_app_touches_nothing(tmp_path: Path) -> None:
    """No folder is made, and neither graph nor index is imported."""
    script = (
        "import sys; from wiring import build_app, load\n"
        f"app = build_app(load({{}}, {{'CODEMIND_HOME': {str(tmp_path / 'home')!r}}}).settings)\n"
        "print(sorted({'langgraph', 'langchain_core', 'chromadb', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
    assert list(tmp_path.iterdir()) == []


def test_the_static_engine_is_made_once(tmp_path: Path) -> None:
    """At its first use; memory's verifier is the same one."""
    app = build_app(replace(Settings(), codemind_home=tmp_path))

    assert app.inspector is app.inspector
    assert FirstUseVerifier(app.parts).basis() == app.verifier.basis()
    assert FirstUseVerifier(app.parts).verify(a_task().source, FIXED).level == "clean"


def test_recall_verifies_a_transferred_fix(tmp_path: Path) -> None:
    """Memory hands it over unverified."""
    proposal = a_fix(origin="transfer", verification=Verification("none"))
    verifier = FakeVerifier(lambda *_: verified("clean"))

    record = an_app(tmp_path, FakeMemory(Recalled(a_match("SIMILAR"), proposal)), verifier).recall(a_task(test_cmd="make"))

    assert record.fix is not None
    assert record.fix.verification.level == "clean"
    assert [(after, command) for _, after, command in verifier.asked] == [(FIXED, "make")]
    assert record.findings == ()


def test_recall_does_not_verify_twice(tmp_path: Path) -> None:
    """The fix of an identical paste comes verified."""
    verifier = FakeVerifier()

    record = an_app(tmp_path, FakeMemory(Recalled(a_match(), a_fix(origin="memory"))), verifier).recall(a_task(), inspect=True)

    assert verifier.asked == []
    assert record.findings == (a_finding(),)


def test_recall_reports_a_memory_that_fails(tmp_path: Path) -> None:
    """In the record, with its exit status."""
    record = an_app(tmp_path, FakeMemory(recall_error=MemoryLockedError("held by 7"))).recall(a_task())

    assert record.error == {"code": "memory_locked", "message": "held by 7"}
    assert record.exit_code == 3


def test_recall_without_memory_says_so(tmp_path: Path) -> None:
    """Nothing was asked."""
    assert an_app(tmp_path, FakeMemory()).recall(a_task(use_memory=False)).match.reason == "memory was not asked"


async def test_a_driver_reviews_with_the_static_engine(tmp_path: Path) -> None:
    """From the App to a record, through the real graph; with save=False nothing is left behind."""
    app = an_app(tmp_path / "home", FakeMemory())
    async with app.driver() as driver:
        record = await driver.run_task(a_task(save=False))

    assert record.provider == "static"
    assert record.findings == (a_finding(),)
    assert not (tmp_path / "home").exists()


async def test_a_disabled_reviewer_leaves_memory_alone_to_answer(tmp_path: Path) -> None:
    """REVIEWER_PROVIDER=disabled: no static finding either."""
    app = an_app(tmp_path, FakeMemory(Recalled(a_match(), a_fix(origin="memory"))), reviewer_provider="disabled")
    async with app.driver() as driver:
        known = await driver.run_task(a_task())

    assert (known.provider, known.findings, known.exit_code) == ("disabled", (), 0)
    assert known.fix is not None


def test_cancel_stops_the_sandbox(tmp_path: Path) -> None:
    """From any thread."""
    app = an_app(tmp_path, FakeMemory())
    app.cancel()

    assert isinstance(app.sandbox, NoSandbox)
    assert app.sandbox.cancelled == 1


def test_a_key_that_is_not_used_is_said_at_start(tmp_path: Path) -> None:
    """One line says how to use it."""
    settings = load_settings({}, {"CODEMIND_HOME": str(tmp_path), "OPENAI_API_KEY": "key"}, []).settings

    assert build_app(settings).notes == (OPENAI_KEY_UNUSED,)
    assert an_app(tmp_path, FakeMemory()).notes == ()


async def test_a_driver_reviews_with_the_model(tmp_path: Path) -> None:
    """Plan and review are asked of it; the record names the engine and counts every call, failed ones too."""
    with ModelServer(Reply("503"), Reply("402", role="review")) as server:
        key = Secret("test-key")
        app = an_app(tmp_path / "home", FakeMemory(), llm_base_url=server.url, llm_model="m", llm_api_key=key)
        async with app.driver() as driver:
            failed = await driver.run_task(a_task(save=False))
            served = await driver.run_task(a_task(save=False, code="x = 1\n"))

    assert (failed.provider, failed.error and failed.error["code"], failed.llm.calls) == ("openai", "llm_request_failed", 3)
    assert failed.findings == (a_finding(),)
    assert (served.error, served.llm.calls) == (None, 3)
    assert app.settings.host == server.host
    assert not (tmp_path / "home").exists()


def test_a_model_is_not_asked_by_building_it(tmp_path: Path) -> None:
    """Nothing is imported, nothing is sent."""
    with ModelServer() as server:
        settings = replace(Settings(), codemind_home=tmp_path, llm_base_url=server.url, llm_model="m")
        model = build_model(settings, save=True, events=ModelEvents())

    assert model is not None
    assert (model.name, model.host, server.requests) == ("m", server.host, [])
    assert build_model(replace(Settings(), codemind_home=tmp_path), save=True, events=ModelEvents()) is None


def test_the_doctor_s_question_names_model_host_and_method(tmp_path: Path) -> None:
    """The list costs nothing; --online asks one question more."""
    with ModelServer(answers={"Check": {"ok": True}}) as server:
        settings = replace(Settings(), codemind_home=tmp_path, llm_base_url=server.url, llm_model="m")

        assert probe(settings, online=False) == (f"m at {server.host}; it lists 1 model", "")
        assert len(server.chats) == 0
        assert probe(settings, online=True) == (f"m at {server.host}; it lists 1 model; answers by json_schema", "")
        other = probe(replace(settings, llm_model="other"), online=False)

    assert other == (f"other at {server.host}; it lists 1 model, other is not among them", "")


@pytest.mark.parametrize(("mode", "problem"), [("401", "LLM_API_KEY"), ("500", "500"), ("404", ""), ("html", "LLM_BASE_URL")])
def test_the_doctor_explains_an_endpoint_that_fails(tmp_path: Path, mode: str, problem: str) -> None:
    """One without a list of models is well."""
    with ModelServer(Reply(mode, role="models")) as server:
        found = probe(replace(Settings(), codemind_home=tmp_path, llm_base_url=server.url, llm_model="m"), online=False)[1]

    assert (problem in found) if problem else not found


def test_tracing_is_off_whatever_the_shell_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts and pastes never go to LangSmith."""
    for variable in TRACING_OFF:
        monkeypatch.setenv(variable, "true")

    switch_tracing_off()

    assert {os.environ[variable] for variable in TRACING_OFF} == {"false"}


def test_warming_up_imports_the_graph() -> None:
    """So that the first task does not wait for it."""
    warm_up()

    assert "graphs.driver" in sys.modules


def test_the_static_engine_builds(tmp_path: Path) -> None:
    """All analysers are there and say what they are."""
    parts = build_static(replace(Settings(), codemind_home=tmp_path))

    assert parts.inspector.basis() == build_static(Settings()).inspector.basis()
    assert parts.verifier.basis()


@pytest.mark.parametrize(("language", "known"), [("python", True), ("go", True), ("haskell", False)])
def test_a_language_that_nothing_checks_is_said(tmp_path: Path, language: str, known: bool) -> None:
    """What looks at any text is no check of a language."""
    inspection = build_static(replace(Settings(), codemind_home=tmp_path)).inspector.inspect(Source("x = 1\n", language))

    notes = inspection_notes(inspection, a_task(language=language), "static")

    assert (f"no rule or linter here knows {language}: its logic was not checked" in notes) != known


def test_seeds_belong_to_the_project_they_are_read_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With MEMORY_SCOPE=project they are found there, and elsewhere they are not."""
    settings = replace(Settings(codemind_home=tmp_path / "home"), memory_scope="project")
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    line = {"code": "def f(x):\n    return 1 / len(x)\n", "fixed_code": "def f(x):\n    return 1 / (len(x) or 1)\n", "language": "python"}
    for folder in (here, elsewhere):
        folder.mkdir()
    (here / "seed.jsonl").write_text(json.dumps(line))
    found = []

    monkeypatch.chdir(here)
    open_care(settings).seed(here / "seed.jsonl")
    for folder in (here, elsewhere):
        monkeypatch.chdir(folder)
        found.append(build_app(settings).recall(replace(a_task(), code=line["code"], language="python")).match.status)

    assert found == ["IDENTICAL", "NONE"]


def test_a_project_is_the_git_root(tmp_path: Path) -> None:
    """Equal names in different places are different projects; no path is given away."""
    for name in ("a", "b"):
        (tmp_path / name / "repo" / ".git").mkdir(parents=True)
        (tmp_path / name / "repo" / "src").mkdir()

    inside = project_of(tmp_path / "a" / "repo" / "src")

    assert inside == project_of(tmp_path / "a" / "repo")
    assert inside.startswith("repo-")
    assert inside != project_of(tmp_path / "b" / "repo")
    assert str(tmp_path) not in inside
