"""What a commit did to a file, function by function: each with its exact text before and after, and the kind of change.

Functions are paired by their qualified names, so a pair is never made of two that only look alike; one that was renamed, moved or is new
has no pair. The unit is a function, or a method of a class; what is nested in it belongs to it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from textwrap import dedent
from typing import Literal

from utils.syntax import Block, blocks
from utils.tokens import tokenize

FunctionChange = Literal["changed", "layout", "renames"]
"""`layout`: what a program does is the same (layout, comments, docstrings, types). `renames`: names were exchanged, one for one."""

MAX_FUNCTION_LINES = 400
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class FunctionPair:
    """A function before and after: the very lines of the file, with their line ends. `start_line` is 1-based, in the old file."""

    name: str
    language: str
    before: str
    after: str
    start_line: int
    kind: FunctionChange
    has_new_signature: bool
    exchanged: tuple[tuple[str, str], ...] = ()
    """With `renames`: each place where a name became another, in order."""

    @cached_property
    def added(self) -> tuple[str, ...]:
        """Lines that only the new text has, without the blanks around them."""
        return _surplus(self.after, self.before)

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """Lines that only the old text has."""
        return _surplus(self.before, self.after)


@dataclass(frozen=True)
class FileSplit:
    """The pairs that differ, the texts of functions that only one side has, and how many lines outside of all functions differ."""

    path: str
    language: str
    pairs: tuple[FunctionPair, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    outside_lines: int = 0
    outside_added: tuple[str, ...] = ()
    torn: int = 0
    """Changed functions whose end a broken syntax has hidden: they are no pairs."""


def split_change(before: str, after: str, language: str, path: str) -> FileSplit:
    """Compare two versions of a file."""
    old, new = _Outline(before, language), _Outline(after, language)
    pairs, gone, added, torn = [], [], [], 0
    for name in {**old.named, **new.named}:
        mine, other = old.named.get(name, ()), new.named.get(name, ())
        if len(mine) != len(other):  # overloads: which one became which can't be told
            unchanged = Counter(map(old.text, mine)) & Counter(map(new.text, other))
            gone += [text for text in map(old.text, mine) if not unchanged[text]]
            added += [text for text in map(new.text, other) if not unchanged[text]]
            continue
        changed = [(a, b) for a, b in zip(mine, other, strict=True) if old.text(a) != new.text(b)]
        whole = [(a, b) for a, b in changed if old.is_whole(a) and new.is_whole(b)]
        torn += len(changed) - len(whole)
        pairs += [_pair(old, new, a, b, language) for a, b in whole]
    outside_added, outside_removed = _surplus(new.outside, old.outside), _surplus(old.outside, new.outside)
    lines = len(outside_added) + len(outside_removed)
    return FileSplit(path, language, tuple(pairs), tuple(added), tuple(gone), lines, outside_added, torn)


class _Outline:
    """A file's lines, and its functions by qualified name; several may share one."""

    def __init__(self, text: str, language: str) -> None:
        self._lines = _kept_lines(text)
        self._language = language
        found = blocks(_LINE_END.sub("\n", text), language)
        self.named: dict[str, list[Block]] = {}
        covered: set[int] = set()
        end = 0
        for block in found:
            if block.kind != "function" or block.end_line <= end:
                continue
            start = max(block.start_line, end + 1)
            self.named.setdefault(block.qualname, []).append(block)
            covered.update(range(start, block.end_line + 1))
            end = block.end_line
        self.outside = "".join(line for number, line in enumerate(self._lines, start=1) if number not in covered)

    def text(self, block: Block) -> str:
        """The block's lines as they stand in the file."""
        return "".join(self._lines[block.start_line - 1 : block.end_line])

    def is_whole(self, block: Block) -> bool:
        """Python: what comes next stands no deeper than the function's header, else the parser has lost its end in a broken text."""
        if self._language != "python":
            return True
        following = (line for line in self._lines[block.end_line :] if line.strip() and not line.lstrip().startswith("#"))
        return _depth(next(following, "")) <= _depth(self._lines[block.header_line - 1])


def _depth(line: str) -> int:
    """Columns of blanks before it, a tab as Python counts it."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip(" "))


def _kept_lines(text: str) -> list[str]:
    """Lines with their ends, cut where every editor cuts; `splitlines` also cuts at form feeds."""
    lines, start = [], 0
    for found in _LINE_END.finditer(text):
        lines.append(text[start : found.end()])
        start = found.end()
    return [*lines, text[start:]] if start < len(text) else lines


def _pair(old: _Outline, new: _Outline, before: Block, after: Block, language: str) -> FunctionPair:
    a, b = old.text(before), new.text(after)
    kind, exchanged = _kind(a, b, language)
    return FunctionPair(before.qualname, language, a, b, before.start_line, kind, before.signature != after.signature, exchanged)


def _kind(before: str, after: str, language: str) -> tuple[FunctionChange, tuple[tuple[str, str], ...]]:
    """By what a program sees: the tokens, and in Python the syntax tree, which has no quotes and no idle brackets."""
    a, b = ([(token.kind, token.key) for token in tokenize(text, language)] for text in (before, after))
    if [key for _, key in a] == [key for _, key in b] or (language == "python" and _has_same_tree(before, after)):
        return "layout", ()
    if not _is_renaming(a, b):
        return "changed", ()
    return "renames", tuple((old, new) for (_, old), (_, new) in zip(a, b, strict=True) if old != new)


def _has_same_tree(before: str, after: str) -> bool:
    try:
        return ast.dump(_bare_tree(before)) == ast.dump(_bare_tree(after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _bare_tree(text: str) -> ast.Module:
    """Without the types of parameters and results, and without docstrings. Raises what `ast.parse` raises."""
    tree = ast.parse(dedent(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return tree


def _is_renaming(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> bool:
    """Names were exchanged one for one, the old ones are gone and the new ones were not there: else it is another variable that is used."""
    if len(before) != len(after):
        return False
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    for (kind, a), (other_kind, b) in zip(before, after, strict=True):
        if kind != other_kind or (a != b and kind != "name"):
            return False
        if kind == "name" and (forth.setdefault(a, b) != b or back.setdefault(b, a) != a):
            return False
    return True


def _surplus(text: str, other: str) -> tuple[str, ...]:
    """Lines that stand more often in `text`, blank ones aside."""
    left = Counter(line.strip() for line in other.splitlines())
    return tuple(_beyond(text, left))


def _beyond(text: str, left: Counter[str]) -> Iterator[str]:
    for line in text.splitlines():
        word = line.strip()
        if left[word] > 0:
            left[word] -= 1
        elif word:
            yield word
