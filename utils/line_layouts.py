"""Line ends and blanks that a program sees, in languages where a line end may end a statement: Kotlin and Swift, Ruby, the shell.

Whoever lays a text out anew moves line ends only to where they say nothing; only those are dropped here, the others are tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from utils.keywords import words
from utils.lexical import Token

NEWLINE = "<NL>"
_OPENING = frozenset({"(", "[", "{", "#{"})
_CLOSING = frozenset({")", "]", "}"})
_CONTINUED = words(", = + - / % == != <= >= += -= *= /= && || . ?. -> : in")
"""After these a statement of Kotlin or Swift goes on."""
_CONTINUES = words(". ?. ? && || else catch finally {")
"""A line that begins with one of these goes on with the statement before."""
_RUBY_CONTINUED = words(", = + - * / == != <= >= += -= ||= && || . => and or not ( [ {")
_RUBY_SIGNS = words("- + * & / % << :: : ? [ (")
"""After a name and a blank, these begin an argument when nothing follows them: `f -1` is no difference."""
_SHELL_OPENING = words("then do else {")
_SHELL_OPERATORS = words("| || && ; &")


def ended_lines(tokens: Sequence[Token], text: str) -> Iterator[tuple[Token, Token | None, bool]]:
    """Each token, the last one before it that is no comment, and whether a line ended between the two."""
    last: Token | None = None
    ended, end = False, 0
    for token in tokens:
        ended = ended or "\n" in text[end : token.start]
        yield token, last, ended
        end = token.end
        if token.kind == "comment":
            ended = ended or "\n" in token.text
        else:
            last, ended = token, False


def statement_lines(tokens: Sequence[Token], text: str) -> Iterator[Token]:
    """Kotlin and Swift: a line end counts, but in parentheses, beside a brace, and where the statement goes on. Blanks don't."""
    opened: list[str] = []
    for token, last, ended in ended_lines(tokens, text):
        if token.kind == "comment":
            yield token
            continue
        if ended and last is not None and not _goes_on(last, token, opened):
            yield _newline(token)
        _follow(token, opened)
        has_blank = token.text == "@" and last is not None and not ended and last.end < token.start
        yield token._replace(key=" @") if has_blank else token


def _goes_on(last: Token, token: Token, opened: list[str]) -> bool:
    if opened and opened[-1] in {"(", "["}:
        return True
    return last.text in _OPENING or token.text in _CLOSING or last.text in _CONTINUED or token.text in _CONTINUES


def _follow(token: Token, opened: list[str]) -> None:
    if token.kind != "op":
        return
    if token.text in _OPENING:
        opened.append(token.text)
    elif token.text in _CLOSING and opened:
        opened.pop()


def ruby_lines(tokens: Sequence[Token], text: str) -> Iterator[Token]:
    """Ruby: a line end counts unless the statement goes on, a blank where it tells an argument from an operator or an index."""
    in_parameters = False
    after_parameters: Token | None = None
    counted = [token for token in tokens if token.kind != "comment"]
    follower = dict(zip((token.start for token in counted), counted[1:], strict=False))
    for token, last, ended in ended_lines(tokens, text):
        if token.kind == "comment":
            yield token
            continue
        said = last.text if last is not None else ""
        goes_on = said in _RUBY_CONTINUED or token.text in {".", ")", "]", "}"} or (last is not None and last is after_parameters)
        if ended and last is not None and not (goes_on and last.kind != "string"):
            yield _newline(token)
        if token.text == "|" and (in_parameters or said in {"{", "do"}):
            in_parameters = not in_parameters
            after_parameters = token if not in_parameters else None
        yield token._replace(key=" " + token.key) if not ended and _is_argument(last, token, follower.get(token.start)) else token


def _is_argument(last: Token | None, token: Token, following: Token | None) -> bool:
    if last is None or last.kind != "name" or last.end == token.start or token.kind != "op" or token.text not in _RUBY_SIGNS:
        return False
    return token.text in {"[", "("} or (following is not None and following.start == token.end)


def shell_lines(tokens: Sequence[Token], text: str) -> Iterator[Token]:
    """Shell: a line end counts unless a command goes on or has just ended; a blank counts between words, not beside operators."""
    counted = [token for token in tokens if token.kind != "comment"]
    follower = dict(zip((token.start for token in counted), counted[1:], strict=False))
    arithmetic: list[bool] = []
    opens = False
    for token, last, ended in ended_lines(tokens, text):
        if token.kind == "comment":
            yield token
            continue
        goes_on = last is not None and (last.text in _SHELL_OPERATORS or opens)
        if ended and last is not None and not goes_on and token.text != ")":
            yield _newline(token)
        # `do` and its like open a list of commands where a command may begin, and are plain words elsewhere.
        opens = (last is None or ended or goes_on) and token.text in _SHELL_OPENING
        is_arithmetic = bool(arithmetic) and arithmetic[-1]
        _follow_parentheses(token, last, arithmetic)
        has_blank = not ended and not goes_on and not is_arithmetic and last is not None and last.end < token.start
        counts = has_blank and _parts_words(last, token, follower.get(token.start))
        yield token._replace(key=" " + token.key) if counts else token


def _follow_parentheses(token: Token, last: Token | None, arithmetic: list[bool]) -> None:
    """Which of the open parentheses are, or are within, those of `((...))`."""
    if token.kind == "op" and token.text == "(":
        is_double = last is not None and last.text == "(" and last.end == token.start
        arithmetic.append(is_double or (bool(arithmetic) and arithmetic[-1]))
    elif token.kind == "op" and token.text == ")" and arithmetic:
        arithmetic.pop()


def _parts_words(last: Token | None, token: Token, following: Token | None) -> bool:
    """True when the blank between the two says something."""
    if last is None:
        return False
    if token.text == "(":
        return following is None or following.text != ")"
    if token.text in _SHELL_OPERATORS | {")"} or (last.text in {"(", ">", "<"} and last.kind == "op"):
        return False
    return not (last.text == ")" and token.text == "{")


def _newline(token: Token) -> Token:
    return Token("newline", "", token.start, token.start, NEWLINE)
