"""Carry the edit of a stored fix (buggy -> fixed) over to another text of the same code, in that text's own names and layout.

The fixed token stream is walked. A token that the fix left alone is written as the paste writes it, with the paste's blanks and
comments around it; a new one in the paste's names and steps of indentation. The result is read again and must be the fixed code up
to names, else nothing is handed out. The core works on an alignment of the buggy text with the paste: one token to one token here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.edits import Matching, match_fixed
from memory.indentation import indent
from memory.naming import NameClashError, Renaming
from memory.script import PROSE, Script, joints_of, read_script
from memory.weave import Carried, Piece, weave
from utils.layout_tokens import STRUCTURE
from utils.tokens import exact_stream, scan

NOT_THE_SAME = "the code is not the same up to names"
NOT_CARRIED = "the fix could not be laid out in this code"


@dataclass(frozen=True)
class Transferred:
    """The paste with the fix in it, or None with the reason in one sentence."""

    code: str | None
    why_not: str = ""


def transfer(buggy: str, fixed: str, paste: str, language: str) -> Transferred:
    """Carry `buggy -> fixed` over to `paste`, which must be the same code as `buggy` up to layout and the names of locals.

    The same bytes give `fixed` as it is. Texts have LF line ends. Never raises.
    """
    if paste == buggy:
        return Transferred(fixed)
    old, own = read_script(buggy, language), read_script(paste, language)
    if old.renamed != own.renamed and old.exact != own.exact:
        return Transferred(None, NOT_THE_SAME)
    new = read_script(fixed, language)
    if not old.counted or not new.counted:
        return Transferred(None, NOT_CARRIED)
    return carry_over(old, new, own, align_one_to_one(old, own))


def align_one_to_one(buggy: Script, paste: Script) -> Matching:
    """Pair two texts whose streams are equal up to names; prose is paired where it stands between the same tokens and says the same."""
    if len(buggy.counted) != len(paste.counted):
        return (None,) * len(buggy.elements)
    places: list[int | None] = [None] * len(buggy.elements)
    ends = zip((*buggy.counted, len(buggy.elements)), (*paste.counted, len(paste.elements)), strict=True)
    before = (-1, -1)
    for old, own in ends:
        _pair_prose(buggy, paste, range(before[0] + 1, old), range(before[1] + 1, own), places)
        if old < len(buggy.elements):
            places[old] = own
        before = (old, own)
    return tuple(places)


def _pair_prose(buggy: Script, paste: Script, old: range, own: range, places: list[int | None]) -> None:
    """Comments pair when they say the same, docstrings always: the paste's own stays."""
    start = own.start
    for index in old:
        element = buggy.elements[index]
        for candidate in range(start, own.stop):
            other = paste.elements[candidate]
            if element.token.kind == other.token.kind and (element.token.kind == "docstring" or element.key == other.key):
                places[index], start = candidate, candidate + 1
                break


def carry_over(buggy: Script, fixed: Script, paste: Script, alignment: Matching) -> Transferred:
    """Carry the edit over along an alignment of `buggy` with `paste` (for each element of `buggy` its place in `paste`)."""
    try:
        renaming = Renaming(buggy, fixed, paste, alignment)
        return carry(Carried(buggy, fixed, paste, alignment, match_fixed(buggy, fixed)), renaming)
    except NameClashError as clash:
        return Transferred(None, f"the fix needs `{clash}`, which is another thing in this code")


def carry(carried: Carried, renaming: Renaming) -> Transferred:
    """Write the fixed text in the paste's words and layout, and read it again: it must say what was meant. Raises NameClashError."""
    for own_layout in (True, False):
        pieces = weave(carried, own_layout)
        if pieces is None:
            break
        code = _written(carried, indent(carried, pieces), renaming)
        if _says_what_was_meant(code, carried, renaming):
            return Transferred(code)
    return Transferred(None, NOT_CARRIED)


def _says_what_was_meant(code: str, carried: Carried, renaming: Renaming) -> bool:
    """True when the text has the fixed token stream in the paste's words, and the layout that a program sees."""
    language = carried.paste.language
    if language == "python":
        return exact_stream(code, language) == tuple(_expected_stream(carried, renaming))
    read, wanted = list(_read_again(code, language)), list(_expected_words(carried, renaming))
    return len(read) == len(wanted) and all(
        said == word and (there == joint or (joint is None and ends_line))
        for (there, said, ends_line), (joint, word) in zip(read, wanted, strict=True)
    )


def _read_again(code: str, language: str) -> Iterator[tuple[str, str, bool]]:
    """For each token that counts the layout before it, what it says, and whether a line ends before it."""
    tokens = scan(code, language)
    joints, end, ends_line = joints_of(tokens, language), 0, False
    for token in tokens:
        if token.kind in STRUCTURE:
            continue
        ends_line, end = ends_line or "\n" in code[end : token.start], token.end
        if token.kind not in PROSE:
            yield *next(joints), ends_line
            ends_line = False


def _expected_stream(carried: Carried, renaming: Renaming) -> Iterator[str]:
    """In Python, where line ends and blocks are tokens of their own."""
    index = 0
    for token in carried.fixed.tokens:
        if token.kind in STRUCTURE:
            yield token.key
            continue
        if token.kind not in PROSE:
            yield from _words(carried, renaming, index)
        index += 1


def _expected_words(carried: Carried, renaming: Renaming) -> Iterator[tuple[str | None, str]]:
    """In all other languages: for each token the layout before it, and what it says."""
    for index, element in enumerate(carried.fixed.elements):
        if not element.is_prose:
            joint = element.joint
            for word in _words(carried, renaming, index):
                yield joint, word
                joint = ""


def _words(carried: Carried, renaming: Renaming, index: int) -> tuple[str, ...]:
    element, origin = carried.fixed.elements[index], carried.matching[index]
    place = carried.alignment[origin] if origin is not None else None
    if place is not None:
        return (carried.paste.elements[place].word,)
    said = renaming.text_of(element)
    if said == element.token.text:
        return (element.word,)
    return tuple(said.partition(":")) if element.role == "shorthand" else (said,)


def _written(carried: Carried, pieces: Sequence[Piece], renaming: Renaming) -> str:
    parts = []
    for piece in pieces:
        element = carried.element(piece)
        parts += [piece.gap, element.token.text if piece.source == "paste" else renaming.text_of(element)]
    return "".join(parts) + _tail(carried, pieces[-1] if pieces else None)


def _tail(carried: Carried, last: Piece | None) -> str:
    """The end of the text is the paste's, unless the paste ends like the buggy text: then the fix says how."""
    if carried.paste.tail == carried.buggy.tail:
        return carried.fixed.tail
    if last is not None and last.source == "fixed" and "\n" not in carried.paste.tail:
        return ""
    return carried.paste.tail
