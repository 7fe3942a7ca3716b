"""`doctor`: what is in force and whether it works: settings, versions, sandbox, model, memory, index, log, disk, unfinished tasks."""

from __future__ import annotations

import os
import platform
import shutil
from argparse import Namespace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cli.checkup import Checkup, lines_of
from cli.console import Console
from cli.crash import crash_files
from cli.options import load
from cli.running import run_async
from cli.sitting import sitting_at
from cli.version import VERSION
from errors import EXIT_CLEAN, EXIT_OPERATION, CodeMindError
from reports.json import json_line
from settings import Loaded
from wiring import LOG_FOLDER, App, build_app, switch_tracing_off
from wiring_memory import MemoryCare, open_care, sandbox_selftest
from wiring_model import probe
from wiring_sharing import sharing_of

PACKAGES = (
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "langchain-openai",
    "langchain-chroma",
    "chromadb",
    "openai",
    "prompt-toolkit",
    "rich",
    "ruff",
    "ast-grep-py",
    "pygments",
    "rapidfuzz",
    "numpy",
)
SCARCE_BYTES = 100 << 20
"""With less room a write may fail at any moment."""


def run(given: Namespace, console: Console) -> int:
    """Look at everything and print it; 3 when something is broken."""
    loaded = load(given, console.environment)
    checkup = look_at_all(given, loaded)
    if given.report:
        from cli.bug_report import bug_report  # late: only who files a bug needs it

        console.out(bug_report(checkup, loaded, console))
    else:
        console.out(json_line(checkup.as_plain()) if given.json else "\n".join(lines_of(checkup)) + "\n")
    return EXIT_OPERATION if checkup.problems else EXIT_CLEAN


def look_at_all(given: Namespace, loaded: Loaded) -> Checkup:
    """Everything in turn; one part that is broken hides no other."""
    checkup = Checkup(_versions(), list(loaded.rows()))
    app = build_app(loaded.settings)
    home = loaded.settings.codemind_home
    _look_at_sandbox(checkup, app, attack=given.sandbox)
    _look_at_model(checkup, loaded, online=given.online)
    _look_at_memory(checkup, loaded)
    _look_at_sharing(checkup, loaded)
    _look_at_home(checkup, home)
    _look_at_log(checkup, home / LOG_FOLDER)
    if (home / "sessions.sqlite3").exists():
        _look_at_sessions(checkup, app)
    return checkup


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
        if loaded.settings.chroma_url:
            checkup.model = f"none; saved fixes go to {loaded.settings.shared_host}"
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
        said = care.ledger.take_note()
        checkup.memory = _memory_words(health, care) + (f"; {said}" if said else "")
        if health["exists"] and not health["problem"]:
            checkup.index = _index_words(care.index())
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


def _index_words(index: dict[str, Any]) -> str:
    """A damaged index is no fault either: no answer needs it."""
    words = {
        "absent": "not made (none is needed; `codemind memory rebuild` makes it)",
        "busy": "in use by another process",
        "missing": "its files are gone; `codemind memory rebuild` makes it again",
        "suspect": "not closed, or changed from outside; `codemind memory rebuild` makes it again",
    }
    said = words.get(index["sight"], index["sight"])
    return f"{said}; {index['rows']} of {index['wanted']} vectors, embedder {index['embedder']}"


def _look_at_sharing(checkup: Checkup, loaded: Loaded) -> None:
    """Whether the shared memory answers, and what waits for it."""
    care = sharing_of(loaded.settings)
    if care is None:
        return
    checkup.sharing = care.server.address
    try:
        queue = care.queue()
        checkup.sharing += f": {queue['waiting']} changes wait; last synchronised {queue['synced_at'] or 'never'}"
        if held := sum(queue["held"].values()):
            checkup.sharing += f"; held back: {held}"
        client, server = care.versions()
        checkup.sharing += f"; Chroma server {server}, client {client}"
    except CodeMindError as error:
        checkup.problems.append(f"shared memory: {error.message}")


def _look_at_home(checkup: Checkup, home: Path) -> None:
    """Whether something can be written there, and how much; makes nothing."""
    place = home
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK):
        checkup.problems.append(f"home: nothing can be written to {home}; set CODEMIND_HOME to a folder of yours")
        return
    free = shutil.disk_usage(place).free
    checkup.disk = f"{free / (1 << 30):.1f} GB free"
    if free < SCARCE_BYTES:
        checkup.problems.append(f"home: only {free >> 20} MB are free where {home} lies; make room, or set CODEMIND_HOME")


def _look_at_log(checkup: Checkup, folder: Path) -> None:
    """How much there is, and which crash was the last."""
    try:
        files = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
        crashes = crash_files(folder)
        size_kb = sum(path.stat().st_size for path in files) / 1024
    except OSError as error:
        checkup.log = f"{folder}: can't be read"
        checkup.problems.append(f"log: {folder} can't be read ({(error.strerror or type(error).__name__).lower()})")
        return
    checkup.log = f"{folder}: {len(files)} files, {size_kb:.0f} kB" if files else f"{folder}: nothing yet"
    checkup.crash = crashes[-1].name if crashes else ""
    if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK)):
        checkup.problems.append(f"log: nothing can be written to {folder}")


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
