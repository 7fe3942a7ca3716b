"""The words of a fix in the words of a paste: names, and the quotes of strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.captures import Captures
from memory.edits import Matching
from memory.quotes import Quoting
from memory.script import Element, Script
from utils.names import declared_in


class NameClashError(Exception):
    """The fix needs a name of elsewhere that means something else in the paste."""


class Renaming:
    """Maps names of the buggy text to those of the paste, as an alignment of the two pairs them.

    A name that the fix brings along keeps its own, or gets a number behind it where the paste has that name already.
    """

    def __init__(self, buggy: Script, fixed: Script, paste: Script, alignment: Matching) -> None:
        self._of = dict(_paired_names(buggy, paste, alignment))
        self._known = {element.token.text for element in buggy.elements if element.token.kind == "name" and element.role != "member"}
        self._taken = {
            element.token.text for element in paste.elements if element.token.kind in {"name", "keyword"} and element.role != "member"
        }
        self._new = declared_in(fixed.text, fixed.language) - self._known
        self._foreign = set(self._of.values())
        self._quoting = Quoting(buggy, paste)
        self._captures = Captures(fixed)

    def text_of(self, element: Element) -> str:
        """A token that the fix brings along. Raises NameClashError.

        Members and keywords of calls to others have one name everywhere; `{a}` for a variable that has another name here is `{a:b}`.
        """
        said = element.token.text
        if element.role == "shorthand":
            own = self.of(said)
            return said if own == said else f"{said}:{own}"
        if element.token.kind == "string":
            return self._quoting.of(self._captures.of(said, self.of))
        return self.of(said) if element.role in {"local", "kept"} and element.token.kind == "name" else said

    def of(self, name: str) -> str:
        """The paste's word for a name of the fix. Raises NameClashError."""
        if name in self._of:
            return self._of[name]
        if name in self._known:
            return name
        if name in self._new:
            self._of[name] = self._fresh(name)
            self._taken.add(self._of[name])
            return self._of[name]
        if name in self._foreign:
            raise NameClashError(name)
        return name

    def _fresh(self, name: str) -> str:
        if name not in self._taken:
            return name
        return next(candidate for candidate in _numbered(name) if candidate not in self._taken)


def _numbered(name: str) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{name}_{number}"


def _paired_names(buggy: Script, paste: Script, alignment: Sequence[int | None]) -> Iterator[tuple[str, str]]:
    for element, index in zip(buggy.elements, alignment, strict=True):
        if index is not None and element.role == "local":
            yield element.token.text, paste.elements[index].token.text
