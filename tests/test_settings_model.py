"""Which model the settings name, which key goes to which host, and what is refused at start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from errors import ConfigInvalidError
from settings import Settings, load_settings
from settings_model import ADDRESS_WITHOUT_KEY, OPENAI_KEY_UNUSED
from wiring_model import endpoint_of

LOCAL = "http://127.0.0.1:11434/v1"
FAR = "https://api.siliconflow.cn/v1"


def settings_of(home: Path, environ: Mapping[str, str], flags: Mapping[str, str] | None = None) -> Settings:
    """Settings with that home."""
    return load_settings(flags or {}, {"CODEMIND_HOME": str(home), **environ}, []).settings


def target(home: Path, **environ: str) -> tuple[str, str, str, str]:
    """Address, model, key and the key's variable."""
    found = settings_of(home, environ).target
    assert found is not None
    return found.base_url, found.model, found.key.reveal(), found.key_variable


def test_a_key_alone_means_openai(tmp_path: Path) -> None:
    """With the model that the user names."""
    assert target(tmp_path, LLM_API_KEY="k", LLM_MODEL="m") == ("https://api.openai.com/v1", "m", "k", "LLM_API_KEY")


def test_a_deepseek_key_suffices(tmp_path: Path) -> None:
    """Public address and a documented model; both can be set."""
    own = {"DEEPSEEK_BASE_URL": "https://gateway.example.com/", "DEEPSEEK_MODEL": "v5"}

    assert target(tmp_path, DEEPSEEK_API_KEY="k") == ("https://api.deepseek.com", "deepseek-v4-flash", "k", "DEEPSEEK_API_KEY")
    assert target(tmp_path, DEEPSEEK_API_KEY="k", **own) == ("https://gateway.example.com", "v5", "k", "DEEPSEEK_API_KEY")
    assert target(tmp_path, DEEPSEEK_API_KEY="k", LLM_MODEL="deepseek-v4-pro")[1] == "deepseek-v4-pro"


def test_llm_settings_go_before_deepseek_s(tmp_path: Path) -> None:
    """Key, address and model are LLM_*'s together."""
    both = {"LLM_API_KEY": "k", "LLM_MODEL": "m", "LLM_BASE_URL": FAR, "DEEPSEEK_API_KEY": "d", "DEEPSEEK_MODEL": "x"}

    assert target(tmp_path, **both) == (FAR, "m", "k", "LLM_API_KEY")


def test_a_local_server_needs_no_key(tmp_path: Path) -> None:
    """And gets none that was meant for another host."""
    assert target(tmp_path, LLM_BASE_URL=LOCAL, LLM_MODEL="m") == (LOCAL, "m", "", "LLM_API_KEY")
    assert target(tmp_path, LLM_BASE_URL=LOCAL, LLM_MODEL="m", DEEPSEEK_API_KEY="d")[2] == ""


def test_the_path_of_a_chat_request_is_taken_off(tmp_path: Path) -> None:
    """People copy the whole address."""
    assert target(tmp_path, LLM_BASE_URL=FAR + "/chat/completions", LLM_API_KEY="k", LLM_MODEL="m")[0] == FAR


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"REVIEWER_PROVIDER": "openai"}, "LLM_API_KEY"),
        ({"REVIEWER_PROVIDER": "openai", "LLM_API_KEY": " "}, "LLM_API_KEY"),
        ({"REVIEWER_PROVIDER": "openai", "LLM_API_KEY": "k"}, "LLM_MODEL"),
        ({"LLM_API_KEY": "k"}, "LLM_MODEL"),
        ({"LLM_BASE_URL": LOCAL}, "LLM_MODEL"),
        ({"REVIEWER_PROVIDER": "openai", "LLM_BASE_URL": FAR, "LLM_MODEL": "m"}, "LLM_API_KEY"),
        ({"DEEPSEEK_API_KEY": "k", "LLM_BASE_URL": FAR, "LLM_MODEL": "m"}, "DEEPSEEK_API_KEY goes to DeepSeek only"),
        ({"LLM_API_KEY": "k\u00e9y", "LLM_MODEL": "m"}, "LLM_API_KEY"),
        ({"LLM_API_KEY": "two words", "LLM_MODEL": "m"}, "LLM_API_KEY"),
        ({"DEEPSEEK_API_KEY": "a\nb"}, "DEEPSEEK_API_KEY"),
    ],
)
def test_a_model_that_can_t_be_asked_is_refused_at_start(tmp_path: Path, environ: dict[str, str], words: str) -> None:
    """The sentence names the variable, never a value."""
    with pytest.raises(ConfigInvalidError, match=words) as caught:
        settings_of(tmp_path, environ)

    assert (caught.value.code, caught.value.exit_code) == ("config_invalid", 2)
    assert not [key for name, key in environ.items() if name.endswith("KEY") and len(key) > 1 and key in caught.value.message]


@pytest.mark.parametrize("chosen", ["static", "disabled"])
def test_another_engine_does_not_look_at_the_model(tmp_path: Path, chosen: str) -> None:
    """An incomplete one is no fault then."""
    settings = settings_of(tmp_path, {"REVIEWER_PROVIDER": chosen, "LLM_API_KEY": "k"})

    assert (settings.engine, settings.target, settings.host, settings.note) == (chosen, None, "", "")


@pytest.mark.parametrize(
    ("environ", "engine", "note"),
    [
        ({}, "static", ""),
        ({"OPENAI_API_KEY": "sk-exported"}, "static", OPENAI_KEY_UNUSED),
        ({"LLM_BASE_URL": FAR}, "static", ADDRESS_WITHOUT_KEY),
        ({"LLM_MODEL": "m"}, "static", ""),
        ({"DEEPSEEK_API_KEY": "k"}, "openai", ""),
        ({"DEEPSEEK_API_KEY": "k", "OPENAI_API_KEY": "sk-exported"}, "openai", ""),
        ({"LLM_BASE_URL": LOCAL, "LLM_MODEL": "m"}, "openai", ""),
    ],
)
def test_auto_takes_a_model_only_when_one_is_meant(tmp_path: Path, environ: dict[str, str], engine: str, note: str) -> None:
    """A key for other programs does not switch; one line says how to use it."""
    settings = settings_of(tmp_path, environ)

    assert (settings.engine, settings.note) == (engine, note)
    assert "sk-exported" not in repr(settings)


@pytest.mark.parametrize(("key", "address"), [("LLM_API_KEY", "LLM_BASE_URL"), ("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL")])
def test_a_key_goes_only_to_the_address_set_beside_it(tmp_path: Path, key: str, address: str) -> None:
    """A `.env` can't draw off an exported key, nor an exported address the key of a `.env`."""
    for in_file, exported in (({address: FAR}, {key: "k"}), ({key: "k"}, {address: FAR})):
        (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in in_file.items()))
        with pytest.raises(ConfigInvalidError, match=f"{key}.*{address}.*different places"):
            settings_of(tmp_path, {"LLM_MODEL": "m", **exported})


def test_a_file_may_hold_everything(tmp_path: Path) -> None:
    """The model may come from elsewhere: it draws off nothing."""
    (tmp_path / ".env").write_text(f"LLM_API_KEY=k\nLLM_BASE_URL={FAR}\nLLM_MODEL=m\n")

    assert target(tmp_path)[:3] == (FAR, "m", "k")
    assert target(tmp_path, LLM_MODEL="other")[1] == "other"


BLOCKS = re.findall(
    r"```ini\n(.*?)```", (Path(__file__).parent.parent / "docs" / "configuration.md").read_text(encoding="utf-8"), re.DOTALL
)


def test_the_documented_blocks_work_as_they_stand(tmp_path: Path) -> None:
    """One each for OpenAI, DeepSeek, SiliconFlow, Ollama, llama.cpp and vLLM, copied into a `.env`."""
    hosts = []
    for block in BLOCKS:
        (tmp_path / ".env").write_text(block)
        settings = settings_of(tmp_path, {})
        assert settings.engine == "openai"
        hosts.append(settings.host)

    assert hosts == ["api.openai.com", "api.deepseek.com", "api.siliconflow.cn", "localhost:11434", "localhost:8080", "localhost:8000"]


def test_the_documented_blocks_ask_each_service_in_its_own_way(tmp_path: Path) -> None:
    """Model, first method, name of the output limit, thinking, and the variable that a sentence about the key names."""
    asked = []
    for block in BLOCKS:
        (tmp_path / ".env").write_text(block)
        endpoint = endpoint_of(settings_of(tmp_path, {}))
        assert endpoint is not None
        asked.append((endpoint.model, endpoint.first_method, endpoint.cap_field, endpoint.key_variable, endpoint.thinking_fields()))

    assert asked == [
        ("gpt-5-mini", "json_schema", "max_completion_tokens", "LLM_API_KEY", {}),
        ("deepseek-v4-flash", "json_mode", "max_tokens", "DEEPSEEK_API_KEY", {"thinking": {"type": "disabled"}}),
        ("deepseek-ai/DeepSeek-V3", "json_schema", "max_tokens", "LLM_API_KEY", {"enable_thinking": False}),
        ("qwen3:8b", "json_schema", "max_tokens", "LLM_API_KEY", {"reasoning_effort": "none"}),
        ("local", "json_schema", "max_tokens", "LLM_API_KEY", {}),
        ("Qwen/Qwen3-8B", "json_schema", "max_tokens", "LLM_API_KEY", {"chat_template_kwargs": {"enable_thinking": False}}),
    ]


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({}, "EMBEDDING_BASE_URL is not set"),
        ({"EMBEDDING_BASE_URL": FAR}, "EMBEDDING_API_KEY is not set: api.siliconflow.cn needs one"),
        ({"EMBEDDING_BASE_URL": FAR, "EMBEDDING_API_KEY": "two words"}, "EMBEDDING_API_KEY can't be used"),
        ({"EMBEDDING_BASE_URL": "ftp://x"}, "EMBEDDING_BASE_URL"),
    ],
)
def test_an_embedding_endpoint_that_can_t_be_asked_is_refused_at_start(tmp_path: Path, environ: dict[str, str], words: str) -> None:
    """The sentence names the variable; no key of a model is taken for it."""
    with pytest.raises(ConfigInvalidError) as caught:
        settings_of(tmp_path, {"EMBEDDER": "endpoint", "LLM_API_KEY": "k", "LLM_MODEL": "m", **environ})

    assert words in caught.value.message
    assert "two words" not in caught.value.message


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"CHROMA_URL": "ftp://x"}, "CHROMA_URL"),
        ({"CHROMA_URL": "https://u:p@chroma.example"}, "CHROMA_URL"),
        ({"CHROMA_URL": "https://chroma.example", "CHROMA_TOKEN": "two words"}, "CHROMA_TOKEN can't be used"),
        ({"CHROMA_URL": "http://chroma.example", "CHROMA_TOKEN": "t"}, "CHROMA_TOKEN would go to chroma.example for everyone to read"),
        ({"MEMORY_AUTHOR": "a\x1b[31m"}, "MEMORY_AUTHOR"),
    ],
)
def test_a_shared_memory_that_can_t_be_used_is_refused_at_start(tmp_path: Path, environ: dict[str, str], words: str) -> None:
    """The sentence names the variable, never the token."""
    with pytest.raises(ConfigInvalidError) as caught:
        settings_of(tmp_path, environ)

    assert words in caught.value.message
    assert "two words" not in caught.value.message


def test_nothing_is_shared_unless_an_address_is_set(tmp_path: Path) -> None:
    """A token alone, or a blank address, shares nothing; where fixes go is named; an open way to a stranger's host is told."""
    assert not settings_of(tmp_path, {"CHROMA_URL": "  ", "CHROMA_TOKEN": "t"}).shared_host
    assert settings_of(tmp_path, {"CHROMA_URL": "http://127.0.0.1:8000", "CHROMA_TOKEN": "t"}).shared_host == "127.0.0.1:8000"
    assert "everyone on the way to read" in settings_of(tmp_path, {"CHROMA_URL": "http://chroma.example"}).note


def test_a_chroma_token_goes_only_to_the_address_set_beside_it(tmp_path: Path) -> None:
    """An address in a file can't draw off a token of the environment."""
    (tmp_path / ".env").write_text("CHROMA_URL=https://chroma.example\n")

    with pytest.raises(ConfigInvalidError, match="come from different places"):
        settings_of(tmp_path, {"CHROMA_TOKEN": "t"})


def test_an_embedding_key_goes_only_to_the_address_set_beside_it(tmp_path: Path) -> None:
    """An address in a file can't draw off a key of the environment; a local server needs none; unused, nothing is checked."""
    (tmp_path / ".env").write_text(f"EMBEDDING_BASE_URL={FAR}\n")

    with pytest.raises(ConfigInvalidError, match="come from different places"):
        settings_of(tmp_path, {"EMBEDDER": "endpoint", "EMBEDDING_API_KEY": "k"})
    assert settings_of(tmp_path, {"EMBEDDING_API_KEY": "k"}).embedder == "structural"
    assert settings_of(tmp_path, {"EMBEDDER": "endpoint", "EMBEDDING_BASE_URL": LOCAL}).embedding_base_url == LOCAL
    both = {"EMBEDDER": "endpoint", "EMBEDDING_BASE_URL": FAR, "EMBEDDING_API_KEY": "k"}
    assert settings_of(tmp_path, both).embedding_api_key.reveal() == "k"
    assert settings_of(tmp_path, both).note.endswith("to api.siliconflow.cn")
