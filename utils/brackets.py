"""The bracket structure of a token stream: which bracket encloses a token, and where each bracket closes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from utils.lexical import Token

_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "${": "}", "#{": "}"}


@dataclass(frozen=True)
class Brackets:
    """`enclosing[i]`: index of the innermost open bracket around token i, -1 at the top. `partner[i]`: index of the other bracket
    of a pair, for both of them; what never closes has none."""

    enclosing: tuple[int, ...]
    partner: dict[int, int]


def brackets_of(tokens: Sequence[Token]) -> Brackets:
    """Pair the brackets; one that closes nothing is ignored. Linear, whatever the depth."""
    enclosing: list[int] = []
    partner: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        said = token.text if token.kind == "op" else ""
        if said in {")", "]", "}"} and stack and _CLOSED_BY[tokens[stack[-1]].text] == said:
            opened = stack.pop()
            partner[opened], partner[index] = index, opened
        enclosing.append(stack[-1] if stack else -1)
        if said in _CLOSED_BY:
            stack.append(index)
    return Brackets(tuple(enclosing), partner)
