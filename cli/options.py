"""From the command line to settings, and to what one run of tasks should do."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from errors import InputInvalidError
from settings import ENV_FILE, Loaded, load_settings

Format = Literal["text", "json", "jsonl"]
_BESIDE_MAIN = Path(__file__).resolve().parent.parent / ENV_FILE


@dataclass(frozen=True)
class TaskOptions:
    """How tasks are served. `fail_on` is a severity or `never`; `lang` None means: find out."""

    format: Format = "text"
    lang: str | None = None
    fail_on: str = "never"
    save: bool = True
    use_memory: bool = True
    trace: bool = False
    test_cmd: str | None = None


def load(given: Namespace, environment: Mapping[str, str]) -> Loaded:
    """Settings of this run: flags, environment, `.env` beside main.py and in the home. Raises ConfigInvalidError."""
    return load_settings(_flags(given), environment, [_BESIDE_MAIN])


def _flags(given: Namespace) -> dict[str, str]:
    """Options that are settings too, by their variable."""
    flags = {}
    if given.provider:
        flags["REVIEWER_PROVIDER"] = given.provider
    if given.fail_on:
        flags["FAIL_ON"] = given.fail_on
    if given.allow_unsandboxed:
        flags["ALLOW_UNSANDBOXED"] = "true"
    return flags


def task_options(given: Namespace, loaded: Loaded) -> TaskOptions:
    """What the command line says about tasks; `--json` goes before `--format`."""
    return TaskOptions(
        format="json" if given.json else given.format or "text",
        lang=known_language(given.lang),
        fail_on=loaded.settings.fail_on,
        save=given.save,
        use_memory=given.memory,
        trace=given.trace,
        test_cmd=given.test_cmd,
    )


def known_language(name: str | None) -> str | None:
    """The language's own name. Raises InputInvalidError for a name that means none."""
    if name is None:
        return None
    from utils.language_names import ALIASES, CODE, LANGUAGES, canonical  # late: most runs name no language

    language = canonical(name)
    if language not in LANGUAGES and language not in ALIASES.values():
        raise InputInvalidError(f"There is no language {name[:40]!r} here: use one of {', '.join(CODE)}.")
    return language
