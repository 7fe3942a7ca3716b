"""Two scripts that are like each other, element by element; and the edits between a stored text and its fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.compare import aligned_places, in_names_of
from memory.edits import Matching
from memory.script import BLANK, PROSE, Element, Script
from memory.signature import read_signature
from memory.sliding import slide
from utils.layout_tokens import STRUCTURE
from utils.lexical import MAY_KEEP_BLANKS, layout_of

LITERALS = frozenset({"string", "number"})


@dataclass(frozen=True)
class Hunk:
    """One edit: elements of the fixed text that are new, of the buggy text that go, and the kept ones on both sides (None: an end)."""

    new: range
    gone: range
    before: int | None
    after: int | None


def align(stored: Script, paste: Script) -> Matching:
    """For each element of the stored text the paste's element that says the same, rising; None for prose and where there is none.

    A literal that stands where the stored text has another one is its counterpart: whoever needs the same value compares.
    """
    theirs, own = read_signature(stored.text, stored.language), read_signature(paste.text, paste.language)
    said, stored_said = (_without_blanks(words, stored.language) for words in (in_names_of(own, theirs), theirs.raw))
    stored_counted, paste_counted = _counted_of_tokens(stored), _counted_of_tokens(paste)
    pairs = [
        (first, second)
        for mine, other in aligned_places(said, stored_said)
        if (first := stored_counted[other]) is not None and (second := paste_counted[mine]) is not None
    ]
    words = (_counted_words(stored_said, stored_counted), _counted_words(said, paste_counted))
    places: list[int | None] = [None] * len(stored.elements)
    for first, second in slide(pairs, words, (_starts(stored), _starts(paste))):
        places[stored.counted[first]] = paste.counted[second]
    _pair_literals(stored, paste, places)
    return tuple(places)


def _without_blanks(words: Sequence[str], language: str) -> list[str]:
    """The words of a token stream without the mark of a blank before them: another blank is another layout, not another word."""
    has_blanks = layout_of(language) in MAY_KEEP_BLANKS
    return [word.removeprefix(BLANK) or word for word in words] if has_blanks else list(words)


def _counted_words(words: Sequence[str], counted: Sequence[int | None]) -> list[str]:
    return [word for word, number in zip(words, counted, strict=True) if number is not None]


def _starts(script: Script) -> list[bool]:
    """For each element that is no prose whether a statement may begin there."""
    return [begins_statement(script.elements[index], script.language) or index == script.counted[0] for index in script.counted]


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


def _counted_of_tokens(script: Script) -> list[int | None]:
    """For each token of the stream the number of the element that it is, among those that count; None for layout."""
    numbers = iter(range(len(script.counted)))
    return [None if token.kind in STRUCTURE else next(numbers) for token in script.tokens if token.kind not in PROSE]


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
