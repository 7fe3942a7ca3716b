"""A text as the transfer sees it: everything that has width, comments and docstrings included, with the blanks before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from utils.layout_tokens import STRUCTURE
from utils.lexical import MAY_KEEP_BLANKS, Token, layout_of
from utils.names import Role, numbered, roles_of
from utils.tokens import counting, scan

PROSE = frozenset({"comment", "docstring"})
BLANK = " "
"""Stands for any blanks between two tokens, where a language tells some from none."""
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
    joint: str | None
    """The layout before it that a program sees: line ends that count, blocks, or one blank where a blank counts. None: any line end."""
    word: str
    """What it says, wherever it stands: its token's key without that blank."""

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
        return _MARKS.get(self.role, "") + self.word


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
        """One step of indentation: the commonest growth from a line to the next, else the least drop; "" when nothing tells."""
        lines = self._begun_indents
        growths = Counter(line[len(before) :] for before, line in pairwise(lines) if line.startswith(before) and line != before)
        drops = {before[len(line) :] for before, line in pairwise(lines) if before.startswith(line) and line != before}
        if growths:
            return growths.most_common(1)[0][0]
        return "\t" if lines and lines[0].startswith("\t") else min(drops, key=len, default="")

    @cached_property
    def _begun_indents(self) -> list[str]:
        """The indentation of each line, in Python of each logical one."""
        is_python = self.language == "python"
        return [
            element.indent
            for index, element in enumerate(self.elements)
            if element.heads or (not is_python and element.begins and not element.is_prose) or index == 0
        ]


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
    joints = iter(joints_of(tokens, language))
    blocks, brackets, end, heads, is_below_docstring = 0, 0, 0, True, False
    for token in tokens:
        role: Role = "" if token.kind in PROSE or says_nothing else next(role_of)
        if token.kind in STRUCTURE:
            blocks += (token.kind == "indent") - (token.kind == "dedent")
            heads = heads or token.kind == "newline"
            continue
        gap = text[end : token.start]
        brackets -= token.kind == "op" and token.text in {")", "]", "}"}
        # The stream has no line end behind a docstring; what stands below it begins a statement all the same.
        is_head = (heads or (is_below_docstring and "\n" in gap)) and token.kind not in {"comment", "directive"}
        depth = blocks if language == "python" else max(0, brackets)
        joint = ("", token.key) if token.kind in PROSE else next(joints)
        yield Element(token, gap, depth, is_head, role, *joint)
        brackets += token.kind == "op" and token.text in {"(", "[", "{", "${"}
        is_below_docstring = token.kind == "docstring" or (is_below_docstring and token.kind == "comment")
        heads, end = heads and not is_head, token.end


def joints_of(tokens: Iterable[Token], language: str) -> Iterator[tuple[str, str]]:
    """For each token that counts and has width, the layout before it and what it says. See `Element`."""
    has_blanks = layout_of(language) in MAY_KEEP_BLANKS
    joint = ""
    for token in tokens:
        if token.kind in STRUCTURE:
            joint += token.key
        elif token.kind not in PROSE:
            word = token.key.removeprefix(BLANK) if has_blanks and token.kind != "line" else token.key
            yield joint + BLANK * (word != token.key), word
            joint = ""
