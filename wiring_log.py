"""The log's side of the wiring: where it is written, and what stands in its first line. Writing nothing is a choice too.

keep_log(settings, save=True, version="1.0.0")   from now on loggers named `codemind.*` write to CODEMIND_HOME/log
log_note()                                       a sentence for the user when it can't be written; once
method_of(settings), service_of(settings)        what is known of the model's endpoint without asking it
log_failure(what, code)                          the line of an expected one
log_crash(folder, words)                         the line of an unexpected one
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from settings import Settings
from wiring import LOG_FOLDER

if TYPE_CHECKING:
    from integrations.model_endpoint import Method


def keep_log(settings: Settings, *, save: bool, version: str) -> None:
    """Open the log of CODEMIND_HOME and say what runs; a second time nothing happens. With `save` False nothing is written."""
    from integrations.logbook import keep_silent, open_logbook  # late: `recall` and `memory list` log nothing

    if not save:
        keep_silent()
    elif open_logbook(settings.codemind_home / LOG_FOLDER, settings.log_level):
        _say_start(settings, version)


def _say_start(settings: Settings, version: str) -> None:
    import platform
    from logging import getLogger

    getLogger("codemind").info(
        "start: version=%s python=%s platform=%s-%s provider=%s method=%s",
        version,
        platform.python_version(),
        platform.system(),
        platform.machine(),
        settings.engine,
        method_of(settings) or "-",
    )


def method_of(settings: Settings) -> Method | None:
    """How the model will be asked for JSON, as far as is known; None without a model."""
    from integrations.model_methods import EndpointMemory
    from wiring_model import endpoint_of

    endpoint = endpoint_of(settings)
    return None if endpoint is None else EndpointMemory(settings.codemind_home).of(endpoint).method


def service_of(settings: Settings) -> str:
    """Whose service the model is, by its address: openai, deepseek, ..., other; empty without a model."""
    from wiring_model import endpoint_of

    endpoint = endpoint_of(settings)
    return "" if endpoint is None else endpoint.service


def log_note() -> str:
    """A sentence for the user when the log can't be written: once; else empty."""
    import sys

    if "integrations.logbook" not in sys.modules:
        return ""  # nobody opened one, and `recall` need not import it to learn that
    from integrations.logbook import current_logbook

    logbook = current_logbook()
    return "" if logbook is None else logbook.take_note()


def log_failure(what: str, code: str) -> None:
    """One line about something that was asked for and failed as expected; only while a log is open."""
    from logging import getLogger

    getLogger("codemind").warning("failed: %s error=%s", what, code)


def log_crash(folder: Path, words: str) -> None:
    """One line about an unexpected error into the log of `folder`, which may not be open yet."""
    from logging import getLogger

    from integrations.logbook import open_logbook

    open_logbook(folder, "info")
    getLogger("codemind").error("unexpected: %s", words)
