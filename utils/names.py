"""Which names of a token stream are the author's own choice, and the stream with those names numbered.

Locals (parameters, assigned and declared names, functions and classes of the text itself) are numbered by first use. Members, names
that are called but not defined here, built-in names and the keywords of calls to others stay: another name there is another program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

from utils.brackets import brackets_of
from utils.builtin_names import BUILTINS
from utils.declared import DEFINERS, NameReader
from utils.imported_names import imported_names
from utils.lexical import Token
from utils.members import member_indices, shorthand_indices
from utils.names_kotlin import kotlin_names
from utils.names_php import php_names
from utils.names_ruby import ruby_names
from utils.names_shell import shell_names
from utils.names_sql import sql_names
from utils.names_swift import swift_names
from utils.python_names import BoundNames, bound_names
from utils.tokens import tokenize
from utils.typed_blocks import OwnNames

Role = Literal["local", "member", "shorthand", "kept", ""]
"""local: may be renamed. member: fixed by where it stands (after a dot, a key, a keyword). shorthand: key and variable at once.
kept: a name of elsewhere. "": no name."""

_READERS: dict[str, Callable[[NameReader], OwnNames]] = {
    "bash": shell_names,
    "kotlin": kotlin_names,
    "php": php_names,
    "ruby": ruby_names,
    "sql": sql_names,
    "swift": swift_names,
}
"""Languages with a reader of their own."""

RENAMING = frozenset(DEFINERS) | frozenset(_READERS)
"""The languages whose rules for names are known."""

_CACHED_LENGTH = 20_000
_MODULES_BY_DOT = frozenset({"python", "javascript", "typescript", "go"})
"""Languages where `name.x` with a name of elsewhere is mostly a module: `json.loads` is not `yaml.loads`."""


def renamed_stream(text: str, language: str) -> tuple[str, ...]:
    """The exact stream with locals numbered by first use; the exact stream for a language whose names we don't know."""
    tokens = tokenize(text, language)
    return numbered(tokens, roles_of(tokens, text, language) if len(text) > _CACHED_LENGTH else roles(text, language))


def numbered(tokens: Sequence[Token], found: Sequence[Role]) -> tuple[str, ...]:
    """Keys of the tokens, those of locals being numbers."""
    numbers: dict[str, str] = {}
    return tuple(
        numbers.setdefault(token.text, f"<{len(numbers)}>") if role == "local" else token.key
        for token, role in zip(tokens, found, strict=True)
    )


def roles(text: str, language: str, tokens: Sequence[Token] | None = None) -> tuple[Role, ...]:
    """The role of each token of `tokenize(text, language)`, which spares a long text's second reading when it is at hand."""
    if len(text) <= _CACHED_LENGTH:
        return _cached_roles(text, language)
    return _roles(text, language) if tokens is None else roles_of(tokens, text, language)


def _roles(text: str, language: str) -> tuple[Role, ...]:
    return roles_of(tokenize(text, language), text, language)


_cached_roles = lru_cache(maxsize=8)(_roles)


def roles_of(tokens: Sequence[Token], text: str, language: str) -> tuple[Role, ...]:
    """The same for tokens that are at hand: those of `tokenize(text, language)`."""
    if language not in RENAMING:
        return tuple("kept" if token.kind == "name" else "" for token in tokens)
    reader = NameReader(tokens, brackets_of(tokens), language)
    if language in _READERS:
        found = _READERS[language](reader)
        return tuple(_role(token, "member" if index in found.fixed else None, found.locals) for index, token in enumerate(tokens))
    bound = bound_names(text) if language == "python" else None
    members = member_indices(reader, bound)
    shorthands = shorthand_indices(reader)
    own = _own_names(reader, members, bound) - {tokens[index].text for index in shorthands}
    fixed: dict[int, Role] = {**dict.fromkeys(shorthands, "shorthand"), **dict.fromkeys(members, "member")}
    return tuple(_role(token, fixed.get(index), own) for index, token in enumerate(tokens))


def _role(token: Token, fixed: Role | None, own: set[str]) -> Role:
    if token.kind != "name":
        return ""
    return fixed or ("local" if token.text in own else "kept")


def _own_names(reader: NameReader, members: set[int], bound: BoundNames | None) -> set[str]:
    """The names of the text's own, and those of its surroundings that look like variables there."""
    if bound is not None:
        own, kept = bound.own, bound.kept
    else:
        kept = set(imported_names(reader))
        own = set(reader.declared()) - kept
    free = _free_variables(reader, members, in_pieces=reader.language == "python" and bound is None) - kept
    return {name for name in own | free if name != "_" and not (name.startswith("__") and name.endswith("__"))}


def _free_variables(reader: NameReader, members: set[int], *, in_pieces: bool) -> set[str]:
    """Names of elsewhere that can only be variables: in lower case, never called, never a module or a type.

    In a piece of Python that doesn't parse, what stands before a dot is mostly a variable whose definition was cut off.
    """
    seen: set[str] = set()
    refused: set[str] = set(BUILTINS[reader.language])
    for index, token in enumerate(reader.tokens):
        if token.kind == "name" and index not in members:
            seen.add(token.text)
            if not _may_be_variable(reader, index, dotted=in_pieces):
                refused.add(token.text)
    return seen - refused


def _may_be_variable(reader: NameReader, index: int, *, dotted: bool) -> bool:
    said, after = reader.text(index), reader.text(index + 1)
    if said[0].isupper() or said.isupper():
        return False
    if reader.language == "python" and index > 0 and reader.text(index - 1) == "@" and not reader.text(index - 2):
        return False  # a decorator; a matrix product has something before its `@`
    if after in {"(", "::", "!"} or (after == "." and not dotted and reader.language in _MODULES_BY_DOT):
        return False
    follows_as_type = index + 1 < len(reader.tokens) and reader.tokens[index + 1].kind == "name"
    return not (follows_as_type or (after == "<" and reader.language in {"cpp", "java", "csharp"} and _opens_generic(reader, index + 1)))


def _opens_generic(reader: NameReader, index: int) -> bool:
    """True when the `<` here opens type arguments."""
    depth = 0
    for at in range(index, min(index + 60, len(reader.tokens))):
        said = reader.text(at)
        depth += (said == "<") - (said == ">")
        if depth == 0:
            return True
        if said not in {"<", ">", ",", "::", ".", "*", "&", "?", "[", "]"} and reader.tokens[at].kind not in {"name", "keyword"}:
            return False
    return False


def declared_in(text: str, language: str) -> set[str]:
    """The names that a text binds itself; variables of its surroundings left out. Empty for a language we have no rules for."""
    if language not in RENAMING:
        return set()
    bound = bound_names(text) if language == "python" else None
    if bound is not None:
        return bound.own
    tokens = tokenize(text, language)
    reader = NameReader(tokens, brackets_of(tokens), language)
    if language in _READERS:
        return _READERS[language](reader).locals
    return set(reader.declared()) - set(imported_names(reader))
