"""Who watches knows what runs."""

from __future__ import annotations

import pytest

from errors import SandboxUnavailableError
from integrations.announced import AnnouncedAnalyzer, AnnouncedSandbox
from schema.finding import Finding
from schema.ports import SandboxRun
from schema.source import Source
from schema.work_event import WorkEvent

SOURCE = Source("x = 1\n", "python", "paste")


class Watched:
    """An analyser and a sandbox that remember what was told before they ran."""

    def __init__(self) -> None:
        self.told: list[WorkEvent] = []
        self.at_run: list[WorkEvent] = []
        self.cancelled = False

    def mode(self) -> str:
        """Works."""
        return "bubblewrap"

    def begin(self) -> None:
        """What was cancelled may run again."""
        self.cancelled = False

    def run(self, command: str, file: str | None, text: str, language: str) -> SandboxRun:
        """Fails for the command `none`."""
        self.at_run = list(self.told)
        if command == "none":
            raise SandboxUnavailableError("nothing may run here")
        return SandboxRun(0, False, command, 0.1)

    def cancel(self) -> None:
        """Remember it."""
        self.cancelled = True

    def version(self) -> str:
        """Of the analyser."""
        return "linter/1"

    def supports(self, language: str) -> bool:
        """Python."""
        return language == "python"

    def describe(self, language: str) -> str:
        """With its version."""
        return "linter 1"

    def analyze(self, source: Source) -> list[Finding]:
        """Finds nothing."""
        self.at_run = list(self.told)
        return []


def test_a_test_command_is_announced_while_it_runs() -> None:
    """It begins before, and has ended after; its result is the sandbox's."""
    watched = Watched()
    sandbox = AnnouncedSandbox(watched, watched.told.append)
    assert sandbox.run("make test", None, "x", "python").output == "make test"
    assert [event.begins for event in watched.at_run] == [True]
    assert watched.told == [WorkEvent("tests", "your test command", begins) for begins in (True, False)]


def test_what_fails_has_ended_too() -> None:
    """Else a terminal would show it for ever."""
    watched = Watched()
    with pytest.raises(SandboxUnavailableError):
        AnnouncedSandbox(watched, watched.told.append).run("none", None, "x", "python")
    assert [event.begins for event in watched.told] == [True, False]


def test_an_analyser_is_announced_by_its_name() -> None:
    """All else is as without."""
    watched = Watched()
    analyzer = AnnouncedAnalyzer(watched, watched.told.append)
    assert analyzer.analyze(SOURCE) == []
    assert [event.begins for event in watched.at_run] == [True]
    assert watched.told[0] == WorkEvent("check", "linter 1", begins=True)
    assert (analyzer.version(), analyzer.supports("python"), analyzer.supports("c"), analyzer.describe("python")) == (
        "linter/1",
        True,
        False,
        "linter 1",
    )


def test_cancelling_reaches_the_sandbox() -> None:
    """As does a new beginning, and its mode comes from it."""
    watched = Watched()
    sandbox = AnnouncedSandbox(watched, watched.told.append)
    sandbox.cancel()
    assert (sandbox.mode(), watched.cancelled, watched.told) == ("bubblewrap", True, [])
    sandbox.begin()
    assert not watched.cancelled
