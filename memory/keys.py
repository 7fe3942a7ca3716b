"""Keys of long-term memory: equal for two texts that are the same code, up to layout (exact) or to the names of locals (renamed).

A key is 32 hex digits of a SHA-256 over the language and the token stream of `utils.tokens`. Whoever changes what a stream holds
changes `NORMALISER`: the ledger then derives its keys anew in a migration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from utils.tokens import tokenize

KeyKind = Literal["exact", "renamed"]

NORMALISER = "tokens/3"

_LENGTH = 32


def exact_key(text: str, language: str) -> str:
    """The same for two texts that differ in layout, blank lines, prose comments and docstrings only."""
    return KeyMaker(text, language).exact


def renamed_key(text: str, language: str) -> str:
    """The same for two texts that differ, besides, in the names of their locals, one for one.

    A fix that only renames has the same renamed key on both sides: a caller that stores both must check for it.
    """
    return KeyMaker(text, language).renamed


class KeyMaker:
    """The keys of one text, which is read once; each is computed when it is asked for."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language
        self._tokens = tokenize(text, language)

    @property
    def length(self) -> int:
        """How many tokens there are: the same for all texts of a key."""
        return len(self._tokens)

    @cached_property
    def exact(self) -> str:
        """See `exact_key`."""
        return _digest("exact", self._language, (token.key for token in self._tokens))

    @cached_property
    def renamed(self) -> str:
        """See `renamed_key`."""
        from utils.names import numbered, roles  # late: the rules for names are only read when the exact key told nothing

        found = roles(self._text, self._language, self._tokens)
        return _digest("renamed", self._language, numbered(self._tokens, found))

    def of(self, kind: KeyKind) -> str:
        """The key of one kind."""
        return self.exact if kind == "exact" else self.renamed


def experience_id(text: str, language: str) -> str:
    """The id of what is remembered about this buggy code: its exact key."""
    return exact_key(text, language)


def _digest(tier: str, language: str, stream: Iterable[str]) -> str:
    parts = "\x00".join((NORMALISER, tier, language, *stream))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
