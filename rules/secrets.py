"""`SecretAnalyzer`: where `utils/redact.py` took a secret out of the text, a finding says so. It never sees a secret itself."""

from __future__ import annotations

from ast_grep_py import SgNode

from errors import OperationError
from rules.document import Document, shorten
from rules.vocabulary import known_languages
from schema.finding import Finding
from schema.source import Source
from utils.redact import placeholder_end, placeholder_kind
from utils.secret_formats import KINDS

VERSION = "1.1.0"
RULE_ID = "secrets/hard-coded-credential"
NAMED = frozenset({KINDS["PW"], KINDS["SE"], KINDS["AH"], KINDS["UP"]})
"""Kinds that only the name beside them gives away: in an explanation they are mostly made up."""


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
        explained = _explained(source) if any(NAMED.issuperset(found) for found in kinds.values()) else frozenset()
        return [
            _finding(source.path, line, columns[line], lines[line - 1], kinds[line], explained=line in explained) for line in sorted(kinds)
        ]


def _explained(source: Source) -> frozenset[int]:
    """Lines of text for readers: those where a comment stands alone, and those of a string over several lines."""
    if source.language not in known_languages():
        return frozenset()
    try:
        document = Document(source.text, source.language)
    except OperationError:
        return frozenset()  # no tree: then it is taken for a secret of the code
    lines: set[int] = set()
    nodes = [document.root]
    while nodes:
        node = nodes.pop()
        if "comment" in node.kind() or (source.language == "python" and node.kind() == "string"):
            lines |= _own_lines(document, node)
        else:
            nodes += node.children()
    return frozenset(lines)


def _own_lines(document: Document, node: SgNode) -> set[int]:
    place = document.place(node)
    if "comment" in node.kind():
        alone = not document.lines[place.start_line - 1][: place.start_column - 1].strip()
        return set(range(place.start_line, place.end_line + 1)) if alone else set()
    return set(range(place.start_line, place.end_line + 1)) if place.end_line > place.start_line else set()


def _finding(path: str, line: int, column: int, text: str, kinds: list[str], *, explained: bool) -> Finding:
    is_example = explained and NAMED.issuperset(kinds)
    return Finding(
        path=path,
        start_line=line,
        end_line=line,
        start_column=column,
        end_column=placeholder_end(text) or len(text) + 1,
        severity="low" if is_example else "high",
        category="security",
        rule_id=RULE_ID,
        message=f"A secret stands in the code: {', '.join(kinds)}",
        suggestion="Read it from the environment or a secret store, and revoke the one that was published",
        evidence=shorten(text, column),
        confidence=0.4 if is_example else 0.9,
        source=f"rule:{RULE_ID}@{VERSION}",
    )
