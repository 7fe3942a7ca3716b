"""The layout tokens of a text that is made of elements of two others: what the result is checked against when it is read again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.script import PROSE, Element, Script
from utils.layout_tokens import DEDENT, INDENT, NEWLINE, STRUCTURE
from utils.lexical import Token

Source = tuple[int | None, int | None]
"""Where an element comes from: its place in the paste, and in the stored text."""


def layout_tokens(elements: Sequence[Element], sources: Sequence[Source], paste: Script, stored: Script) -> Iterator[Token]:
    """The elements' tokens with line ends and blocks between them."""
    return _python(elements) if stored.language == "python" else _others(elements, sources, paste, stored)


def _python(elements: Sequence[Element]) -> Iterator[Token]:
    """From the depth of each line's head."""
    depth, has_line = 0, False
    for element in elements:
        if element.heads and not element.is_prose:
            if has_line:
                yield _without_width("newline", NEWLINE)
            yield from [_without_width("dedent", DEDENT)] * (depth - element.depth)
            yield from [_without_width("indent", INDENT)] * (element.depth - depth)
            depth, has_line = element.depth, True
        yield element.token
    if has_line:
        yield _without_width("newline", NEWLINE)


def _others(elements: Sequence[Element], sources: Sequence[Source], paste: Script, stored: Script) -> Iterator[Token]:
    """Between two neighbours of the paste its own, else the stored text's."""
    own, theirs = _layout_before(paste), _layout_before(stored)
    order = {element: number for number, element in enumerate(paste.counted)}
    before: int | None = None
    for element, (place, index) in zip(elements, sources, strict=True):
        if not element.is_prose:
            follows = place is not None and before is not None and order[place] == order[before] + 1
            if place is not None and (follows or index is None):
                yield from own.get(place, ())
            elif index is not None:
                yield from theirs.get(index, ())
            before = place
        yield element.token


def _layout_before(script: Script) -> dict[int, list[Token]]:
    """The layout tokens that stand before each element."""
    found: dict[int, list[Token]] = {}
    waiting: list[Token] = []
    index = 0
    for token in script.tokens:
        if token.kind in STRUCTURE:
            waiting.append(token)
            continue
        if token.kind not in PROSE:
            found[index], waiting = waiting, []
        index += 1
    return found


def _without_width(kind: str, key: str) -> Token:
    return Token(kind, "", 0, 0, key)
