"""`doctor`: what is in force and whether it works: settings, versions, sandbox, model, memory, unfinished tasks."""

from __future__ import annotations

import os
import platform
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cli.console import Console
from cli.options import load
from cli.running import run_async
from cli.sitting import sitting_at
from cli.version import VERSION
from errors import EXIT_CLEAN, EXIT_OPERATION, CodeMindError
from reports.json import json_line
from settings import Loaded
from utils.terminal import visible
from wiring import App, build_app, switch_tracing_off
from wiring_memory import MemoryCare, open_care, sandbox_selftest
from wiring_model import probe

PACKAGES = (
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "langchain-openai",
    "openai",
    "prompt-toolkit",
    "ruff",
    "ast-grep-py",
    "pygments",
    "rapidfuzz",
)


@dataclass
class Checkup:
    """What was found. `problems` are sentences; any of them makes the exit status 3."""

    versions: dict[str, str]
    settings: list[tuple[str, str, str]]
    sandbox: str = ""
    attacks: list[tuple[str, bool, str]] = field(default_factory=list)
    model: str = "none: nothing leaves this machine"
    memory: str = ""
    unfinished: int = 0
    problems: list[str] = field(default_factory=list)

    def as_plain(self) -> dict[str, Any]:
        """The JSON object of `doctor --json`."""
        return {
            "versions": self.versions,
            "settings": [{"name": name, "value": value, "origin": origin} for name, value, origin in self.settings],
            "sandbox": self.sandbox,
            "attacks": [{"name": name, "stopped": stopped, "detail": detail} for name, stopped, detail in self.attacks],
            "model": self.model,
            "memory": self.memory,
            "unfinished": self.unfinished,
            "problems": self.problems,
        }


def run(given: Namespace, console: Console) -> int:
    """Look at everything and print it; 3 when something is broken."""
    loaded = load(given, console.environment)
    checkup = Checkup(_versions(), list(loaded.rows()))
    app = build_app(loaded.settings)
    _look_at_sandbox(checkup, app, attack=given.sandbox)
    _look_at_model(checkup, loaded, online=given.online)
    _look_at_memory(checkup, loaded)
    _look_at_home(checkup, loaded.settings.codemind_home)
    if (loaded.settings.codemind_home / "sessions.sqlite3").exists():
        _look_at_sessions(checkup, app)
    console.out(json_line(checkup.as_plain()) if given.json else "\n".join(_lines(checkup)) + "\n")
    return EXIT_OPERATION if checkup.problems else EXIT_CLEAN


def _versions() -> dict[str, str]:
    found = {"codemind": VERSION, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


def _look_at_sandbox(checkup: Checkup, app: App, *, attack: bool) -> None:
    """A missing sandbox is no fault: only --test-cmd needs one. One that an attack got through is."""
    checkup.sandbox = app.sandbox.mode()
    if attack:
        checkup.attacks = sandbox_selftest()
        checkup.problems += [f"sandbox: {name} was not stopped ({detail})" for name, stopped, detail in checkup.attacks if not stopped]


def _look_at_model(checkup: Checkup, loaded: Loaded, *, online: bool) -> None:
    """Whether its endpoint is there; the list of models costs nothing, a question (--online) a few tokens."""
    if not loaded.settings.host:
        return
    switch_tracing_off()
    checkup.model, problem = probe(loaded.settings, online=online)
    checkup.problems += [f"model: {problem}"] if problem else []


def _look_at_memory(checkup: Checkup, loaded: Loaded) -> None:
    care = open_care(loaded.settings)
    try:
        health = care.health()
        if health["problem"]:
            checkup.problems.append(f"memory: {health['problem']}; run `codemind memory recover`")
        checkup.memory = _memory_words(health, care)
    except CodeMindError as error:
        checkup.memory = "can't be read"
        checkup.problems.append(f"memory: {error.message}")


def _memory_words(health: dict[str, Any], care: MemoryCare) -> str:
    if health["problem"]:
        return f"{health['path']}: {health['problem']}"
    if not health["exists"]:
        return f"{health['path']}: not yet made (the first saved fix makes it)"
    stats = care.stats()
    return (
        f"{health['path']}: sound; {stats['experiences']} experiences, {stats['alternatives']} fixes, {stats['size_bytes'] / 1024:.0f} kB"
    )


def _look_at_home(checkup: Checkup, home: Path) -> None:
    """Whether something can be written there; makes nothing."""
    place = home
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK):
        checkup.problems.append(f"home: nothing can be written to {home}; set CODEMIND_HOME to a folder of yours")


def _look_at_sessions(checkup: Checkup, app: App) -> None:
    async def count() -> int:
        async with sitting_at(app) as sitting:
            driver = await sitting.driver()
            checkup.unfinished = len(await driver.unfinished())
            checkup.problems += [f"sessions: {note}" for note in (driver.lost.message if driver.lost else "", *sitting.said()) if note]
        return EXIT_CLEAN

    try:
        run_async(count())
    except CodeMindError as error:
        checkup.problems.append(f"sessions: {error.message}")


def _lines(checkup: Checkup) -> Iterator[str]:
    yield "Versions: " + ", ".join(f"{name} {number}" for name, number in checkup.versions.items())
    yield "Settings (value, where it comes from):"
    yield from (f"  {name}={visible(value)}  ({visible(origin)})" for name, value, origin in checkup.settings)
    yield f"Sandbox: {visible(checkup.sandbox)}"
    yield from (f"  {'stopped' if stopped else 'NOT STOPPED'}: {name} ({visible(detail)})" for name, stopped, detail in checkup.attacks)
    yield f"Model: {visible(checkup.model)}"
    yield f"Memory: {visible(checkup.memory)}"
    yield f"Unfinished tasks: {checkup.unfinished}" + (" (codemind resume)" if checkup.unfinished else "")
    yield from (f"BROKEN: {visible(problem)}" for problem in checkup.problems)
    yield "Something is broken." if checkup.problems else "All is well."
