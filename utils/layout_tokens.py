"""The part of layout that a program sees, as tokens without width: line ends, Python's blocks, and docstrings told from strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from utils.lexical import Layout, Token, layout_of
from utils.line_layouts import NEWLINE as NEWLINE
from utils.line_layouts import ended_lines, ruby_lines, shell_lines, statement_lines

INDENT, DEDENT, TAB_ERROR = "<INDENT>", "<DEDENT>", "<TABS>"
STRUCTURE = frozenset({"newline", "indent", "dedent", "tabs"})

_DOCSTRING_READERS = frozenset({"__doc__", "doctest", "getdoc"})
"""Names that make docstrings a part of the program: usage texts, tests in examples."""
_OPENING = frozenset({"(", "[", "{", "${", "#{"})
_CLOSING = frozenset({")", "]", "}"})
_FAR = 200
"""Comments and docstrings between a docstring and the next statement that are looked past."""
_RESTRICTED = frozenset({"return", "break", "continue", "throw", "yield", "async"})
_GO_ENDS = frozenset({"break", "continue", "fallthrough", "return", "nil", "true", "false", "iota", "++", "--", ")", "]", "}"})


def lay_out(tokens: list[Token], text: str, language: str) -> tuple[Token, ...]:
    """Put in the layout tokens that count in this language, and mark what is a docstring."""
    return tuple(_LAID_OUT[layout_of(language)](_owned(tokens, text), text))


def _owned(tokens: list[Token], text: str) -> list[Token]:
    """Give directives on a line of their own another key than those that end a line of code."""
    out: list[Token] = []
    end = 0
    for token in tokens:
        if token.kind == "directive" and (not out or "\n" in text[end : token.start]):
            token = token._replace(key="\n" + token.key)
        out.append(token)
        end = token.end
    return out


def _is_aside(token: Token) -> bool:
    return token.kind in {"comment", "directive"}


def _free(tokens: list[Token], text: str) -> Iterable[Token]:
    return tokens


def _php(tokens: list[Token], text: str) -> Iterable[Token]:
    """Free, unless the text leaves PHP: what stands outside of its tags is printed as it is."""
    return _lines(tokens, text) if "?>" in text else tokens


def _script(tokens: list[Token], text: str) -> Iterator[Token]:
    """JavaScript: the line ends at which a semicolon is put in whatever follows."""
    for token, last, ended in ended_lines(tokens, text):
        if ended and last is not None and token.kind != "comment" and (last.text in _RESTRICTED or token.text in {"++", "--"}):
            yield Token("newline", "", token.start, token.start, NEWLINE)
        yield token


def _go(tokens: list[Token], text: str) -> Iterator[Token]:
    """Go: a line end after a token that can end a statement is a semicolon, but before a closing bracket."""
    for token, last, ended in ended_lines(tokens, text):
        if ended and last is not None and token.kind != "comment" and token.text not in {")", "}"} and _ends_go_statement(last):
            yield Token("newline", "", token.start, token.start, NEWLINE)
        yield token


def _ends_go_statement(token: Token) -> bool:
    return token.kind in {"name", "number", "string"} or token.text in _GO_ENDS


def _lines(tokens: list[Token], text: str) -> Iterator[Token]:
    return _with_blanks(tokens, text, keep_indent=False)


def _verbatim(tokens: list[Token], text: str) -> Iterator[Token]:
    return _with_blanks(tokens, text, keep_indent=True)


def _with_blanks(tokens: list[Token], text: str, *, keep_indent: bool) -> Iterator[Token]:
    """Line ends, and for each token whether a blank stands before it: the careful reading of a language we have no rules for."""
    for token, last, ended in ended_lines(tokens, text):
        if token.kind == "comment":
            yield token
            continue
        indent = text[text.rfind("\n", 0, token.start) + 1 : token.start] if ended else ""
        if ended and (last is not None or (keep_indent and not indent.strip())):
            yield Token("newline", "", token.start, token.start, NEWLINE + (indent if keep_indent and not indent.strip() else ""))
        blank = not ended and last is not None and last.end < token.start
        yield token._replace(key=" " + token.key) if blank else token


@dataclass
class _Blocks:
    """Python's open indentations, as (columns with tabs of eight, columns with tabs of one), innermost last.

    Two indentations that compare differently in the two ways are Python's TabError, and a token of their own here.
    """

    open: list[tuple[int, int]] = field(default_factory=list)

    def at(self, indent: str, place: int) -> Iterator[Token]:
        """The block tokens before a logical line that is indented so."""
        width = _width(indent)
        while len(self.open) > 1 and width[0] < self.open[-1][0]:
            self.open.pop()
            yield Token("dedent", "", place, place, DEDENT)
        top = self.open[-1]
        if width[0] > top[0]:
            self.open.append(width)
            yield Token("indent", "", place, place, INDENT)
        if (width[0] > top[0]) != (width[1] > top[1]) or (width[0] == top[0] and width[1] != top[1]):
            yield Token("tabs", "", place, place, TAB_ERROR)


def _python(tokens: list[Token], text: str) -> Iterable[Token]:
    """Logical lines and blocks. A text that is indented as a whole reads like one that is not."""
    lines = list(_logical_lines(tokens, text))
    are_read = any(token.kind == "name" and token.text in _DOCSTRING_READERS for token in tokens)
    if not are_read:
        lines = list(_with_docstrings_in_place(lines))
    blocks = _Blocks(_outer_blocks([_width(indent) for indent, line in lines if not _is_aside(line[0])]))
    first = next((line[0].start for _, line in lines if not _is_aside(line[0])), 0)
    out = [Token("indent", "", first, first, INDENT) for _ in blocks.open[1:]]
    for indent, line in lines:
        if not _is_aside(line[0]):
            out.extend(blocks.at(indent, line[0].start))
            line = [*(line if are_read else _docstring_marked(line)), Token("newline", "", line[-1].end, line[-1].end, NEWLINE)]
        out.extend(line)
    return _without_docstring_ends(out)


def _with_docstrings_in_place(lines: list[tuple[str, list[Token]]]) -> Iterator[tuple[str, list[Token]]]:
    """The lines, a docstring that opens a block being indented like the statement after it.

    Whoever lays code out anew often leaves the text in it where it was; a docstring says nothing about blocks.
    """
    before = ""
    following = _following_indents(lines)
    for number, (indent, line) in enumerate(lines):
        if _is_aside(line[0]):
            yield indent, line
            continue
        own = indent
        if _docstring_marked(line) is not line:
            body = following[number]
            own = body if body is not None and (not number or _width(body) > _width(before)) else indent
        yield own, line
        before = own


def _following_indents(lines: list[tuple[str, list[Token]]]) -> list[str | None]:
    """For each line the indentation of the next one that holds code, past comments and docstrings; None when it is far or not there."""
    found: list[str | None] = []
    at, indent = len(lines) + _FAR, ""
    for number in range(len(lines) - 1, -1, -1):
        found.append(indent if at - number <= _FAR else None)
        if _docstring_marked(lines[number][1]) is lines[number][1]:
            at, indent = number, lines[number][0]
    return found[::-1]


def _outer_blocks(widths: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The blocks open before the first line: in a piece that begins inside of some, each line further out than all before shows one."""
    opened: list[tuple[int, int]] = []
    for width in widths:
        if not opened or width[0] < opened[-1][0]:
            opened.append(width)
    return opened[::-1] or [(0, 0)]


def _width(indent: str) -> tuple[int, int]:
    return len(indent.expandtabs(8)), len(indent)


def _logical_lines(tokens: list[Token], text: str) -> Iterator[tuple[str, list[Token]]]:
    """(indentation, tokens) of each logical line; a comment on a line of its own between two of them stands alone."""
    line: list[Token] = []
    depth, end, indent = 0, 0, ""
    for token in tokens:
        gap = text[end : token.start]
        if "\n" in gap and line and (depth == 0 or _is_aside(line[0])) and "\n" in gap.replace("\\\n", ""):
            yield indent, line
            line = []
        if not line:
            indent = gap.rpartition("\n")[2]
        if token.text in _OPENING and token.kind == "op":
            depth += 1
        elif token.text in _CLOSING and token.kind == "op":
            depth = max(0, depth - 1)
        line.append(token)
        end = token.end
    if line:
        yield indent, line


def _docstring_marked(line: list[Token]) -> list[Token]:
    """A statement that is nothing but a string says nothing to the program, but for a bytes literal or an interpolation."""
    if not all(_is_aside(token) or (token.kind == "string" and _is_closed(token.text)) for token in line):
        return line
    return [token._replace(kind="docstring") if token.kind == "string" else token for token in line]


def _is_closed(said: str) -> bool:
    body = said.lstrip("rRuUbBfFtT")
    quote = body[:3] if body.startswith(('"""', "'''")) else body[:1]
    return len(body) >= 2 * len(quote) and body.endswith(quote)


def _without_docstring_ends(tokens: list[Token]) -> Iterator[Token]:
    """Drop the line end of a docstring that stands alone on its line."""
    statement: list[Token] = []
    for token in tokens:
        if token.kind == "newline":
            if any(part.kind not in {"docstring", "comment"} for part in statement):
                yield token
            statement = []
            continue
        if token.kind not in STRUCTURE and token.kind != "comment":
            statement.append(token)
        yield token


_LAID_OUT: dict[Layout, Callable[[list[Token], str], Iterable[Token]]] = {
    "free": _free,
    "python": _python,
    "script": _script,
    "go": _go,
    "php": _php,
    "statements": statement_lines,
    "ruby": ruby_lines,
    "shell": shell_lines,
    "lines": _lines,
    "verbatim": _verbatim,
}
