"""A text as the transfer sees it: everything that has width, comments and docstrings included, with the blanks before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from utils.layout_tokens import STRUCTURE
from utils.lexical import Token
from utils.names import Role, numbered, roles_of
from utils.tokens import counting, scan

PROSE = frozenset({"comment", "docstring"})
_MARKS = {"member": ".", "shorthand": "{"}


@dataclass(frozen=True, slots=True)
class Element:
    """One token with its surroundings. `gap` is what stands before it: blanks, line ends, joined lines."""

    token: Token
    gap: str
    depth: int
    """Python: open blocks. Else: open brackets, a closing one no longer counted."""
    heads: bool
    """Python: first of a logical line, so that its indentation means something."""
    role: Role

    @property
    def is_prose(self) -> bool:
        """True for comments and docstrings."""
        return self.token.kind in PROSE

    @property
    def begins(self) -> bool:
        """True when a line ends before it."""
        return "\n" in self.gap

    @property
    def indent(self) -> str:
        """The blanks between its line's start and itself, when it begins one."""
        return self.gap.rpartition("\n")[2]

    @property
    def key(self) -> str:
        """What is compared between a text and its fix."""
        if self.is_prose:
            return "\n" + self.token.key
        return _MARKS.get(self.role, "") + self.token.key


@dataclass(frozen=True)
class Script:
    """A text in one language as elements; `tail` is what follows the last one."""

    text: str
    language: str
    elements: tuple[Element, ...]
    tail: str
    tokens: tuple[Token, ...]
    """All of `scan`: structure and prose included."""
    exact: tuple[str, ...]
    renamed: tuple[str, ...]
    """The streams that the keys are made of."""

    @cached_property
    def counted(self) -> tuple[int, ...]:
        """Indices of the elements that are no prose."""
        return tuple(index for index, element in enumerate(self.elements) if not element.is_prose)

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Python: indices of the elements that begin a logical line."""
        return tuple(index for index, element in enumerate(self.elements) if element.heads)

    @cached_property
    def line_indents(self) -> tuple[str, ...]:
        """For each element the indentation of its line; in Python of its logical line."""
        indents, current = [], ""
        for index, element in enumerate(self.elements):
            if element.heads or (self.language != "python" and element.begins) or index == 0:
                current = element.indent
            indents.append(current)
        return tuple(indents)

    @cached_property
    def unit(self) -> str:
        """One step of indentation: the commonest growth from a line to the next; "" when nothing is indented."""
        steps: Counter[str] = Counter()
        before = ""
        for index, element in enumerate(self.elements):
            if element.heads or (self.language != "python" and element.begins and not element.is_prose) or index == 0:
                if element.indent.startswith(before) and element.indent != before:
                    steps[element.indent[len(before) :]] += 1
                before = element.indent
        return steps.most_common(1)[0][0] if steps else ""


def read_script(text: str, language: str) -> Script:
    """Read a text, once; never raises."""
    scanned = scan(text, language)
    tokens = counting(scanned, text)
    found = roles_of(tokens, text, language)
    elements = tuple(_elements(scanned, found, text, language))
    tail = text[elements[-1].token.end :] if elements else text
    return Script(text, language, elements, tail, scanned, tuple(token.key for token in tokens), numbered(tokens, found))


def _elements(tokens: Sequence[Token], found: Sequence[Role], text: str, language: str) -> Iterator[Element]:
    role_of = iter(found)
    says_nothing = all(token.kind in PROSE for token in tokens)
    blocks, brackets, end, heads = 0, 0, 0, True
    for token in tokens:
        role: Role = "" if token.kind in PROSE or says_nothing else next(role_of)
        if token.kind in STRUCTURE:
            blocks += (token.kind == "indent") - (token.kind == "dedent")
            heads = heads or token.kind == "newline"
            continue
        brackets -= token.kind == "op" and token.text in {")", "]", "}"}
        is_head = heads and token.kind not in {"comment", "directive"}
        yield Element(token, text[end : token.start], blocks if language == "python" else max(0, brackets), is_head, role)
        brackets += token.kind == "op" and token.text in {"(", "[", "{", "${"}
        heads, end = heads and not is_head, token.end
