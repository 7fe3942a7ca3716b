"""Token streams: what a program sees of a text, with the place of each token in it.

Pygments says what is a string, a comment or a preprocessor line; everything else is split by one pattern a language, so that a
token never depends on how a lexer groups its neighbours. Layout, blank lines, prose comments and docstrings are left out; Python's
blocks stay, as tokens without width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, String
from pygments.util import ClassNotFound

from utils.directives import is_directive
from utils.layout_tokens import lay_out
from utils.lexical import BLANK, KEYWORDS, Token, token_pattern

Piece = Literal["code", "string", "comment", "preproc"]

_CACHED_LENGTH = 50_000
"""Longer texts are scanned anew each time: their tokens take megabytes."""

_PROSE = frozenset({"comment", "docstring"})
_LINE_LEXERS = frozenset({"", "text", "plain", "plaintext", "unknown", "output"})
_QUOTED_OR_BLANK = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?P<blank>(?:\\\n|[ \t\r\f\v\n])+)')


def tokenize(text: str, language: str) -> tuple[Token, ...]:
    """The tokens that count, in order; offsets point into `text`. Never raises, whatever the text is.

    A language that no lexer knows gives one token a line. A text without any token (only comments) is one token, itself.
    """
    if len(text) > _CACHED_LENGTH:
        return _counting(text, language)
    return _cached_counting(text, language)


def scan(text: str, language: str) -> tuple[Token, ...]:
    """All tokens, prose comments (`comment`) and docstrings (`docstring`) included. Never raises."""
    if len(text) > _CACHED_LENGTH:
        return _scan(text, language)
    return _cached_scan(text, language)


def exact_stream(text: str, language: str) -> tuple[str, ...]:
    """What the exact key is made of: equal for two texts that a program sees as one."""
    return tuple(token.key for token in tokenize(text, language))


def _counting(text: str, language: str) -> tuple[Token, ...]:
    counting = tuple(token for token in scan(text, language) if token.kind not in _PROSE)
    return counting or _whole(text)


def _scan(text: str, language: str) -> tuple[Token, ...]:
    lexer = _lexer(language)
    if lexer is None:
        return tuple(_lines(text))
    return lay_out(_solid_tokens(text, language, lexer), text, language)


_cached_counting = lru_cache(maxsize=16)(_counting)
_cached_scan = lru_cache(maxsize=16)(_scan)


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer | None:
    """The Pygments lexer, or None for a language that counts line by line."""
    if language in _LINE_LEXERS:
        return None
    try:
        return get_lexer_by_name(language)  # type: ignore[no-any-return]  # the stub says Any
    except ClassNotFound:
        return None


def _whole(text: str) -> tuple[Token, ...]:
    """A text of comments alone is its own key: two of them are not the same because both say nothing to a machine."""
    said = "\n".join(line.strip() for line in text.split("\n") if line.strip())
    return (Token("line", text, 0, len(text), said),) if said else ()


def _lines(text: str) -> Iterator[Token]:
    """One token a line that isn't blank; blanks at a line's end don't count."""
    at = 0
    for line in text.split("\n"):
        said = line.rstrip(BLANK)
        if said:
            yield Token("line", said, at, at + len(said), said)
        at += len(line) + 1


def _solid_tokens(text: str, language: str, lexer: Lexer) -> list[Token]:
    """Everything that has width, in order: code split into names, numbers and operators; strings and comments whole."""
    tokens: list[Token] = []
    for piece, start, end in _pieces(text, lexer):
        if piece == "code":
            tokens.extend(_code_tokens(text, start, end, language))
        elif piece == "string":
            tokens.append(Token("string", text[start:end], start, end, text[start:end]))
        else:
            tokens.extend(_aside(text, start, end, piece, language))
    return tokens


def _code_tokens(text: str, start: int, end: int, language: str) -> Iterator[Token]:
    keywords = KEYWORDS.get(language, frozenset())
    for match in token_pattern(language).finditer(text, start, end):
        kind, said = match.lastgroup, match.group()
        if kind == "joined":
            continue
        if kind == "name" and said in keywords:
            kind = "keyword"
        yield Token(kind or "op", said, match.start(), match.end(), said)


def _aside(text: str, start: int, end: int, piece: Piece, language: str) -> Iterator[Token]:
    """A comment or a preprocessor line, without the blanks around it."""
    said = text[start:end].rstrip(BLANK)
    start += len(said) - len(said.lstrip(BLANK))
    said = said.lstrip(BLANK)
    if not said:
        return
    if piece == "preproc":
        key = _QUOTED_OR_BLANK.sub(lambda match: " " if match.group("blank") else match.group(), said)
        yield Token("preproc", said, start, start + len(said), key)
    else:
        kind = "directive" if is_directive(said, language) else "comment"
        yield Token(kind, said, start, start + len(said), " ".join(said.split()))


def _pieces(text: str, lexer: Lexer) -> Iterator[tuple[Piece, int, int]]:
    """Neighbouring lexer tokens of one class as one piece; (class, start, end). Covers the text up to blanks."""
    current: tuple[Piece, int, int] | None = None
    for start, ttype, value in lexer.get_tokens_unprocessed(text + "\n"):
        end = min(start + len(value), len(text))
        piece = _piece(ttype, value)
        if current is not None and _continues(current, piece, start, text):
            current = (current[0], current[1], end)
            continue
        if current is not None:
            yield current
        current = (piece, start, end)
    if current is not None:
        yield current


def _continues(current: tuple[Piece, int, int], piece: Piece, start: int, text: str) -> bool:
    """True when the next lexer token belongs to the piece before it."""
    kind, begun, end = current
    if end != start:
        return False
    if kind == "comment" and _is_open_block(text, begun, end):
        return True
    if kind != piece:
        return False
    return kind not in {"comment", "preproc"} or text[end - 1] != "\n" or (kind == "preproc" and text[end - 2 : end] == "\\\n")


def _is_open_block(text: str, start: int, end: int) -> bool:
    return text.startswith("/*", start) and not (end - start > 3 and text.endswith("*/", start, end))


def _piece(ttype: Any, value: str) -> Piece:
    """The class of one lexer token. Braces of an interpolation are code, as is what stands between them."""
    piece = _piece_of_type(ttype)
    if piece != "string":
        return piece
    if ttype is String.Interpol and value in {"{", "}", "${", "#{"}:
        return "code"
    return "comment" if ttype is String.Doc and value.startswith(("//", "/*")) else "string"


@lru_cache(maxsize=256)
def _piece_of_type(ttype: Any) -> Piece:
    if ttype in Comment.Preproc or ttype in Comment.PreprocFile:
        return "preproc"
    if ttype in Comment:
        return "comment"
    return "string" if ttype in String else "code"
