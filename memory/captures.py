"""Rust: the names that a format string holds, as in `format!("{name}: {error:?}")`. To the lexer such a string is one token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memory.script import Script

_NO_FORMATS = frozenset({"vec", "matches", "concat", "stringify"})
"""Macros whose strings are just strings."""

_HOLE = re.compile(r"\{\{|\\u\{[^}]*\}|\{(?P<said>[^{}]+)\}")
_NAME = re.compile(r"\A[^\W\d]\w*(?=\s*(?::|\Z))|[^\W\d]\w*(?=\$)")
"""What is written: all of a hole or what stands before its colon; behind that a width or a precision, as in `{:width$}`."""


class Captures:
    """Knows which literals of a text are format strings."""

    def __init__(self, script: Script) -> None:
        self._formats = frozenset(_format_strings(script)) if script.language == "rust" else frozenset()

    def of(self, literal: str, word_for: Callable[[str], str]) -> str:
        """A literal with the names in its holes in the words of `word_for`; itself where it is no format string."""
        if literal not in self._formats:
            return literal
        return _HOLE.sub(lambda hole: _in_words(hole, word_for), literal)


def _in_words(hole: re.Match[str], word_for: Callable[[str], str]) -> str:
    said = hole["said"]
    return f"{{{_NAME.sub(lambda name: word_for(name[0]), said)}}}" if said else hole[0]


def _format_strings(script: Script) -> Iterator[str]:
    """The strings that stand directly in a macro's brackets."""
    calls: list[bool] = []
    name, last = "", ""
    for element in script.elements:
        token = element.token
        if token.kind == "string" and calls and calls[-1]:
            yield token.text
        elif token.kind == "op" and token.text in {"(", "[", "{"}:
            calls.append(last == "!" and name.isidentifier() and name not in _NO_FORMATS)
        elif token.kind == "op" and token.text in {")", "]", "}"} and calls:
            calls.pop()
        name, last = last, token.text
