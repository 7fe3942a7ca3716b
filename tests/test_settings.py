"""Settings: which layer wins, what is refused, and what never shows."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

import settings as module
from errors import ConfigInvalidError
from settings import Secret, Settings, load_settings


def load(home: Path, environ: Mapping[str, str] | None = None, flags: Mapping[str, str] | None = None, *dotenv: Path) -> module.Loaded:
    """Settings with that home."""
    return load_settings(flags or {}, {"CODEMIND_HOME": str(home), **(environ or {})}, dotenv)


def test_flags_go_before_the_environment_before_env_files_before_defaults(tmp_path: Path) -> None:
    """And each field's origin says which it was."""
    beside = tmp_path / "beside.env"
    beside.write_text("MAX_FINDINGS=3\nMAX_LLM_CALLS=3\nMAX_PASTE_KB=3\n")
    (tmp_path / ".env").write_text("MAX_PASTE_KB=4\nTEST_TIMEOUT_SECONDS=4\n")

    loaded = load(tmp_path, {"MAX_FINDINGS": "2", "MAX_LLM_CALLS": "2"}, {"MAX_FINDINGS": "1"}, beside)

    values = loaded.settings
    assert (values.max_findings, values.max_llm_calls, values.max_paste_kb, values.test_timeout_seconds) == (1, 2, 3, 4)
    assert loaded.origins["max_findings"] == "flag"
    assert loaded.origins["max_llm_calls"] == "environment"
    assert loaded.origins["max_paste_kb"] == str(beside)
    assert loaded.origins["test_timeout_seconds"] == str(tmp_path / ".env")
    assert loaded.origins["llm_model"] == "default"


def test_the_working_directory_s_env_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reviewed repository may not configure its reviewer."""
    (tmp_path / ".env").write_text("MAX_FINDINGS=1\n")
    monkeypatch.chdir(tmp_path)

    assert load(tmp_path / "home").settings.max_findings == 50


def test_a_blank_value_is_unset(tmp_path: Path) -> None:
    """So that a later layer has its say."""
    (tmp_path / ".env").write_text("MAX_FINDINGS=7\n")

    assert load(tmp_path, {"MAX_FINDINGS": "  ", "LLM_TEMPERATURE": ""}).settings.max_findings == 7


def test_the_home_of_an_env_file_is_used(tmp_path: Path) -> None:
    """CODEMIND_HOME may stand beside main.py; the `.env` in that home is read then."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".env").write_text("MAX_FINDINGS=9\n")
    beside = tmp_path / "beside.env"
    beside.write_text(f"CODEMIND_HOME={home}\n")

    loaded = load_settings({}, {}, [beside])

    assert loaded.settings.codemind_home == home
    assert loaded.settings.max_findings == 9


def test_without_a_home_the_platform_s_folder_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is made there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))

    loaded = load_settings({}, {}, [])

    assert loaded.origins["codemind_home"] == "default"
    assert loaded.settings.codemind_home.name == "codemind"
    assert not loaded.settings.codemind_home.exists()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("REVIEWER_PROVIDER", "gpt"),
        ("MAX_FINDINGS", "0"),
        ("MAX_FINDINGS", "-1"),
        ("MAX_FINDINGS", "many"),
        ("MAX_AGENT_ROUNDS", "3"),
        ("LLM_TEMPERATURE", "3"),
        ("LLM_TEMPERATURE", "nan"),
        ("LLM_TEMPERATURE", "warm"),
        ("LLM_BASE_URL", "ftp://example.com"),
        ("LLM_BASE_URL", "example.com/v1"),
        ("LLM_BASE_URL", "http://[broken"),
        ("LLM_BASE_URL", "https://user:secret@example.com/v1"),
        ("LLM_BASE_URL", "https://example.com/v1?key=secret"),
        ("LLM_THINKING_MODE", "deeply"),
        ("LLM_PRICE_INPUT", "-1"),
        ("ALLOW_UNSANDBOXED", "maybe"),
        ("FAIL_ON", "sometimes"),
        ("MEMORY_LOCK_TIMEOUT_SECONDS", "1.5"),
        ("CODEMIND_HOME", "~nobody-of-that-name/x"),
    ],
)
def test_a_bad_value_names_its_variable_and_not_itself(tmp_path: Path, variable: str, value: str) -> None:
    """One line that says what may stand there; the value may be a key in the wrong place."""
    with pytest.raises(ConfigInvalidError, match=variable) as caught:
        load(tmp_path, {variable: value})

    assert value not in caught.value.message.replace("use a whole number of at least 12", "").replace("from 0 to 2", "").replace(
        "of at least 0", ""
    )
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("DEEPSEEK_API_KEY='a#key'\n", "a#key"), ('export DEEPSEEK_API_KEY="k#1" # mine\n', "k#1"), ("DEEPSEEK_API_KEY=$HOME\n", "$HOME")],
)
def test_env_files_are_read_as_shells_write_them(tmp_path: Path, text: str, expected: str) -> None:
    """Quotes, export and comments; variables are not expanded."""
    (tmp_path / ".env").write_text("\ufeff" + text, encoding="utf-8")

    assert load(tmp_path).settings.deepseek_api_key.reveal() == expected


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"this is no binding\n"])
def test_an_env_file_that_can_t_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    """Half of it would be a guess."""
    (tmp_path / ".env").write_bytes(content)

    with pytest.raises(ConfigInvalidError, match=r"\.env"):
        load(tmp_path)


def test_a_home_that_is_a_file_has_no_env_file(tmp_path: Path) -> None:
    """What is wrong with it is said by whoever writes there."""
    home = tmp_path / "file"
    home.write_text("x")

    assert load(home).settings.codemind_home == home


def test_secrets_never_show(tmp_path: Path) -> None:
    """Neither in a repr, nor in the rows of `doctor`."""
    loaded = load(tmp_path, {"LLM_API_KEY": "sk-hidden", "LLM_MODEL": "m", "EMBEDDING_API_KEY": "sk-hidden"})

    shown = repr(loaded) + str(loaded.settings.llm_api_key) + f"{loaded.settings.llm_api_key}" + repr(list(loaded.rows()))
    assert "sk-hidden" not in shown
    assert ("LLM_API_KEY", "***", "environment") in list(loaded.rows())
    assert loaded.settings.llm_api_key == Secret("sk-hidden")
    assert hash(loaded.settings.llm_api_key) == hash(Secret("sk-hidden"))


def test_every_setting_has_a_docstring() -> None:
    """The configuration page is made from them."""
    tree = ast.parse(inspect.getsource(Settings))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
    documented = {
        node.target.id
        for node, after in pairwise(body)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(after, ast.Expr)
    }

    assert documented == {declared.name for declared in fields(Settings)}
