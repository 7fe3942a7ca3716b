"""What `doctor` found, as JSON and as lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from utils.terminal import visible


@dataclass
class Checkup:
    """`problems` are sentences; any of them makes the exit status 3. `crash` is the newest crash file's name, or empty."""

    versions: dict[str, str]
    settings: list[tuple[str, str, str]]
    sandbox: str = ""
    attacks: list[tuple[str, bool, str]] = field(default_factory=list)
    model: str = "none: nothing leaves this machine"
    memory: str = ""
    index: str = "none yet"
    sharing: str = ""
    """The shared memory: its address and how far we are with it; empty without one."""
    log: str = ""
    crash: str = ""
    disk: str = "unknown"
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
            "index": self.index,
            "shared_memory": self.sharing or None,
            "log": self.log,
            "crash": self.crash or None,
            "disk": self.disk,
            "unfinished": self.unfinished,
            "problems": self.problems,
        }


def lines_of(checkup: Checkup) -> Iterator[str]:
    """For a person."""
    yield "Versions: " + ", ".join(f"{name} {number}" for name, number in checkup.versions.items())
    yield "Settings (value, where it comes from):"
    yield from (f"  {name}={visible(value)}  ({visible(origin)})" for name, value, origin in checkup.settings)
    yield f"Sandbox: {visible(checkup.sandbox)}"
    yield from (f"  {'stopped' if stopped else 'NOT STOPPED'}: {name} ({visible(detail)})" for name, stopped, detail in checkup.attacks)
    yield f"Model: {visible(checkup.model)}"
    yield f"Memory: {visible(checkup.memory)}"
    yield f"Vector index: {visible(checkup.index)}"
    if checkup.sharing:
        yield f"Shared memory: {visible(checkup.sharing)}"
    yield f"Log: {visible(checkup.log)}" + (f"; newest crash: {visible(checkup.crash)}" if checkup.crash else "")
    yield f"Disk: {checkup.disk}"
    yield f"Unfinished tasks: {checkup.unfinished}" + (" (codemind resume)" if checkup.unfinished else "")
    yield from (f"BROKEN: {visible(problem)}" for problem in checkup.problems)
    yield "Something is broken; `codemind doctor --report` prints a block for a bug report." if checkup.problems else "All is well."
