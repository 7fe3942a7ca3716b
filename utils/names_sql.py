"""Which names of an SQL text are its own: aliases, common table expressions, variables, parameters and routines."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader
from utils.keywords import words
from utils.typed_blocks import LIST_TOKENS, OwnNames

_TABLE_WORDS = words("FROM JOIN UPDATE INTO USING LATERAL")
_ROUTINES = words("PROCEDURE FUNCTION TRIGGER VIEW")
_MODES = words("IN OUT INOUT DECLARE")


def sql_names(reader: NameReader) -> OwnNames:
    """The text's own names; tables, columns and functions are the database's."""
    names = OwnNames()
    for index, token in enumerate(reader.tokens):
        if token.kind != "name":
            continue
        if reader.is_member(index):
            names.fixed.add(index)
        elif _is_declared(reader, index):
            names.own.add(token.text)
    names.own.update(_arguments(reader))
    return names


def _word(reader: NameReader, index: int) -> str:
    return reader.text(index).upper()


def _is_declared(reader: NameReader, index: int) -> bool:
    before = _word(reader, index - 1)
    if before == "AS":
        return not _is_cast(reader, index) and _word(reader, index + 1) != "("
    if reader.text(index - 1) in {"@", ":"} and reader.text(index - 2) not in {"@", ":"}:
        return reader.tokens[index - 1].end == reader.tokens[index].start
    if before in {"WITH", "RECURSIVE", ","} and _word(reader, index + 1) == "AS" and reader.text(index + 2) == "(":
        return True
    if before in _ROUTINES:
        return before != "VIEW"
    if before in _MODES and index + 1 < len(reader.tokens):
        return before != "IN" or (reader.opener(index) == "(" and reader.tokens[index + 1].kind == "name")
    return _is_table_alias(reader, index)


def _is_cast(reader: NameReader, index: int) -> bool:
    """`CAST(x AS type)`."""
    return _word(reader, reader.brackets.enclosing[index] - 1) in {"CAST", "TRY_CAST", "CONVERT"}


def _is_table_alias(reader: NameReader, index: int) -> bool:
    """`FROM orders o`, `JOIN shop.items i`, `FROM (SELECT ...) t`."""
    at = index - 1
    if reader.text(at) == ")":
        opened = reader.brackets.partner.get(at, -1)
        return opened >= 0 and _word(reader, opened + 1) in {"SELECT", "VALUES"} and _word(reader, opened - 1) in _TABLE_WORDS | {","}
    if at < 0 or reader.tokens[at].kind not in {"name", "string"}:
        return False
    while reader.text(at - 1) == ".":
        at -= 2
    return _word(reader, at - 1) in _TABLE_WORDS


def _arguments(reader: NameReader) -> Iterator[str]:
    """`CREATE FUNCTION name(a INT, b TEXT)`: a name before its type."""
    for index in range(len(reader.tokens)):
        if _word(reader, index) not in {"PROCEDURE", "FUNCTION"} or reader.text(index + 2) != "(":
            continue
        opened = index + 2
        for at in range(opened + 1, min(opened + LIST_TOKENS, reader.closes_at(opened))):
            if reader.brackets.enclosing[at] == opened and reader.is_name(at) and reader.text(at - 1) in {"(", ","}:
                yield reader.text(at)
