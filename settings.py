"""Every setting, merged once: flags go before the environment, that before `.env` files, those before the defaults.

A field's variable is its name in capitals (`max_findings` is MAX_FINDINGS). A blank value counts as unset. `.env` is read
beside main.py and in CODEMIND_HOME, never in the working directory: a reviewed repository may not configure its reviewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from errors import ConfigInvalidError
from settings_model import ModelTarget, check_embedding, check_sharing, check_target, note_of, target_of, wants_model
from utils.hosts import host_of
from utils.setting_texts import author, folder, number, one_of, seen, web_address, whole, yes_or_no

Provider = Literal["auto", "openai", "static", "disabled"]
Engine = Literal["openai", "static", "disabled"]
Embedder = Literal["structural", "endpoint"]
StructuredOutput = Literal["auto", "json_schema", "json_mode", "function_calling"]
Thinking = Literal["", "enabled", "disabled", "none", "minimal", "low", "medium", "high"]
Scope = Literal["all", "project"]
LogLevel = Literal["info", "debug"]
FailOn = Literal["never", "info", "low", "medium", "high", "critical"]

T = TypeVar("T")
ENV_FILE: Final = ".env"
HOME_VARIABLE: Final = "CODEMIND_HOME"
MOST_USD: Final = 1e5


class Secret:
    """A value that never shows itself: `reveal()` is the only way to it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself, for the client that sends it."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret('***')" if self._value else "Secret('')"

    def __str__(self) -> str:
        return "***" if self._value else ""


def read_by(read: Callable[[str], Any]) -> dict[str, Callable[[str], Any]]:
    """Metadata of a field: how its text is read."""
    return {"read": read}


@dataclass(frozen=True)
class Settings:
    """What is in force. Every field can be set by a variable of its name in capitals."""

    codemind_home: Path = field(default=Path(), metadata=read_by(folder))
    """Where all state lives: ledger, sessions, history, traces. Default: the platform's user data folder."""
    reviewer_provider: Provider = field(default="auto", metadata=read_by(one_of("auto", "openai", "static", "disabled")))
    """Who reviews: `static` (linters and rules), `openai` (a model), `disabled` (memory only), or `auto`."""
    llm_model: str = field(default="", metadata=read_by(str))
    """Name of the model, as its endpoint knows it."""
    llm_api_key: Secret = field(default=Secret(""), metadata=read_by(Secret))
    """Key for the model's endpoint."""
    llm_base_url: str = field(default="", metadata=read_by(web_address))
    """Address of any OpenAI-compatible endpoint; unset with LLM_API_KEY: https://api.openai.com/v1."""
    deepseek_api_key: Secret = field(default=Secret(""), metadata=read_by(Secret))
    """Key for DeepSeek; it is enough by itself. LLM_API_KEY goes before it."""
    deepseek_base_url: str = field(default="", metadata=read_by(web_address))
    """Address of DeepSeek, when it is not https://api.deepseek.com."""
    deepseek_model: str = field(default="", metadata=read_by(str))
    """Model at DeepSeek, when it is not deepseek-v4-flash."""
    openai_api_key: Literal["", "set"] = field(default="", metadata=read_by(seen))
    """Never read and never sent: one line says how to use it here."""
    llm_structured_output_method: StructuredOutput = field(
        default="auto", metadata=read_by(one_of("auto", "json_schema", "json_mode", "function_calling"))
    )
    """How the model is asked for JSON."""
    llm_thinking_mode: Thinking = field(
        default="", metadata=read_by(one_of("enabled", "disabled", "none", "minimal", "low", "medium", "high"))
    )
    """Thinking on or off, or how much; unset: off at DeepSeek, elsewhere what the model does by itself."""
    llm_price_input: float | None = field(default=None, metadata=read_by(number(0, MOST_USD)))
    """USD for a million input tokens; with both prices set the cost of a task is shown, else it is unknown."""
    llm_price_output: float | None = field(default=None, metadata=read_by(number(0, MOST_USD)))
    """USD for a million output tokens."""
    llm_temperature: float | None = field(default=None, metadata=read_by(number(0, 2)))
    """Temperature; unset means 0.3 for the reviewer and 0 for the others."""
    llm_timeout_seconds: int = field(default=60, metadata=read_by(whole(1)))
    """Longest one model call may take."""
    run_timeout_seconds: int = field(default=300, metadata=read_by(whole(1)))
    """Longest one task may spend on model calls."""
    max_llm_calls: int = field(default=8, metadata=read_by(whole(0)))
    """Most model calls of one task, repairs included."""
    max_agent_rounds: int = field(default=50, metadata=read_by(whole(12)))
    """Most steps of one task, the end of every loop; an ordinary task takes up to 11."""
    max_findings: int = field(default=50, metadata=read_by(whole(1)))
    """Most findings in one record; the worst are kept."""
    max_paste_kb: int = field(default=2_000, metadata=read_by(whole(1)))
    """Largest paste or file, in units of 1,024 bytes."""
    fail_on: FailOn = field(default="never", metadata=read_by(one_of("never", "info", "low", "medium", "high", "critical")))
    """Severity from which findings make the exit status 1."""
    log_level: LogLevel = field(default="info", metadata=read_by(one_of("info", "debug")))
    """How much goes into CODEMIND_HOME/log/codemind.log: `debug` adds the time of each step."""
    memory_scope: Scope = field(default="all", metadata=read_by(one_of("all", "project")))
    """Which experiences are looked up: of all projects, or of this one only."""
    memory_lock_timeout_seconds: int = field(default=10, metadata=read_by(whole(0)))
    """How long a write waits for another process that writes to the memory."""
    embedder: Embedder = field(default="structural", metadata=read_by(one_of("structural", "endpoint")))
    """What makes vectors: `structural` (here, no network) or `endpoint`."""
    embedding_model: str = field(default="BAAI/bge-m3", metadata=read_by(str))
    """Model of the embedding endpoint; used only with EMBEDDER=endpoint."""
    embedding_api_key: Secret = field(default=Secret(""), metadata=read_by(Secret))
    """Key for the embedding endpoint."""
    embedding_base_url: str = field(default="", metadata=read_by(web_address))
    """Address of the embedding endpoint."""
    chroma_url: str = field(default="", metadata=read_by(web_address))
    """Address of a Chroma server through which a team shares its memory; unset: nothing is shared."""
    chroma_token: Secret = field(default=Secret(""), metadata=read_by(Secret))
    """Token for that server, where a proxy before it wants one."""
    memory_author: str = field(default="", metadata=read_by(author))
    """Your name on the fixes that you share; unset: your login name."""
    test_timeout_seconds: int = field(default=60, metadata=read_by(whole(1)))
    """Longest one run of the test command may take."""
    allow_unsandboxed: bool = field(default=False, metadata=read_by(yes_or_no))
    """Run test commands without a sandbox where there is none."""

    @property
    def engine(self) -> Engine:
        """Who reviews."""
        if self.reviewer_provider != "auto":
            return self.reviewer_provider
        return "openai" if wants_model(self) else "static"

    @property
    def target(self) -> ModelTarget | None:
        """The model that reviews; None when none does."""
        return target_of(self) if self.engine == "openai" else None

    @property
    def host(self) -> str:
        """Where code goes; empty when it stays here."""
        return "" if self.target is None else self.target.host

    @property
    def shared_host(self) -> str:
        """Where saved fixes go; empty when they stay here."""
        return host_of(self.chroma_url) if self.chroma_url else ""

    @property
    def note(self) -> str:
        """One sentence about what is configured and not used; empty when there is nothing to say."""
        return note_of(self)


@dataclass(frozen=True)
class Loaded:
    """Settings, and where each came from: `flag`, `environment`, `default`, or the path of a `.env` file."""

    settings: Settings
    origins: Mapping[str, str]

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Variable, value as text (secrets hidden), origin: one row for each field, in the order of the class."""
        for declared in fields(Settings):
            value = getattr(self.settings, declared.name)
            yield declared.name.upper(), "" if value is None else str(value), self.origins[declared.name]


@dataclass(frozen=True)
class Layer:
    """One place that settings come from."""

    origin: str
    values: Mapping[str, str]

    def get(self, variable: str) -> str:
        """The value without surrounding blanks; empty when it is unset here."""
        return self.values.get(variable, "").strip()


def load_settings(flags: Mapping[str, str], environ: Mapping[str, str], dotenv_paths: Sequence[Path]) -> Loaded:
    """Merge all layers. `flags` are keyed by variable; `.env` of CODEMIND_HOME is read after `dotenv_paths`.

    Raises: ConfigInvalidError that names the variable or the file, never the value; also for a model that can't be asked.
    """
    layers = [Layer("flag", flags), Layer("environment", environ), *(read_env_file(path) for path in dotenv_paths)]
    home, home_origin = pick(layers, HOME_VARIABLE, folder, default_home)
    layers.append(read_env_file(home / ENV_FILE))
    values: dict[str, Any] = {"codemind_home": home}
    origins = {"codemind_home": home_origin}
    for declared in fields(Settings)[1:]:
        default = declared.default
        picked = pick(layers, declared.name.upper(), declared.metadata["read"], partial(same, default))
        values[declared.name], origins[declared.name] = picked
    settings = Settings(**values)
    if settings.engine == "openai":
        check_target(settings, origins)
    if settings.embedder == "endpoint":
        check_embedding(settings, origins)
    if settings.chroma_url and settings.chroma_token:
        check_sharing(settings, origins)
    return Loaded(settings, origins)


def pick(layers: Sequence[Layer], variable: str, read: Callable[[str], T], default: Callable[[], T]) -> tuple[T, str]:
    """The first layer's value, read, and that layer's origin. Raises: ConfigInvalidError when it can't be read."""
    for layer in layers:
        if text := layer.get(variable):
            try:
                return read(text), layer.origin
            except ValueError as error:
                raise ConfigInvalidError(f"{variable} ({layer.origin}) can't be used: {error}.") from None
    return default(), "default"


def same(value: T) -> T:
    """The value it is given."""
    return value


def default_home() -> Path:
    """The platform's folder for user data; nothing is made."""
    from platformdirs import user_data_dir  # late: costs 20 ms, and most tests and services set the home

    return Path(user_data_dir("codemind", appauthor=False))


def read_env_file(path: Path) -> Layer:
    """The bindings of one `.env`; none when there is no such file. Raises: ConfigInvalidError when it can't be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return Layer(str(path), {})
    except (OSError, ValueError):
        raise ConfigInvalidError(f"The settings file {path} can't be read; it must be a UTF-8 text file.") from None
    return Layer(str(path), parse_env(text, path))


def parse_env(text: str, path: Path) -> dict[str, str]:
    """The bindings in the text of a `.env`, without expanding variables. Raises: ConfigInvalidError for a broken line."""
    from io import StringIO  # late, as is the next: only for those who keep a .env

    from dotenv.parser import parse_stream  # late: costs 30 ms, and most homes have no .env

    values: dict[str, str] = {}
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            raise ConfigInvalidError(f"Line {binding.original.line} of {path} is not of the form NAME=value.")
        if binding.key is not None and binding.value is not None:
            values[binding.key] = binding.value
    return values
