"""Token streams: what a program sees of a text, with the place of each token in it.

Layout, blank lines, prose comments and docstrings are left out; Python's blocks stay, as tokens without width. Nine languages have
lexers of our own, the others those of Pygments, and what no lexer knows is taken line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from utils.directives import is_directive
from utils.keywords import KEYWORDS
from utils.layout_tokens import lay_out
from utils.lexers import GRAMMARS, Piece, lex
from utils.lexical import BLANK, Token

_CACHED_LENGTH = 20_000
"""Longer texts are scanned anew each time: their tokens take megabytes."""

_PROSE = frozenset({"comment", "docstring"})
_QUOTED_OR_BLANK = re.compile(
    r'"(?:\\.|[^"\\\n])*+"|\'(?:\\.|[^\'\\\n])*+\'|(?P<blank>(?:\\\n|[ \t\r\f\v\n]|/\*(?:[^*]|\*(?!/))*+\*/)++)',
)


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
    return counting(scan(text, language), text)


def counting(scanned: Sequence[Token], text: str) -> tuple[Token, ...]:
    """What `tokenize` gives, of what `scan` gave."""
    return tuple(token for token in scanned if token.kind not in _PROSE) or _whole(text)


def _scan(text: str, language: str) -> tuple[Token, ...]:
    pieces = lex(text, language) if language in GRAMMARS else _foreign_pieces(text, language)
    if pieces is None:
        return tuple(_lines(text))
    return lay_out(list(_solid_tokens(text, language, pieces)), text, language)


def _foreign_pieces(text: str, language: str) -> Iterator[Piece] | None:
    from utils.foreign_lexers import lex_with_pygments  # late: our own languages need no Pygments

    return lex_with_pygments(text, language)


_cached_counting = lru_cache(maxsize=8)(_counting)
_cached_scan = lru_cache(maxsize=8)(_scan)


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


def _solid_tokens(text: str, language: str, pieces: Iterator[Piece]) -> Iterator[Token]:
    """Everything that has width, in order. An unclosed string doesn't own the line end it runs into."""
    keywords = KEYWORDS.get(language, frozenset())
    for group, start, end in pieces:
        said = text[start:end]
        if group in {"comment", "preproc"}:
            yield _aside(said.rstrip(BLANK), start, group, language)
        elif group == "string":
            said = said.rstrip("\n")
            yield Token("string", said, start, start + len(said), said)
        else:
            is_keyword = said in keywords
            key = said.upper() if is_keyword and language == "sql" else said
            yield Token("keyword" if is_keyword else group, said, start, end, key)


def _aside(said: str, start: int, group: str, language: str) -> Token:
    """A comment or a preprocessor line. A shebang is one at the text's start only."""
    end = start + len(said)
    if group == "preproc":
        return Token("preproc", said, start, end, _QUOTED_OR_BLANK.sub(lambda match: " " if match.group("blank") else match.group(), said))
    obeyed = is_directive(said, language) and (start == 0 or not said.startswith("#!"))
    return Token("directive" if obeyed else "comment", said, start, end, " ".join(said.split()))
