"""The statements of an SQL text and its stored routines, as the blocks that other languages' functions are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from utils.keywords import words
from utils.lexical import Token
from utils.syntax import Block
from utils.tokens import tokenize

_ROUTINES = words("PROCEDURE FUNCTION TRIGGER")
_OPENERS = words("BEGIN CASE LOOP DO REPEAT")
_STATEMENT_STARTS = words("; BEGIN THEN ELSE DO LOOP")
_TABLE_WORDS = words("FROM INTO UPDATE TABLE VIEW JOIN")


def sql_statements(text: str) -> tuple[Block, ...]:
    """Each statement up to its semicolon; a routine with all that is in its body. Lines are 1-based and inclusive."""
    tokens = [token for token in tokenize(text, "sql") if token.text]
    return tuple(_block(statement, text) for statement in _split(tokens))


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    statement: list[Token] = []
    depth, is_quoted = 0, False
    for index, token in enumerate(tokens):
        statement.append(token)
        if token.text == "$" and index and tokens[index - 1].text == "$" and tokens[index - 1].end == token.start:
            is_quoted = not is_quoted  # a body between dollar signs
        elif _is_routine(statement):
            depth = max(0, depth + _opens(tokens, index))
        if token.text == ";" and depth == 0 and not is_quoted:
            yield statement
            statement = []
    if statement:
        yield statement


def _is_routine(statement: Sequence[Token]) -> bool:
    return statement[0].text.upper() in {"CREATE", "ALTER"} and any(token.text.upper() in _ROUTINES for token in statement[1:6])


def _opens(tokens: Sequence[Token], index: int) -> int:
    """1 where something opens that an END closes, -1 at that END, else 0."""
    said, before = tokens[index].text.upper(), tokens[index - 1].text.upper() if index else ""
    if said == "END":
        return -1
    if before == "END":
        return 0
    return int(said in _OPENERS or (said == "IF" and before in _STATEMENT_STARTS))


def _block(statement: Sequence[Token], text: str) -> Block:
    first = text.count("\n", 0, statement[0].start) + 1
    last = first + text.count("\n", statement[0].start, statement[-1].end)
    name = _name(statement)
    return Block(name=name, kind="function", start_line=first, end_line=last, signature="", body_lines=(first, last), qualname=name)


def _name(statement: Sequence[Token]) -> str:
    """A routine's own name; else the first word with the first table."""
    said = [token.text for token in statement]
    wanted = _ROUTINES if _is_routine(statement) else _TABLE_WORDS
    named = next((after for word, after in pairwise(said) if word.upper() in wanted), "")
    return named if wanted is _ROUTINES and named else f"{said[0].upper()} {named}".strip()
