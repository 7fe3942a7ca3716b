"""What the readers of names share for languages whose declarations begin with a word: class bodies, parameter lists, patterns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from utils.declared import NameReader

HEAD_TOKENS = 60
"""So far is looked for the bracket that opens a body or a list of parameters."""
LIST_TOKENS = 500
"""So much of a list of names is read: longer ones are none, and hostile texts nest them."""


@dataclass
class OwnNames:
    """What a reader found in a text."""

    own: set[str] = field(default_factory=set)
    """Names that may be renamed."""
    refused: set[str] = field(default_factory=set)
    """Names that are never renamed, whatever else declares them."""
    fixed: set[int] = field(default_factory=set)
    """Indices of names that are no occurrence of an own name: members, labels, plain words."""

    @property
    def locals(self) -> set[str]:
        """The names that may be renamed."""
        return {name for name in self.own - self.refused if name != "_"}


def class_bodies(reader: NameReader, words: frozenset[str]) -> set[int]:
    """Indices of the braces that open the body of a class and its like."""
    found = set()
    for index, token in enumerate(reader.tokens):
        if token.text in words and token.kind == "keyword" and not reader.is_member(index):
            opened = body_after(reader, index + 1)
            if opened >= 0:
                found.add(opened)
    return found


def body_after(reader: NameReader, start: int) -> int:
    """The brace that opens the body of what is declared at `start`; -1 when there is none before the declaration ends."""
    at = start
    while at < min(start + HEAD_TOKENS, len(reader.tokens)):
        said = reader.text(at)
        if said == "{":
            return at
        if said in {";", "}", ")", "="}:
            return -1
        at = reader.closes_at(at) + 1 if said in {"(", "["} else at + 1
    return -1


def names_in_imports(reader: NameReader, word: str) -> Iterator[str]:
    """The names of import statements, which end with their line or a semicolon."""
    inside = False
    for index, token in enumerate(reader.tokens):
        if token.text == word and token.kind == "keyword":
            inside = reader.text(index + 1) != "("
        elif token.text == ";" or token.kind == "newline":
            inside = False
        elif inside and token.kind == "name" and not token.text.startswith("$"):
            yield token.text


def names_between(reader: NameReader, start: int, end: int, before: frozenset[str]) -> Iterator[str]:
    """Names in [start, end) that follow one of some tokens."""
    for at in range(start, min(end, start + LIST_TOKENS)):
        if reader.is_name(at) and reader.text(at - 1) in before:
            yield reader.text(at)
