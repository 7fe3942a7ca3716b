"""What the lexer must know of a language: its keywords, its operators, and how much of its layout a program sees."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

Layout = Literal["free", "python", "script", "go", "php", "statements", "ruby", "shell", "lines", "verbatim"]
"""How line ends and indentation count.

free: not at all. python: logical lines and blocks. script: after `return` and its like (JavaScript). go: where a semicolon is put
in. php: free, in a text with templates like lines. statements, ruby, shell: see `utils.line_layouts`. lines: every line end, and
whether there is a blank between two tokens. verbatim: lines, and the indentation as it stands.
"""
MAY_KEEP_BLANKS: frozenset[Layout] = frozenset({"php", "statements", "ruby", "shell", "lines", "verbatim"})
"""Layouts in which the key of a token may begin with the blank before it."""
FREE_OF_LINES: frozenset[Layout] = frozenset({"free", "php"})
"""Layouts in which a new statement needs no line of its own."""


class Token(NamedTuple):
    """One token. `text` is the source's own, at [start, end); `key` is what counts when two streams are compared.

    Kinds: name, keyword, number, string, op; directive (a comment that a tool obeys), preproc (a whole preprocessor line or
    attribute), line (of an unknown language); comment and docstring (prose: left out by `tokenize`); and, without width and text,
    newline, indent, dedent and tabs (a TabError).
    """

    kind: str
    text: str
    start: int
    end: int
    key: str


_LAYOUTS: dict[str, Layout] = {
    **dict.fromkeys(("java", "c", "cpp", "rust", "csharp", "sql"), "free"),
    "python": "python",
    "javascript": "script",
    "typescript": "script",
    "go": "go",
    "php": "php",
    "kotlin": "statements",
    "swift": "statements",
    "ruby": "ruby",
    "bash": "shell",
    **dict.fromkeys(("scala", "lua", "perl", "r", "dart", "css", "scss"), "lines"),
}

BLANK = " \t\n\r\f\v"
"""What separates tokens. No-break and other wide blanks don't: a program that holds one is another program."""

_MARKS = "\u0300-\u036f\u0483-\u0487\u0590-\u1cff\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f"
_NUMBER = r"0[xX][\da-fA-F_']+\w*|\.?\d[\d_]*(?:'\d+)*(?:\.(?![.\w])|\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?\w*"
_LIFETIME = "'?"
_OPERATORS = (
    "=== !== **= //= <<= ... ..= <=> ??= &&= ||= -> => == != <= >= := += -= *= /= %= &= |= ^= ++ -- && || << :: ?. ?? .. #{",
    {"python": "** //", "javascript": "** ${", "typescript": "** ${", "go": "<- &^", "ruby": "**", "php": "**"},
)


def layout_of(language: str) -> Layout:
    """How much of the layout counts; the careful answer for a language that is not in the table."""
    return _LAYOUTS.get(language, "verbatim")


def number_pattern() -> str:
    """Numbers of all languages, suffixes included."""
    return _NUMBER


@lru_cache(maxsize=64)
def name_pattern(language: str) -> str:
    """Names; Rust's lifetimes are names too."""
    if language in {"javascript", "typescript", "java", "php"}:
        return rf"(?:[^\W\d]|\$(?!\{{))[\w{_MARKS}$]*+"
    return rf"{_LIFETIME if language == 'rust' else ''}[^\W\d][\w{_MARKS}]*+"


@lru_cache(maxsize=64)
def operator_pattern(language: str) -> str:
    """Operators, longest first, or any other single character.

    `>` always stands alone: `>>` closes two generics as well as it shifts, and no language tells `> >` from `>>` otherwise.
    """
    common, own = _OPERATORS
    operators = sorted([*common.split(), *own.get(language, "").split()], key=len, reverse=True)
    return f"{'|'.join(map(re.escape, operators))}|[^{BLANK}]"


@lru_cache(maxsize=64)
def token_pattern(language: str) -> re.Pattern[str]:
    """Splits what is neither string nor comment; `lastgroup` is `joined`, `name`, `number` or `op`."""
    return re.compile(rf"(?P<joined>\\\r?\n)|(?P<number>{_NUMBER})|(?P<name>{name_pattern(language)})|(?P<op>{operator_pattern(language)})")
