"""A text as the near tier compares it: its tokens, which of them are locals, and two streams in which names don't count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from utils.names import roles
from utils.tokens import tokenize

LOCAL, STRING = "<ID>", "<STR>"
_FAR = 10
"""Distances from here on are one: what was used so long ago says no more than that it is known."""


@dataclass(frozen=True, slots=True)
class Signature:
    """`raw`: the exact stream. `abstract`: the same with locals and strings as one word each. `is_local`: for each token."""

    raw: tuple[str, ...]
    abstract: tuple[str, ...]
    is_local: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.raw)

    def structural(self) -> Iterator[str]:
        """Each local as the distance to its last use, each string as a mark; API names, numbers and keywords as they are.

        Two texts that differ in the names of their locals give the same; which value goes where still counts.
        """
        last: dict[str, int] = {}
        for place, (said, word, is_local) in enumerate(zip(self.raw, self.abstract, self.is_local, strict=True)):
            if not is_local:
                yield word
                continue
            distance = place - last[said] if said in last else 0
            last[said] = place
            yield "<new>" if not distance else f"<{distance}>" if distance < _FAR else "<far>"


@lru_cache(maxsize=512)
def read_signature(text: str, language: str) -> Signature:
    """Read a text. Never raises. The last few hundred are kept: a memory is compared with many pastes."""
    tokens, found = tokenize(text, language), roles(text, language)
    is_local = tuple(role == "local" for role in found)
    abstract = tuple(
        LOCAL if local else STRING if token.kind == "string" else token.key for token, local in zip(tokens, is_local, strict=True)
    )
    return Signature(tuple(token.key for token in tokens), abstract, is_local)
