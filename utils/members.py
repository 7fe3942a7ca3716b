"""Names that are fixed by where they stand: members, keys of literals, keyword arguments, methods."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader
from utils.python_names import BUILTINS, BoundNames

_SCRIPTS = frozenset({"javascript", "typescript"})
_KEYED = _SCRIPTS | {"rust", "go"}
"""Languages where `{name: value}` names a field."""

_BEFORE_MEMBER = frozenset({"{", "}", ";", ",", "static", "async", "*", "public", "private", "protected", "readonly", ""})


def member_indices(reader: NameReader, bound: BoundNames | None) -> set[int]:
    """Indices of the names that no renaming of locals touches."""
    found: set[int] = set()
    lambdas: set[int] = set()
    for index, token in enumerate(reader.tokens):
        if token.kind != "name":
            if token.text == "lambda":
                lambdas.add(reader.brackets.enclosing[index])
            elif token.text == ":":
                lambdas.discard(reader.brackets.enclosing[index])
            continue
        if reader.is_member(index) or token.text == "'static":
            found.add(index)
        elif reader.language == "python":
            if reader.brackets.enclosing[index] not in lambdas and _is_foreign_keyword(reader, index, bound):
                found.add(index)
        elif _is_key(reader, index) or _is_named_argument(reader, index) or _is_method(reader, index):
            found.add(index)
    return found | set(_class_members(reader)) | set(_attributes(reader)) | set(_import_paths(reader))


def _import_paths(reader: NameReader) -> Iterator[int]:
    """Python: modules after `from`, and what is imported under another name; neither binds that word."""
    if reader.language != "python":
        return
    in_path = in_statement = False
    for index, token in enumerate(reader.tokens):
        if token.text in {"from", "import"} and token.kind == "keyword":
            in_statement = token.text == "import" or not _is_raised(reader, index)
            in_path = in_statement and token.text == "from"
        elif token.kind == "newline" or token.text == ";":
            in_path = in_statement = False
        elif token.kind == "name" and in_statement and (in_path or reader.text(index + 1) == "as"):
            yield index


def _is_raised(reader: NameReader, index: int) -> bool:
    """`raise x from y`, `yield from y`: no import."""
    before = reader.tokens[index - 1] if index else None
    return before is not None and before.kind not in {"newline", "indent", "dedent"} and before.text != ";"


def _is_foreign_keyword(reader: NameReader, index: int, bound: BoundNames | None) -> bool:
    """`keyword=` of a call to a function that is not of this text (or takes no such parameter).

    A piece that doesn't parse tells less: there only a built-in function's keywords are known to be its own.
    """
    opener = reader.brackets.enclosing[index]
    if reader.text(index + 1) != "=" or reader.text(opener) != "(" or reader.text(index - 1) not in {"(", ","}:
        return False
    if reader.text(opener - 2) == "def":
        return False
    if bound is None:
        return reader.text(opener - 1) in BUILTINS
    return reader.text(index) not in bound.parameters.get(reader.text(opener - 1), set())


def _is_key(reader: NameReader, index: int) -> bool:
    """`{name: value}`, and in Rust the fields of a struct."""
    if reader.language not in _KEYED or reader.text(index + 1) != ":" or reader.opener(index) != "{":
        return False
    return reader.text(index - 1) in {"{", ",", "pub", ";", "?", ""} and reader.text(index + 2) != ":"


def _is_named_argument(reader: NameReader, index: int) -> bool:
    """C#: `call(name: value)` and `new Thing { Name = value }`."""
    if reader.language != "csharp" or reader.text(index - 1) not in {"(", ",", "{"}:
        return False
    opener = reader.opener(index)
    return (reader.text(index + 1) == ":" and opener == "(") or (
        reader.text(index + 1) == "=" and opener == "{" and _is_initializer(reader, index)
    )


def _is_initializer(reader: NameReader, index: int) -> bool:
    opener = reader.brackets.enclosing[index]
    return reader.text(index - 1) == "," or reader.text(opener - 1) not in {")", ";", "else", "try", "{", "}"}


def _is_method(reader: NameReader, index: int) -> bool:
    """JavaScript: `name(...) {` where a statement can't have it."""
    if reader.language not in _SCRIPTS or reader.text(index + 1) != "(" or reader.text(index - 1) not in _BEFORE_MEMBER:
        return False
    return reader.opener(index) == "{" and reader.text(reader.closes_at(index + 1) + 1) == "{"


def _attributes(reader: NameReader) -> Iterator[int]:
    """Rust: names in `#[...]`."""
    if reader.language != "rust":
        return
    for index, token in enumerate(reader.tokens):
        if token.text == "[" and (reader.text(index - 1) == "#" or (reader.text(index - 1) == "!" and reader.text(index - 2) == "#")):
            yield from (at for at in range(index + 1, reader.closes_at(index)) if reader.tokens[at].kind == "name")


def _class_members(reader: NameReader) -> Iterator[int]:
    """JavaScript: names that stand directly in a class body."""
    if reader.language not in _SCRIPTS:
        return
    bodies = {at for at in (_body_of_class(reader, index) for index, token in enumerate(reader.tokens) if token.text == "class") if at >= 0}
    for index, token in enumerate(reader.tokens):
        if (
            token.kind == "name"
            and reader.brackets.enclosing[index] in bodies
            and reader.text(index - 1) in _BEFORE_MEMBER | {"get", "set"}
        ):
            yield index


def _body_of_class(reader: NameReader, index: int) -> int:
    for at in range(index + 1, min(index + 30, len(reader.tokens))):
        if reader.text(at) == "{":
            return at
    return -1


def shorthand_indices(reader: NameReader) -> set[int]:
    """Names in `{a, b}`: each is a variable and a key at once, so it can't be renamed as it stands."""
    if reader.language not in _SCRIPTS and reader.language != "rust":
        return set()
    return {index for index, token in enumerate(reader.tokens) if token.kind == "name" and _is_shorthand(reader, index)}


def _is_shorthand(reader: NameReader, index: int) -> bool:
    before, after, opener = reader.text(index - 1), reader.text(index + 1), reader.brackets.enclosing[index]
    if reader.opener(index) != "{" or before not in {"{", ","} or after not in {"}", ","}:
        return False
    if reader.language == "rust":
        return reader.text(opener - 1)[:1].isupper() and (before, after) != ("{", "}")
    return before == "," or after == "," or reader.text(opener - 1) in {"(", ",", "=", "return", ":", "const", "let", "var", "=>"}
