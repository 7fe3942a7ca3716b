"""The layout, as a program sees it, of a text that is made of elements of two others: what the result is checked against when it is
read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memory.fitting import Fitting
from memory.script import PROSE, Element
from utils.layout_tokens import DEDENT, INDENT, NEWLINE
from utils.lexical import FREE_OF_LINES, Token, layout_of

Source = tuple[int | None, int | None]
"""Where an element comes from: its place in the paste, and in the stored fixed text."""

_START = -1
"""What stands before the first element of a text."""


def python_tokens(elements: Sequence[Element]) -> Iterator[Token]:
    """The elements' tokens with line ends and blocks between them, from the depth of each line's head."""
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


def misplaced_blocks(tokens: Iterable[Token]) -> int:
    """How many blocks of Python have no head, or heads no block: none in code that parses, some in a piece that was cut out of it.

    Blocks that are open where the piece begins are not counted.
    """
    found, opens, before = 0, False, ""
    for token in tokens:
        if token.kind == "indent":
            found += not opens and before != ""
            opens = False
        elif token.kind == "newline":
            opens = before == ":"
        elif token.kind not in PROSE:
            found += opens
            opens, before = False, token.key
    return found


def _without_width(kind: str, key: str) -> Token:
    return Token(kind, "", 0, 0, key)


def with_joints(elements: Sequence[Element], sources: Sequence[Source], fit: Fitting) -> Iterator[Element]:
    """The elements with the layout that must stand before each: the paste's between two neighbours of the paste, the fix's between two
    of the fix; between others a statement begins, on a line of its own where lines count."""
    between_others = "" if layout_of(fit.paste.language) in FREE_OF_LINES else None
    orders = fit.order, {element: number for number, element in enumerate(fit.fixed.counted)}
    before: Source = (_START, _START)
    for element, source in zip(elements, sources, strict=True):
        if element.is_prose:
            yield element
            continue
        follows_here, follows_there = (_follows(order, *pair) for order, pair in zip(orders, zip(before, source, strict=True), strict=True))
        joint = between_others
        if follows_there and source[1] is not None and (not follows_here or _changes_layout(fit, source[1])):
            joint = fit.fixed.elements[source[1]].joint
        elif follows_here and source[0] is not None:
            joint = fit.paste.elements[source[0]].joint
        yield replace(element, joint=joint)
        before = source


def _follows(order: dict[int, int], before: int | None, here: int | None) -> bool:
    """True when the two are neighbours in their text."""
    return here is not None and before is not None and order[here] == (-1 if before == _START else order[before]) + 1


def _changes_layout(fit: Fitting, index: int) -> bool:
    """True when the fix has another layout before this element than the buggy text."""
    origin = fit.matching[index]
    return origin is None or fit.buggy.elements[origin].joint != fit.fixed.elements[index].joint
