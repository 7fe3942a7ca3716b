"""What every test gets: an empty home, no model settings, no network but loopback, and `--golden`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MODEL_VARIABLES = ("LLM_", "DEEPSEEK_", "OPENAI_", "EMBEDDING_", "LANGSMITH_", "LANGCHAIN_", "REVIEWER_", "CODEMIND_", "MEMORY_", "CHROMA_")
LOOPBACK = {"127.0.0.1", "::1", "localhost"}

Golden = Callable[[Path, str], None]


def _allow_loopback_only(event: str, args: tuple[object, ...]) -> None:
    """Audit hook: a socket that leaves this machine is an error of the test."""
    if event == "socket.connect":
        address = args[1]
        if isinstance(address, tuple) and address[0] not in LOOPBACK:
            raise OSError(f"a test tried to reach {address[0]}: only loopback is allowed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--golden` rewrites the snapshots instead of comparing with them."""
    parser.addoption("--golden", action="store_true", help="rewrite golden files; read the diff afterwards")


def pytest_configure(config: pytest.Config) -> None:
    """Guard the network for the whole run (an audit hook can't be taken away again)."""
    sys.addaudithook(_allow_loopback_only)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CODEMIND_HOME of this test: a path that doesn't exist yet. Settings of the developer's shell are taken away."""
    for name in list(os.environ):
        if name.startswith(MODEL_VARIABLES):
            monkeypatch.delenv(name)
    folder = tmp_path / "codemind-home"
    monkeypatch.setenv("CODEMIND_HOME", str(folder))
    return folder


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with a snapshot file, or write the file with `--golden`."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path} differs: run `make golden` and read the diff"

    return compare
