"""Syntax through tree-sitter (ast-grep): parse errors, and the functions and classes of a text with their signatures.

Nothing here recurses in Python, so that 3,000 nested brackets or a chain of 60,000 additions can't end the process.
Offsets of ast-grep are characters. Answers for the last few texts are kept, as the same paste is asked about often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from ast_grep_py import SgNode, SgRoot

from utils.parse_limits import is_readable
from utils.syntax_kinds import AST_GREP, KINDS, Kinds, definition_rule
from utils.syntax_nodes import body_of, name_of, signature_of

PARSED: frozenset[str] = frozenset(AST_GREP)
OUTLINED: frozenset[str] = frozenset(KINDS)
"""Languages whose functions and classes `top_level` and `functions` know; a subset of PARSED."""

BlockKind = Literal["function", "class"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_PHP_TAG = "<?php "
_HASH_COMMENTS = frozenset({"python", "ruby", "bash"})
_HASH_COMMENT = re.compile(r"""(?:^|\s)#[^"'\n]*$""", re.MULTILINE)
_SLASH_COMMENT = re.compile(r"""/\*.*?\*/|(?:^|\s)//[^"'`\n]*$""", re.MULTILINE | re.DOTALL)
_NAMED_MISSING = frozenset({"block", "identifier", "type_identifier", "property_identifier", "field_identifier"})
_WRAPPER_ENDS = frozenset({"", ";", ","})
_WRAPPER_TAIL = 200
_OUTLINE_COST = 150_000_000
"""Definitions times the longest line: asking ast-grep for a place costs a walk along its line, so a minified bundle of
12,000 functions in one line would take half a minute. Past about a second there is no outline."""


@dataclass(frozen=True)
class Block:
    """One function, method or class. Lines are 1-based and inclusive; `start_line` counts decorators and attached comments.

    `signature` holds parameter names in order and kind (`*args`, `**kw`, `/`, `*`) without defaults and types.
    """

    name: str
    kind: BlockKind
    start_line: int
    end_line: int
    signature: str
    body_lines: tuple[int, int]
    """The lines that the body stands on; (0, 0) when there is none."""
    qualname: str = ""
    header: str = ""
    """Everything from `def`, `function`, ... up to the body, without comments, whitespace normalised."""
    header_line: int = 0
    body_span: tuple[int, int] = (0, 0)
    """Where the body stands in the text: `text[slice(*block.body_span)]`."""
    depth: int = 0
    """How many functions or classes enclose it; 0 at the top level."""

    @property
    def scope(self) -> str:
        """The qualified name of what encloses it; empty at the top level."""
        return self.qualname[: -len(self.name)].rstrip(".")


def parse_errors(text: str, language: str) -> int:
    """Characters that the grammar can't place, plus one for each token it misses; 0 means that the text parses.

    0 also for a language that nothing here parses: ask `language in PARSED` first. The whole text when the grammar can't
    read it in good time (`utils.parse_limits`).
    """
    return _count_errors(text, language) if language in PARSED else 0


def top_level(text: str, language: str) -> tuple[Block, ...]:
    """Functions and classes that nothing encloses, in the order of the text; empty for a language not in OUTLINED."""
    return tuple(block for block in blocks(text, language) if block.depth == 0)


def functions(text: str, language: str) -> tuple[Block, ...]:
    """All functions and methods, nested ones too, in the order of the text; empty for a language not in OUTLINED."""
    return tuple(block for block in blocks(text, language) if block.kind == "function")


def blocks(text: str, language: str) -> tuple[Block, ...]:
    """All functions, methods and classes, in the order of the text.

    Empty for a language not in OUTLINED, and for a text that would take seconds: minified, or hard on its grammar.
    """
    return _find_blocks(text, language) if language in KINDS else ()


def enclosing(candidates: Iterable[Block], line: int) -> Block | None:
    """The innermost block that the line lies in; None outside of all."""
    around = [block for block in candidates if block.start_line <= line <= block.end_line]
    return min(around, key=lambda block: (block.end_line - block.start_line, -block.depth), default=None)


def parse(text: str, language: str) -> SgNode | None:
    """The root; None when the grammar can't read the text in good time (`utils.parse_limits`). `language` is one of PARSED.

    Lone surrogates, which ast-grep refuses, become U+FFFD: one character for one, so positions stay.
    """
    valid = _SURROGATE.sub("\ufffd", text)
    return SgRoot(valid, AST_GREP[language]).root() if is_readable(valid, language) else None


@lru_cache(maxsize=32)
def _count_errors(text: str, language: str) -> int:
    root = parse(_tagged(text, language), language)
    if root is None:
        return len(text)
    total = sum(max(1, len(node.text())) for node in root.find_all(kind="ERROR"))
    missing = sum(1 for node in root.find_all(regex="^$") if _is_missing(node))
    return min(total, len(text)) + missing


def _is_missing(node: SgNode) -> bool:
    """True for what the grammar put in itself: an absent bracket or name, or Python's absent body.

    Zero-width nodes that belong to a right program (an empty file, automatic semicolons) have other kinds.
    """
    return node.kind() in _NAMED_MISSING if node.is_named() else bool(node.kind().strip())


def _tagged(text: str, language: str) -> str:
    """PHP is plain text until `<?php`: a pasted function gets the tag, on its first line so that all lines stay."""
    return _PHP_TAG + text if language == "php" and "<?" not in text else text


@dataclass(frozen=True)
class _Open:
    """A definition or wrapper whose end has not been passed yet."""

    start: int
    end: int
    first_line: int
    last_line: int
    qualname: str
    depth: int
    is_wrapper: bool


_NOWHERE = _Open(0, 0, 0, 0, "", 0, False)


@lru_cache(maxsize=16)
def _find_blocks(text: str, language: str) -> tuple[Block, ...]:
    kinds = KINDS[language]
    tagged = _tagged(text, language)
    lines = tagged.split("\n")
    root = parse(tagged, language)
    if root is None:
        return ()
    nodes = root.find_all(definition_rule(kinds))
    if len(nodes) * max(map(len, lines)) > _OUTLINE_COST:
        return ()
    found: list[Block] = []
    stack: list[_Open] = []
    for node in nodes:
        place = _place(node, node.kind() in kinds.wrappers)
        while stack and stack[-1].end <= place.start:
            stack.pop()
        outer = stack[-1] if stack else _NOWHERE
        if place.is_wrapper:
            stack.append(replace(place, qualname=outer.qualname, depth=outer.depth))
        elif (block := _block(node, kinds, place, outer, tagged, language)) is not None:
            found.append(_widened(block, stack, place, tagged, lines, language))
            stack.append(replace(place, qualname=block.qualname, depth=block.depth + 1))
    return tuple(found)


def _place(node: SgNode, is_wrapper: bool) -> _Open:
    """The span; a node that ends with a line break ends on the line before."""
    span = node.range()
    last = span.end.line + (1 if span.end.column or span.end.index == span.start.index else 0)
    return _Open(span.start.index, span.end.index, span.start.line + 1, last, "", 0, is_wrapper)


def _block(node: SgNode, kinds: Kinds, place: _Open, outer: _Open, text: str, language: str) -> Block | None:
    """The definition at its own lines; None for a nameless one (an inline struct) or a mere forward declaration."""
    name = name_of(node)
    kind: BlockKind = "class" if node.kind() in kinds.classes else "function"
    body_node = body_of(node, language)
    if not name or (kind == "class" and body_node is None and language in {"c", "cpp"}):
        return None
    body = _Open(place.end, place.end, 0, 0, "", 0, False) if body_node is None else _place(body_node, False)
    added = len(text) - len(text.removeprefix(_PHP_TAG)) if language == "php" else 0
    return Block(
        name=name,
        kind=kind,
        start_line=place.first_line,
        end_line=place.last_line,
        signature=signature_of(node, language) if kind == "function" else "",
        body_lines=(body.first_line, body.last_line),
        qualname=f"{outer.qualname}.{name}" if outer.qualname else name,
        header=_header(text[place.start : body.start], language),
        header_line=place.first_line,
        body_span=(body.start - added, body.end - added),
        depth=outer.depth,
    )


def _header(text: str, language: str) -> str:
    """Without comments (Python's first comment stands before the body) and with single blanks."""
    comment = _HASH_COMMENT if language in _HASH_COMMENTS else _SLASH_COMMENT
    return " ".join(comment.sub("", text).split())


def _widened(block: Block, stack: list[_Open], place: _Open, text: str, lines: list[str], language: str) -> Block:
    """The block with its decorators, `export`, `const` and attached comments."""
    first, last, end = place.first_line, place.last_line, place.end
    for outer in reversed(stack):
        if not outer.is_wrapper or text[end : min(outer.end, end + _WRAPPER_TAIL)].strip() not in _WRAPPER_ENDS:
            break
        first, last, end = outer.first_line, max(last, outer.last_line), outer.end
    return replace(block, start_line=_with_comments(lines, first, language), end_line=last)


def _with_comments(lines: list[str], first: int, language: str) -> int:
    """The first of the comment and attribute lines that stand directly above line `first` (1-based)."""
    mark = ("#",) if language in _HASH_COMMENTS else ("--",) if language == "lua" else ("//", "#[", "@", "[[")
    while first > 1:
        above = lines[first - 2].strip()
        if above.endswith("*/") and language not in _HASH_COMMENTS:
            opening = _comment_start(lines, first - 1)
            if opening is None:
                break
            first = opening
        elif above.startswith(mark) and not above.startswith("#!"):
            first -= 1
        else:
            break
    return first


def _comment_start(lines: list[str], last: int) -> int | None:
    """The line where the block comment that ends line `last` opens; None when code stands before it."""
    for number in range(last, 0, -1):
        if "/*" in lines[number - 1]:
            return number if lines[number - 1].lstrip().startswith("/*") else None
    return None
