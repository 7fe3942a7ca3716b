"""Findings and small fakes for the tests of checks/."""

from __future__ import annotations

import re
from collections.abc import Sequence

from errors import ToolMissingError
from schema.finding import Finding, Severity, SuggestedFix, TextEdit
from schema.ports import SandboxRun
from schema.source import Source


def finding_on(text: str, line: int, rule_id: str = "bugs/bad", severity: Severity = "medium", source: str = "rule:bugs/bad@1") -> Finding:
    """A finding about the whole line."""
    evidence = text.split("\n")[line - 1]
    return Finding("paste", line, line, 1, len(evidence) + 1, severity, "bug", rule_id, "bad", "make it good", evidence, 0.9, source)


class WordAnalyzer:
    """Reports every line with the word, in Python and in JavaScript."""

    def __init__(self, word: str, rule_id: str = "", severity: Severity = "medium", fix_with: str | None = None) -> None:
        self.word = word
        self.rule_id = rule_id or f"words/{word}"
        self.severity = severity
        self.fix_with = fix_with
        self.calls = 0

    def version(self) -> str:
        """Its word."""
        return f"words {self.word}"

    def supports(self, language: str) -> bool:
        """Two languages."""
        return language in {"python", "javascript"}

    def describe(self, language: str) -> str:
        """Its word."""
        return f"word {self.word}"

    def analyze(self, source: Source) -> list[Finding]:
        """One finding a line."""
        self.calls += 1
        found = []
        for number, line in enumerate(source.text.split("\n"), 1):
            for match in re.finditer(re.escape(self.word), line):
                first, last = match.start() + 1, match.end() + 1
                fix = None if self.fix_with is None else SuggestedFix((TextEdit(number, first, number, last, self.fix_with),), "safe")
                severity: Severity = self.severity
                found.append(
                    Finding(
                        source.path, number, number, first, last, severity, "bug", self.rule_id, "bad", "", line, 0.9, self.rule_id, fix
                    )
                )
        return found


class MissingAnalyzer(WordAnalyzer):
    """Its program is not installed."""

    def analyze(self, source: Source) -> list[Finding]:
        """Always fails."""
        raise ToolMissingError("wordtool is not installed")


class ScriptedSandbox:
    """Answers with the given runs, in order, and remembers what it ran."""

    def __init__(self, runs: Sequence[SandboxRun] = ()) -> None:
        self.runs = list(runs)
        self.texts: list[str] = []

    def mode(self) -> str:
        """As the real one."""
        return "bubblewrap"

    def run(self, command: str, file: str | None, text: str, language: str) -> SandboxRun:
        """The next answer."""
        self.texts.append(text)
        return self.runs.pop(0)

    def begin(self) -> None:
        """Nothing to prepare."""

    def cancel(self) -> None:
        """Nothing runs."""
