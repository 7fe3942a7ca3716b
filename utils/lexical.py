"""What the lexer must know of a language: its keywords, its operators, and how much of its layout a program sees."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

Layout = Literal["free", "python", "script", "go", "lines", "verbatim"]
"""How line ends and indentation count.

free: not at all. python: logical lines and blocks. script: after `return` and its like (JavaScript). go: where a semicolon is put
in. lines: every line end, and whether there is a blank between two tokens. verbatim: lines, and the indentation as it stands.
"""



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
    **dict.fromkeys(("java", "c", "cpp", "rust", "csharp"), "free"),
    "python": "python",
    "javascript": "script",
    "typescript": "script",
    "go": "go",
    **dict.fromkeys(("ruby", "bash", "sh", "shell", "zsh", "kotlin", "swift", "scala", "lua", "php", "sql", "perl", "r", "dart", "css", "scss"), "lines"),
}

_C_LIKE = "break case continue default do else for goto if return switch while sizeof struct union enum typedef static const volatile extern register inline"
KEYWORDS: dict[str, frozenset[str]] = {
    "python": frozenset(
        "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal"
        " not or pass raise return try while with yield".split()
    ),
    "javascript": frozenset(
        "async await break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof let new"
        " of return static super switch this throw try typeof var void while with yield null undefined true false NaN Infinity arguments".split()
    ),
    "java": frozenset(
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for goto if implements"
        " import instanceof int interface long native new package private protected public return short static strictfp super switch synchronized this throw"
        " throws transient try void volatile while true false null var".split()
    ),
    "go": frozenset(
        "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var"
        " nil true false iota".split()
    ),
    "c": frozenset((_C_LIKE + " auto char double float int long short signed unsigned void restrict bool NULL true false _Bool").split()),
    "cpp": frozenset(
        (
            _C_LIKE + " auto char double float int long short signed unsigned void bool class public private protected virtual override final template typename"
            " namespace using new delete this throw try catch operator friend explicit mutable constexpr consteval noexcept static_cast dynamic_cast const_cast"
            " reinterpret_cast decltype nullptr NULL true false co_await co_return co_yield static_assert and or not wchar_t char16_t char32_t"
        ).split()
    ),
    "rust": frozenset(
        "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct"
        " super trait true type unsafe use where while".split()
    ),
    "csharp": frozenset(
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern false"
        " finally fixed float for foreach goto if implicit in int interface internal is lock long namespace new null object operator out override params private"
        " protected public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked"
        " unsafe ushort using virtual void volatile while var async await yield nameof when dynamic".split()
    ),
}
KEYWORDS["typescript"] = KEYWORDS["javascript"] | frozenset(
    "any as abstract boolean declare enum implements interface is keyof namespace never number private protected public readonly string symbol type unknown".split()
)

BLANK = " \t\n\r\f\v"
"""What separates tokens. No-break and other wide blanks don't: a program that holds one is another program."""

_MARKS = "\u0300-\u036f\u0483-\u0487\u0590-\u1cff\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f"
_NUMBER = r"0[xX][\da-fA-F_']+\w*|\.?\d[\d_]*(?:'\d+)*(?:\.(?![.\w])|\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?\w*"
_OPERATORS = (
    "=== !== **= //= <<= ... ..= <=> ??= &&= ||= -> => == != <= >= := += -= *= /= %= &= |= ^= ++ -- && || << :: ?. ?? .. ${ #{",
    {"python": "** //", "javascript": "**", "typescript": "**", "go": "<- &^", "ruby": "**", "php": "**"},
)


def layout_of(language: str) -> Layout:
    """How much of the layout counts; the careful answer for a language that is not in the table."""
    return _LAYOUTS.get(language, "verbatim")


@lru_cache(maxsize=64)
def token_pattern(language: str) -> re.Pattern[str]:
    """Splits what is neither string nor comment; `lastgroup` is `joined`, `name`, `number` or `op`.

    `>` always stands alone: `>>` closes two generics as well as it shifts, and no language tells `> >` from `>>` otherwise.
    """
    common, own = _OPERATORS
    operators = sorted([*common.split(), *own.get(language, "").split()], key=len, reverse=True)
    dollar = r"$" if language in {"javascript", "typescript", "java", "php"} else ""
    name = rf"'?[^\W\d][\w{_MARKS}{dollar}]*" if not dollar else rf"(?:[^\W\d]|\$(?!\{{))[\w{_MARKS}{dollar}]*"
    parts = rf"(?P<joined>\\\r?\n)|(?P<number>{_NUMBER})|(?P<name>{name})|(?P<op>{'|'.join(map(re.escape, operators))}|[^{BLANK}])"
    return re.compile(parts)
