"""Two scripts that are like each other, element by element; and the edits between a stored text and its fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memory.compare import aligned_places, in_names_of
from memory.edits import Matching
from memory.script import PROSE, Element, Script, read_script
from memory.signature import read_signature
from utils.layout_tokens import STRUCTURE

LITERALS = frozenset({"string", "number"})


@dataclass(frozen=True)
class Hunk:
    """One edit: elements of the fixed text that are new, of the buggy text that go, and the kept ones on both sides (None: an end)."""

    new: range
    gone: range
    before: int | None
    after: int | None


def read_with_heads(text: str, language: str) -> Script:
    """The script with the statement after a docstring marked as a line's head, too: there it may be any statement of the body."""
    script = read_script(text, language)
    if language != "python":
        return script
    elements: list[Element] = []
    after_docstring = False
    for element in script.elements:
        heads = element.heads or (after_docstring and element.begins and not element.is_prose)
        elements.append(replace(element, heads=heads))
        after_docstring = (element.heads and element.token.kind == "docstring") or (after_docstring and element.is_prose)
    return replace(script, elements=tuple(elements))


def align(stored: Script, paste: Script) -> Matching:
    """For each element of the stored text the paste's element that says the same, rising; None for prose and where there is none.

    A literal that stands where the stored text has another one is its counterpart: whoever needs the same value compares.
    """
    theirs, own = read_signature(stored.text, stored.language), read_signature(paste.text, paste.language)
    stored_elements, paste_elements = _elements_of_tokens(stored), _elements_of_tokens(paste)
    places: list[int | None] = [None] * len(stored.elements)
    for mine, other in aligned_places(in_names_of(own, theirs), theirs.raw):
        element = stored_elements[other]
        if element is not None:
            places[element] = paste_elements[mine]
    _pair_literals(stored, paste, places)
    return tuple(places)


def _pair_literals(stored: Script, paste: Script, places: list[int | None]) -> None:
    """Between two neighbours that are aligned, one literal on each side."""
    order = {element: number for number, element in enumerate(paste.counted)}
    for before, element, after in zip(stored.counted, stored.counted[1:], stored.counted[2:], strict=False):
        left, right = places[before], places[after]
        if places[element] is not None or left is None or right is None or order[right] != order[left] + 2:
            continue
        other = paste.counted[order[left] + 1]
        kind = stored.elements[element].token.kind
        if kind in LITERALS and paste.elements[other].token.kind == kind:
            places[element] = other


def _elements_of_tokens(script: Script) -> list[int | None]:
    """For each token that counts the element it is; None for layout."""
    counted = iter(script.counted)
    return [None if token.kind in STRUCTURE else next(counted) for token in script.tokens if token.kind not in PROSE]


def begins_statement(element: Element, language: str) -> bool:
    """True for the first token of a statement, as far as the layout tells."""
    return element.heads if language == "python" else element.begins


def hunks(buggy: Script, fixed: Script, matching: Matching) -> Iterator[Hunk]:
    """The edits between kept elements, in order; changes of prose alone are none."""
    kept = [(index, origin) for index, origin in enumerate(matching) if origin is not None and not fixed.elements[index].is_prose]
    before: tuple[int, int | None] = (-1, None)
    for index, origin in [*kept, (len(fixed.elements), None)]:
        new = range(before[0] + 1, index)
        gone = range(0 if before[1] is None else before[1] + 1, len(buggy.elements) if origin is None else origin)
        if not all(fixed.elements[at].is_prose for at in new) or not all(buggy.elements[at].is_prose for at in gone):
            yield Hunk(new, gone, before[1], origin)
        before = (index, origin)
