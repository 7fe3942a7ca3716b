"""`SecretAnalyzer`: where `utils/redact.py` took a secret out of the text, a finding says so. It never sees a secret itself."""

from __future__ import annotations

from rules.document import shorten
from schema.finding import Finding
from schema.source import Source
from utils.redact import placeholder_kind

VERSION = "1.0.0"
RULE_ID = "secrets/hard-coded-credential"


class SecretAnalyzer:
    """Knows every language: a placeholder is a placeholder."""

    def version(self) -> str:
        """Name and version."""
        return f"secrets {VERSION}"

    def supports(self, language: str) -> bool:
        """Always true."""
        return True

    def describe(self, language: str) -> str:
        """What a user reads under "checked"."""
        return "hard-coded secrets"

    def analyze(self, source: Source) -> list[Finding]:
        """One finding a line, at the first secret of the line, naming all kinds on it."""
        kinds: dict[int, list[str]] = {}
        columns: dict[int, int] = {}
        for line, column, kind in placeholder_kind(source.text):
            columns[line] = min(column, columns.get(line, column))
            if kind not in kinds.setdefault(line, []):
                kinds[line].append(kind)
        if not kinds:
            return []
        lines = source.text.split("\n")
        return [_finding(source.path, line, columns[line], lines[line - 1], kinds[line]) for line in sorted(kinds)]


def _finding(path: str, line: int, column: int, text: str, kinds: list[str]) -> Finding:
    return Finding(
        path=path,
        start_line=line,
        end_line=line,
        start_column=column,
        end_column=len(text) + 1,
        severity="high",
        category="security",
        rule_id=RULE_ID,
        message=f"A secret stands in the code: {', '.join(kinds)}",
        suggestion="Read it from the environment or a secret store, and revoke the one that was published",
        evidence=shorten(text, column),
        confidence=0.9,
        source=f"rule:{RULE_ID}@{VERSION}",
    )
