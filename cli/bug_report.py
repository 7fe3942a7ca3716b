"""`doctor --report`: what a maintainer needs, as Markdown that may be pasted anywhere.

Everything of the user's own is taken out: secrets, paths (the home is `~`), the user's and the machine's name, and hosts but
for loopback and services that everybody knows. What is shown is chosen, never "all but": unknown words are left out.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from cli.checkup import Checkup
from cli.console import Console
from cli.crash import crash_files
from cli.scrub import Scrub
from settings import Loaded, Settings
from wiring import LOG_FOLDER
from wiring_log import method_of, service_of

LOG_LINES = 20
CRASH_LINES = 40
MOST_BYTES = 64 * 1024
"""Read from the end of a log: more than 20 lines take."""
SAFE = "This report holds no code, no key and no host or path of yours: it is safe to paste."
_SECRET_ENDINGS = ("_api_key", "_token")
_WORD = re.compile(r"[\w.+:-]{1,60}")


def bug_report(checkup: Checkup, loaded: Loaded, console: Console) -> str:
    """The whole block."""
    scrub = Scrub.of(loaded.settings, console.environment)
    folder = loaded.settings.codemind_home / LOG_FOLDER
    parts = [
        "## CodeMind report",
        "",
        *(f"- {line}" for line in _facts(checkup, loaded, console, scrub)),
        "",
        "Settings that differ from their defaults:",
        *(_block(scrub.line(line) for line in _changed(loaded, scrub))),
        f"Last lines of the log ({LOG_LINES} at most):",
        *(_block(scrub.line(line) for line in _last_lines(folder / "codemind.log", LOG_LINES))),
        "Last crash:",
        *(_block(scrub.line(line) for line in _last_crash(folder))),
        SAFE,
    ]
    return "\n".join(parts) + "\n"


def _facts(checkup: Checkup, loaded: Loaded, console: Console, scrub: Scrub) -> Iterator[str]:
    versions = dict(checkup.versions)
    own, python = versions.pop("codemind"), versions.pop("python")
    yield f"codemind {own}, Python {python} ({platform.python_implementation()}), {platform.system()} {_kernel()} {platform.machine()}"
    yield "packages: " + ", ".join(f"{name} {number}" for name, number in versions.items())
    yield f"terminal: {_terminal(console)}"
    yield f"provider: {_provider(loaded.settings, scrub)}"
    yield f"model: {scrub.line(checkup.model)}"
    yield f"sandbox: {scrub.line(checkup.sandbox)}"
    yield f"memory: {scrub.line(checkup.memory)}"
    yield f"vector index: {scrub.line(checkup.index)}"
    if checkup.sharing:
        yield f"shared memory: {scrub.line(checkup.sharing)}"
    yield f"log: {scrub.line(checkup.log)}"
    yield f"disk: {checkup.disk}; unfinished tasks: {checkup.unfinished}"
    yield from (f"BROKEN: {scrub.line(problem)}" for problem in checkup.problems)
    yield from (f"attack on the sandbox not stopped: {name}" for name, stopped, _ in checkup.attacks if not stopped)


def _kernel() -> str:
    """The kernel's version number: what a distribution or a user adds to it may be a name."""
    numbers = re.match(r"[\d.]+", platform.release())
    return "unknown" if numbers is None else numbers[0]


def _terminal(console: Console) -> str:
    """Kind, size, encoding, and whether it is one."""
    kind = console.environment.get("TERM", "")
    shown = kind if _WORD.fullmatch(kind) else "unset" if not kind else "(unusual)"
    ways = f"input {'is' if console.interactive else 'is not'} a terminal, output {'is' if console.paints else 'is not'}"
    colour = ", NO_COLOR" if console.environment.get("NO_COLOR") else ""
    return f"TERM={shown}, {console.columns()} columns, {getattr(console.stdout, 'encoding', None) or 'unknown'}{colour}; {ways}"


def _provider(settings: Settings, scrub: Scrub) -> str:
    """Who reviews, and of a model whose service it is and how it is asked."""
    if not settings.host:
        return settings.engine
    return f"{settings.engine}, service {service_of(settings)} at {scrub.host(settings.host)}, asked by {method_of(settings)}"


def _changed(loaded: Loaded, scrub: Scrub) -> list[str]:
    """Name, value and kind of place; of a secret, that it is set."""
    lines = []
    for declared in fields(Settings):
        value, origin = getattr(loaded.settings, declared.name), loaded.origins[declared.name]
        if origin == "default":
            continue
        if declared.name.endswith(_SECRET_ENDINGS):
            shown = "set" if value else "empty"
        elif declared.name.endswith(("_base_url", "chroma_url")):
            shown = scrub.address(str(value))
        elif declared.name in {"codemind_home", "memory_author"}:
            shown = "set"
        else:
            shown = "default" if value is None else str(value)
        place = origin if origin in {"flag", "environment"} else ".env"
        lines.append(f"{declared.name.upper()}={shown}  ({place})")
    return lines or ["none"]


def _last_lines(path: Path, count: int) -> list[str]:
    """The end of a text file; what can't be read has none."""
    try:
        with path.open("rb") as opened:
            opened.seek(max(0, path.stat().st_size - MOST_BYTES))
            text = opened.read().decode("utf-8", "replace")
    except OSError:
        return ["none"]
    return text.splitlines()[-count:] or ["none"]


def _last_crash(folder: Path) -> list[str]:
    try:
        crashes = crash_files(folder)
    except OSError:
        return ["none"]
    return [crashes[-1].name, *_last_lines(crashes[-1], CRASH_LINES)] if crashes else ["none"]


def _block(lines: Iterator[str]) -> Iterator[str]:
    """Lines as they are: no line of a log can end the block."""
    yield "```text"
    yield from (line.replace("`", "'") for line in lines)
    yield "```"
