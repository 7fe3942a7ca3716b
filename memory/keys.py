"""Keys of long-term memory: equal for two texts that are the same code, up to layout (exact) or to the names of locals (renamed).

A key is 32 hex digits of a SHA-256 over the language and the token stream of `utils.tokens`. Whoever changes what a stream holds
changes `NORMALISER`: the ledger then derives its keys anew in a migration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from utils.tokens import exact_stream

NORMALISER = "tokens/2"

_LENGTH = 32


def exact_key(text: str, language: str) -> str:
    """The same for two texts that differ in layout, blank lines, prose comments and docstrings only."""
    return _digest("exact", language, exact_stream(text, language))


def renamed_key(text: str, language: str) -> str:
    """The same for two texts that differ, besides, in the names of their locals, one for one.

    A fix that only renames has the same renamed key on both sides: a caller that stores both must check for it.
    """
    from utils.names import renamed_stream  # late: the rules for names are only read when the exact key told nothing

    return _digest("renamed", language, renamed_stream(text, language))


def experience_id(text: str, language: str) -> str:
    """The id of what is remembered about this buggy code: its exact key."""
    return exact_key(text, language)


def _digest(tier: str, language: str, stream: Iterable[str]) -> str:
    parts = "\x00".join((NORMALISER, tier, language, *stream))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
