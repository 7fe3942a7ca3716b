"""Lexers of the nine languages whose streams we promise: one pattern a language, in linear time on any text.

Written here, because a key must not change with a library's version, and because general lexers take quadratic time on some
inputs. What stands between the braces of an interpolated string is code. An unclosed string ends at its line's end, an unclosed
multi-line string, template or comment at the text's end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from utils.keywords import words
from utils.lexical import BLANK, name_pattern, number_pattern, operator_pattern
from utils.templates import CONVERSION, FORMAT, Template, template_of


class Piece(NamedTuple):
    """What a lexer hands on: `group` is comment, string, preproc, name, number or op."""

    group: str
    start: int
    end: int


_ONE_LINE = r"(?:[^\\{q}\n]++|\\(?:.|\Z))*+{q}?"
_DOUBLE, _SINGLE = '"' + _ONE_LINE.format(q='"'), "'" + _ONE_LINE.format(q="'")
_BLOCK_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
_SLASHES = rf"//[^\n]*+|{_BLOCK_COMMENT}"

_PYTHON_PREFIX = r"(?:[bB][rR]?|[rR][bB]?|[uU])?"
_PYTHON_TEMPLATE = r"(?:[fFtT][rR]?|[rR][fFtT])(?:\"\"\"|'''|\"|')"
_LONG = r"{q}{q}{q}(?:[^\\{q}]++|\\(?:.|\Z)|{q}(?!{q}{q}))*+(?:{q}{q}{q})?"
_LONG_DOUBLE, _LONG_SINGLE = _LONG.format(q='"'), _LONG.format(q="'")
_PYTHON_STRING = f"{_PYTHON_PREFIX}(?:{_LONG_DOUBLE}|{_LONG_SINGLE}|{_DOUBLE}|{_SINGLE})"

_C_PREPROC = rf"#(?:[^\n\\/\"']++|\\(?:.|\Z)|/(?![/*])|{_BLOCK_COMMENT}|{_DOUBLE}|{_SINGLE})*+"
_CPP_RAW = r"(?:u8|[uUL])?R\"(?P<delimiter>[^()\\\s\"]{0,16})\((?s:.*?\)(?P=delimiter)\"|.*)"
_RUST_RAW = r"(?:br|cr|r)(?P<hashes>#*+)\"(?s:.*?\"(?P=hashes)|.*)"
_RUST_CHAR = r"b?'(?:\\(?:u\{[^}\n]{0,12}\}|x..|.)|[^\\'\n])'"
_CSHARP_RAW = r"\$*(?P<quotes>\"{3,})(?s:.*?(?P=quotes)\"*+|.*)"


@dataclass(frozen=True)
class Grammar:
    """The parts of a language's pattern, tried in this order."""

    comment: str
    string: str
    template: str = ""
    """Opens an interpolated string; `utils.templates` reads on from there."""
    preproc: str = ""
    regex_literals: bool = False
    nested_comments: bool = False


_SCRIPT = Grammar(rf"\A#![^\n]*+|<!--[^\n]*+|{_SLASHES}", f"{_DOUBLE}|{_SINGLE}", template="`", regex_literals=True)
_C_STRING = rf"(?:u8|[uUL])?{_DOUBLE}|(?:u8|[uUL])?{_SINGLE}"

GRAMMARS: dict[str, Grammar] = {
    "python": Grammar(r"#[^\n]*+", _PYTHON_STRING, template=_PYTHON_TEMPLATE),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "java": Grammar(_SLASHES, f"{_LONG_DOUBLE}|{_DOUBLE}|{_SINGLE}"),
    "go": Grammar(_SLASHES, rf"`[^`]*+`?|{_DOUBLE}|{_SINGLE}"),
    "c": Grammar(_SLASHES, _C_STRING, preproc=_C_PREPROC),
    "cpp": Grammar(_SLASHES, rf"{_CPP_RAW}|{_C_STRING}", preproc=_C_PREPROC),
    "rust": Grammar(
        rf"\A#!(?!\[)[^\n]*+|{_SLASHES}", rf"{_RUST_RAW}|(?:b|c)?\"(?:[^\\\"]++|\\(?:.|\Z))*+\"?|{_RUST_CHAR}", nested_comments=True
    ),
    "csharp": Grammar(
        _SLASHES, rf"{_CSHARP_RAW}|@\"(?:[^\"]++|\"\")*+\"?|{_DOUBLE}|{_SINGLE}", template=r"\$@?\"(?!\"\")|@\$\"", preproc=r"#[^\n]*+"
    ),
}

_REGEX = re.compile(r"/(?![*/])(?:[^\\/\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,300}\]){1,1000}/\w*+")
_BEFORE_REGEX = words(
    """
    return typeof case in of delete void throw new do else instanceof yield await ( , = : [ ! & | ? { ; + - * % ~ ^ < > => ==
    === != !== && || ?? ... += -= *= /= **
    """
) | {""}
_PLAIN = frozenset({"string", "preproc", "number", "name"})
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_OPENING, _CLOSING = frozenset({"(", "[", "{"}), frozenset({")", "]", "}"})


@lru_cache(maxsize=32)
def _pattern(language: str) -> re.Pattern[str]:
    grammar = GRAMMARS[language]
    parts = [("comment", grammar.comment), ("template", grammar.template), ("string", grammar.string), ("preproc", grammar.preproc)]
    parts += [("number", number_pattern()), ("name", name_pattern(language)), ("op", operator_pattern(language))]
    body = "|".join(f"(?P<{name}>{part})" for name, part in parts if part)
    return re.compile(rf"(?:[{BLANK}]++|\\\r?\n)*+(?:{body})", re.DOTALL)


@dataclass
class _Frame:
    """An interpolated string that is open: we are in its text, or in code (or a format) between its braces."""

    template: Template
    mode: Literal["text", "code", "format"]
    depth: int = 0
    """Brackets open in the code."""


def lex(text: str, language: str) -> Iterator[Piece]:
    """All pieces of a text in one of the languages of `GRAMMARS`, in order."""
    return _Lexing(text, language).pieces()


class _Lexing:
    """One pass over one text."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self.grammar = GRAMMARS[language]
        self.frames: list[_Frame] = []
        self.last = ""
        """What stood before, comments aside: it decides whether a slash opens a regular expression."""

    def pieces(self) -> Iterator[Piece]:
        pattern, at, has_regexes = _pattern(self.language), 0, self.grammar.regex_literals
        while True:
            if self.frames and self.frames[-1].mode != "code":
                found = self._template_pieces(at, at)
            elif (match := pattern.match(self.text, at)) is None:
                return
            else:
                group = match.lastgroup or "op"
                start, at = match.span(group)
                if not has_regexes and (group in _PLAIN or (group == "op" and not self.frames)):
                    yield Piece(group, start, at)
                    continue
                found = self._special_pieces(Piece(group, start, at))
            yield from (piece for piece in found if piece.end > piece.start)
            at = found[-1].end

    def _special_pieces(self, piece: Piece) -> tuple[Piece, ...]:
        """What needs to be looked at twice: comments, templates, and operators that may be something else."""
        if piece.group == "template":
            template = template_of(self.language, self.text[piece.start : piece.end])
            self.frames.append(_Frame(template, "text"))
            return self._template_pieces(piece.start, piece.end)
        if piece.group == "comment":
            return (self._whole_comment(piece),)
        if piece.group == "op":
            piece = self._in_frame(self._regex_or(piece))
        self.last = self.text[piece.start : piece.end] if piece.group in {"op", "name"} else piece.group
        return (piece,)

    def _whole_comment(self, piece: Piece) -> Piece:
        """Rust's block comments nest."""
        if not self.grammar.nested_comments or not self.text.startswith("/*", piece.start):
            return piece
        depth = 0
        for edge in _COMMENT_EDGE.finditer(self.text, piece.start):
            depth += 1 if edge.group() == "/*" else -1
            if depth == 0:
                return piece._replace(end=edge.end())
        return piece._replace(end=len(self.text))

    def _regex_or(self, piece: Piece) -> Piece:
        """A slash where no operand stands before it opens a regular expression."""
        may_be = self.grammar.regex_literals and self.text[piece.start] == "/" and self.last in _BEFORE_REGEX
        found = _REGEX.match(self.text, piece.start) if may_be else None
        return Piece("string", piece.start, found.end()) if found else piece

    def _in_frame(self, piece: Piece) -> Piece:
        """Follow the brackets of an interpolation to where its code ends."""
        if not self.frames or piece.group != "op":
            return piece
        frame, said = self.frames[-1], self.text[piece.start]
        if said in _OPENING:
            frame.depth += 1
        elif said in _CLOSING and frame.depth:
            frame.depth -= 1
        elif said == "}":
            self.frames.pop()
        elif frame.depth == 0 and frame.template.has_format:
            return self._format_or(piece, frame)
        return piece

    def _format_or(self, piece: Piece, frame: _Frame) -> Piece:
        if self.text[piece.start] == ":":
            frame.mode = "format"
            return piece._replace(end=piece.start + 1)
        conversion = CONVERSION.match(self.text, piece.start)
        return Piece("string", piece.start, conversion.end()) if conversion else piece

    def _template_pieces(self, start: int, at: int) -> tuple[Piece, ...]:
        """The text from `start` (read up to `at`) to the template's end or into its next interpolation."""
        frame = self.frames[-1]
        in_text = frame.mode == "text"
        end = (frame.template.text if in_text else FORMAT).match(self.text, at).end()  # type: ignore[union-attr]  # both match emptiness
        opener = frame.template.opener
        if self.text.startswith(opener, end):
            self.frames.append(_Frame(frame.template, "code"))
            self.last = "("
            return Piece("string", start, end), Piece("op", end, end + len(opener))
        self.frames.pop()
        self.last = "string"
        if in_text:
            return (Piece("string", start, end + len(frame.template.quote) if self.text.startswith(frame.template.quote, end) else end),)
        return Piece("string", start, end), Piece("op", end, end + self.text.startswith("}", end))
