"""Tells whoever watches when a test command or an analyser runs: both may take long, and silence looks like a hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from schema.finding import Finding
from schema.ports import Analyzer, Sandbox, SandboxRun
from schema.source import Source
from schema.work_event import WorkEvent

Listen = Callable[[WorkEvent], None]
TEST_COMMAND = "your test command"


@contextmanager
def announced(listen: Listen, kind: Literal["tests", "check"], name: str) -> Iterator[None]:
    """Say that the block begins, and that it has ended, however it ends."""
    listen(WorkEvent(kind, name, begins=True))
    try:
        yield
    finally:
        listen(WorkEvent(kind, name, begins=False))


class AnnouncedSandbox:
    """Implements `schema.ports.Sandbox` by another sandbox."""

    def __init__(self, sandbox: Sandbox, listen: Listen) -> None:
        self._sandbox = sandbox
        self._listen = listen

    def mode(self) -> str:
        """As the sandbox behind it."""
        return self._sandbox.mode()

    def run(self, command: str, file: str | None, text: str, language: str) -> SandboxRun:
        """As the sandbox behind it."""
        with announced(self._listen, "tests", TEST_COMMAND):
            return self._sandbox.run(command, file, text, language)

    def begin(self) -> None:
        """As the sandbox behind it."""
        self._sandbox.begin()

    def cancel(self) -> None:
        """As the sandbox behind it."""
        self._sandbox.cancel()


class AnnouncedAnalyzer:
    """Implements `schema.ports.Analyzer` by another analyser."""

    def __init__(self, analyzer: Analyzer, listen: Listen) -> None:
        self._analyzer = analyzer
        self._listen = listen

    def version(self) -> str:
        """As the analyser behind it."""
        return self._analyzer.version()

    def supports(self, language: str) -> bool:
        """As the analyser behind it."""
        return self._analyzer.supports(language)

    def describe(self, language: str) -> str:
        """As the analyser behind it."""
        return self._analyzer.describe(language)

    def analyze(self, source: Source) -> list[Finding]:
        """As the analyser behind it."""
        with announced(self._listen, "check", self._analyzer.describe(source.language)):
            return self._analyzer.analyze(source)
