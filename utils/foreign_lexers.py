"""Lexing of all other languages with Pygments, which says what is a string and what a comment; code is split by our own pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, String
from pygments.util import ClassNotFound

from utils.lexers import Piece
from utils.lexical import BLANK, token_pattern

Group = Literal["code", "string", "comment", "preproc"]

_HERE_DOCUMENT = re.compile(r"<<-?\s*\w")
"""One that is not quoted, so that its variables count. In other languages no string begins so."""
_VARIABLE = re.compile(r"\\.|\$\{?(?P<name>[A-Za-z_]\w*)", re.DOTALL)
_LINE_LEXERS = frozenset({"", "text", "plain", "plaintext", "unknown", "output"})


def lex_with_pygments(text: str, language: str) -> Iterator[Piece] | None:
    """All pieces of a text, in order; None for a language that Pygments doesn't know either."""
    lexer = _lexer(language, is_piece=language == "php" and "<?" not in text)
    return None if lexer is None else _split(text, language, lexer)


@lru_cache(maxsize=32)
def _lexer(language: str, *, is_piece: bool) -> Lexer | None:
    """`is_piece`: PHP without an opening tag, as it is pasted; for a whole file that would be text that is printed as it stands."""
    if language in _LINE_LEXERS:
        return None
    try:
        return get_lexer_by_name(language, **({"startinline": True} if is_piece else {}))
    except ClassNotFound:
        return None


def _split(text: str, language: str, lexer: Lexer) -> Iterator[Piece]:
    for group, start, end in _groups(text, lexer):
        if group != "code":
            stripped = len(text[start:end]) - len(text[start:end].lstrip(BLANK)) if group != "string" else 0
            if group == "string" and _HERE_DOCUMENT.match(text, start, end):
                yield from _with_variables(text, start, end)
            elif text[start + stripped : end].strip(BLANK):
                yield Piece(group, start + stripped, end)
            continue
        for match in token_pattern(language).finditer(text, start, end):
            if match.lastgroup != "joined":
                yield Piece(match.lastgroup or "op", match.start(), match.end())


def _with_variables(text: str, start: int, end: int) -> Iterator[Piece]:
    """A here document of the shell, cut at its variables: `$`, and a brace, are operators as they are in a string in quotes."""
    at = start
    for match in _VARIABLE.finditer(text, start, end):
        if match["name"]:
            yield Piece("string", at, match.start())
            yield from (Piece("op", place, place + 1) for place in range(match.start(), match.start("name")))
            yield Piece("name", match.start("name"), match.end())
            at = match.end()
    if at < end:
        yield Piece("string", at, end)


def _groups(text: str, lexer: Lexer) -> Iterator[tuple[Group, int, int]]:
    """Neighbouring lexer tokens of one class as one; (class, start, end)."""
    current: tuple[Group, int, int] | None = None
    for start, ttype, value in lexer.get_tokens_unprocessed(text + "\n"):
        end, group = min(start + len(value), len(text)), _group(ttype, value)
        if current is not None and _continues(current, group, start, text):
            current = (current[0], current[1], end)
            continue
        if current is not None:
            yield current
        current = (group, start, end)
    if current is not None:
        yield current


def _continues(current: tuple[Group, int, int], group: Group, start: int, text: str) -> bool:
    """True when the next lexer token belongs to the piece before it; a comment that ended with its line has ended."""
    kind, _, end = current
    return end == start and kind == group and (kind not in {"comment", "preproc"} or text[end - 1 : end] != "\n")


def _group(ttype: Any, value: str) -> Group:
    """The class of one lexer token. Braces of an interpolation are code, as is what stands between them, and PHP's `"$name"`."""
    if ttype is String.Interpol and (value in {"{", "}", "#{"} or (value[:1] == "$" and value != "$")):
        return "code"
    return _group_of_type(ttype)


@lru_cache(maxsize=256)
def _group_of_type(ttype: Any) -> Group:
    if ttype in Comment.Preproc or ttype in Comment.PreprocFile:
        return "preproc"
    if ttype in Comment:
        return "comment"
    return "string" if ttype in String else "code"
