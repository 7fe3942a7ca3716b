"""`TextAnalyzer`: characters that deceive a reader or a compiler, in code of any language, also when it does not parse."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from rules.characters import (
    BIDI,
    FILLERS,
    INVISIBLE,
    LOOKALIKE,
    OPENING_QUOTES,
    PUNCTUATION,
    PUNCTUATION_PATTERN,
    SPACES,
    TAGS,
    name_of,
)
from rules.document import shorten
from rules.indentation import mixed_lines
from rules.masked import Masked
from schema.finding import Category, Finding, Severity, SuggestedFix, TextEdit
from schema.source import Source

VERSION = "1.0.0"
MARKUP = frozenset({"text", "markdown", "html", "xml", "tex", "rst", "unknown", "output", "traceback"})
"""Languages whose text is prose: only bidi controls and smuggled text are looked for."""

SPACE_IS_LAYOUT = frozenset({"javascript", "typescript", "tsx", "jsx", "csharp"})
"""Languages that take any Unicode space for layout."""

PUNCTUATED = frozenset(
    {"python", "javascript", "typescript", "tsx", "java", "go", "c", "cpp", "csharp", "rust", "php", "kotlin", "swift", "scala"}
)
_IDEOGRAPHIC_SPACE = "\u3000"
_NAME = re.compile(r"[^\W\d]\w*")


class _Kind(NamedTuple):
    """What all findings of one kind share."""

    rule_id: str
    severity: Severity
    category: Category
    suggestion: str


_BIDI = _Kind("text/bidi-control", "high", "security", "Delete the characters, or write them as escapes")
_HIDDEN = _Kind("text/hidden-text", "high", "security", "Delete the characters")
_INVISIBLE = _Kind("text/invisible-character", "medium", "bug", "Delete the character")
_FILLER = _Kind("text/invisible-character", "high", "security", "Give the name letters that can be seen")
_SPACE = _Kind("text/unicode-space", "medium", "bug", "Use plain spaces")
_PUNCTUATION = _Kind("text/typographic-punctuation", "medium", "bug", "Type the ASCII character")
_LOOKALIKE = _Kind("text/lookalike-letter", "medium", "security", "Retype the name")
_TABS = _Kind("text/tabs-and-spaces", "medium", "bug", "Indent with one of them")


class TextAnalyzer:
    """Reads characters, not syntax: Pygments says what is a string or a comment."""

    def version(self) -> str:
        """Name and version."""
        return f"text {VERSION}"

    def supports(self, language: str) -> bool:
        """Always true."""
        return True

    def describe(self, language: str) -> str:
        """What a user reads under "checked"."""
        return "deceiving characters"

    def analyze(self, source: Source) -> list[Finding]:
        """Findings in the order of the text. Nearly free for plain ASCII without tabs."""
        if source.text.isascii() and not (source.language == "python" and "\t" in source.text):
            return []
        text = _Text(source)
        found = [*text.bidi(), *text.smuggled()]
        if source.language not in MARKUP:
            found += [*text.invisible(), *text.spaces(), *text.punctuation(), *text.lookalikes(), *text.tabs()]
        return sorted(found, key=lambda finding: (finding.start_line, finding.start_column, finding.rule_id))


class _Text:
    """One text on its way through the checks."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._masked = Masked(source.text, source.language)

    def bidi(self) -> Iterator[Finding]:
        """One finding a line."""
        for line, names in self._by_line(BIDI).items():
            message = f"Bidirectional control characters make the line read otherwise than it runs: {_listed(names)}"
            yield self._finding(_BIDI, self._first(line, BIDI), message)

    def smuggled(self) -> Iterator[Finding]:
        """One finding a line."""
        for line in self._by_line(TAGS):
            message = "Invisible tag characters (U+E0000 to U+E007F) carry hidden text"
            yield self._finding(_HIDDEN, self._first(line, TAGS), message)

    def invisible(self) -> Iterator[Finding]:
        """One finding a character; its fix takes it out of the code everywhere. A blank letter is part of a name: no fix."""
        for character, offsets in self._by_character(INVISIBLE).items():
            message = f"{name_of(character)} can't be seen and is no layout"
            fix = self._replaced(offsets, {character: ""})
            yield self._finding(_INVISIBLE, offsets[0], message, fix)
        for character, offsets in self._by_character(FILLERS).items():
            message = f"{name_of(character)} is a letter that can't be seen"
            yield self._finding(_FILLER, offsets[0], message)

    def spaces(self) -> Iterator[Finding]:
        """One finding a kind of space, at its first line; the fix puts plain spaces in all over the code."""
        for character, offsets in self._by_character(SPACES).items():
            is_layout = self._source.language in SPACE_IS_LAYOUT
            kind = _SPACE._replace(severity="low") if is_layout else _SPACE
            message = f"{name_of(character)} is used as layout" + (
                "" if is_layout else ": it looks like a space, but is none to the language"
            )
            fix = self._replaced(offsets, {character: "  " if character == _IDEOGRAPHIC_SPACE else " "})
            yield self._finding(kind, offsets[0], message, fix)

    def punctuation(self) -> Iterator[Finding]:
        """One finding a line; its fix mends that line."""
        if self._source.language not in PUNCTUATED:
            return
        by_line: dict[int, list[int]] = {}
        for found in PUNCTUATION_PATTERN.finditer(self._source.text):
            if not self._masked.hides(found.start()):
                by_line.setdefault(self._line(found.start()), []).append(found.start())
        for line, offsets in by_line.items():
            wrong = self._outside_quotes(line, offsets)
            names = list(dict.fromkeys(name_of(self._source.text[offset]) for offset in wrong))
            message = f"Punctuation that no program reads: {_listed(names)}"
            fix = self._replaced(wrong, PUNCTUATION)
            yield self._finding(_PUNCTUATION, wrong[0], message, fix)

    def lookalikes(self) -> Iterator[Finding]:
        """Names that mix Latin letters with letters that only look Latin; one finding a line."""
        if LOOKALIKE.search(self._source.text) is None:
            return
        seen: set[int] = set()
        for name in _NAME.finditer(self._source.text):
            odd = LOOKALIKE.search(name.group())
            line = self._line(name.start())
            latin = re.search("[A-Za-z]", name.group())
            if odd is None or latin is None or line in seen or self._masked.hides(name.start()):
                continue
            seen.add(line)
            message = f"The name mixes Latin letters with {name_of(odd.group())}, which looks like one"
            yield self._finding(_LOOKALIKE, name.start() + odd.start(), message)

    def tabs(self) -> Iterator[Finding]:
        """One finding, at the first line whose indentation mixes; the fix gives all such lines the style of their neighbours."""
        if self._source.language != "python" or "\t" not in self._source.text:
            return
        mixed = mixed_lines(self._lines, self._masked.continued_lines())
        if not mixed:
            return
        line = min(mixed)
        message = "Tabs and spaces are mixed in the indentation"
        if len(mixed) > 1:
            message += f" (and in {len(mixed) - 1} more line{'s' if len(mixed) > 2 else ''})"  # noqa: PLR2004 - plural
        edits = tuple(self._indent_edit(number, indent) for number, indent in mixed.items() if indent is not None)
        fix = SuggestedFix(edits, "unsafe") if len(edits) == len(mixed) else None
        yield self._finding(_TABS, self._starts[line - 1], message, fix)

    def _indent_edit(self, number: int, indent: str) -> TextEdit:
        line = self._lines[number - 1]
        return TextEdit(number, 1, number, len(line) - len(line.lstrip(" \t\f")) + 1, indent)

    def _by_line(self, pattern: re.Pattern[str]) -> dict[int, list[str]]:
        """Line -> the names of what stands on it, each once."""
        lines: dict[int, list[str]] = {}
        for found in pattern.finditer(self._source.text):
            names = lines.setdefault(self._line(found.start()), [])
            if (name := name_of(found.group())) not in names:
                names.append(name)
        return lines

    def _by_character(self, pattern: re.Pattern[str]) -> dict[str, list[int]]:
        """Character -> where it stands in the code."""
        places: dict[str, list[int]] = {}
        for found in pattern.finditer(self._source.text):
            if not self._masked.hides(found.start()):
                places.setdefault(found.group(), []).append(found.start())
        return places

    def _outside_quotes(self, line: int, offsets: list[int]) -> list[int]:
        """Those places that are not the text between a pair of typographic quotes."""
        text, end = self._source.text, self._starts[line] - 1
        kept: list[int] = []
        inside_until = -1
        for offset in offsets:
            if offset < inside_until:
                continue
            kept.append(offset)
            closing = OPENING_QUOTES.get(text[offset])
            if closing is not None and offset != inside_until:
                inside_until = text.find(closing, offset + 1, end)
        return kept

    def _replaced(self, offsets: list[int], by: dict[str, str]) -> SuggestedFix:
        edits = []
        for offset in offsets:
            line = self._line(offset)
            column = offset - self._starts[line - 1] + 1
            edits.append(TextEdit(line, column, line, column + 1, by[self._source.text[offset]]))
        return SuggestedFix(tuple(edits), "unsafe")

    def _first(self, line: int, pattern: re.Pattern[str]) -> int:
        found = pattern.search(self._source.text, self._starts[line - 1])
        return self._starts[line - 1] if found is None else found.start()

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def _finding(self, kind: _Kind, offset: int, message: str, fix: SuggestedFix | None = None) -> Finding:
        line = self._line(offset)
        column = offset - self._starts[line - 1] + 1
        return Finding(
            path=self._source.path,
            start_line=line,
            end_line=line,
            start_column=column,
            end_column=column + 1,
            severity=kind.severity,
            category=kind.category,
            rule_id=kind.rule_id,
            message=message,
            suggestion=kind.suggestion,
            evidence=shorten(self._lines[line - 1], column),
            confidence=0.95,
            source=f"rule:{kind.rule_id}@{VERSION}",
            fix=fix,
        )


def _listed(names: list[str]) -> str:
    return ", ".join(names)
