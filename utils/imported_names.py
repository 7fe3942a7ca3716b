"""Names of import statements: a text's words for things of elsewhere, which no renaming touches."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader

_IMPORTS: dict[str, frozenset[str]] = {
    "python": frozenset({"import"}),
    "javascript": frozenset({"import"}),
    "typescript": frozenset({"import"}),
    "java": frozenset({"import", "package"}),
    "go": frozenset({"import", "package"}),
    "rust": frozenset({"use"}),
    "csharp": frozenset({"using"}),
    "cpp": frozenset({"using"}),
}


def imported_names(reader: NameReader) -> Iterator[str]:
    """Every name that an import statement binds, or in the other languages names (some more than once)."""
    words = _IMPORTS.get(reader.language, frozenset())
    for index, token in enumerate(reader.tokens):
        if token.kind == "keyword" and token.text in words and _is_import(reader, index):
            yield from _names_of_statement(reader, index + 1)
        elif token.text == "require" and reader.text(index - 1) == "=" and reader.text(index + 1) == "(":
            yield from _required(reader, index - 2)


def _is_import(reader: NameReader, index: int) -> bool:
    if reader.text(index + 1) == "(":
        return reader.language == "go" and reader.text(index) == "import"
    return reader.opener(index) in {"", "{"} and not (reader.language == "csharp" and _is_using_declaration(reader, index))


def _is_using_declaration(reader: NameReader, index: int) -> bool:
    """C#: `using var file = ...`, `using Stream file = ...` declare; `using Name = Other;` names something of elsewhere."""
    at = index + 1
    while reader.is_name(at) or reader.is_member(at) or reader.text(at) in {".", "?", "var", "<", ">"}:
        at += 1
    return reader.text(at) == "=" and reader.tokens[at - 1].kind == "name" and reader.text(at - 2) not in {"using", "static", "."}


def _names_of_statement(reader: NameReader, start: int) -> Iterator[str]:
    for index in range(start, len(reader.tokens)):
        if _ends_import(reader, index, start):
            return
        if reader.tokens[index].kind == "name" and not (reader.language == "python" and _binds_nothing(reader, index)):
            yield reader.text(index)


def _binds_nothing(reader: NameReader, index: int) -> bool:
    """Python: the `c` of `import a.c` and the `d` of `import d as e`."""
    return reader.is_member(index) or reader.text(index + 1) == "as"


def _ends_import(reader: NameReader, index: int, start: int) -> bool:
    if reader.text(index) == ";":
        return True
    if reader.tokens[index].kind in {"newline", "string"}:
        return not reader.opener(index)
    return reader.language in {"csharp", "cpp"} and reader.text(index) in {"=", "("} and index > start + 1


def _required(reader: NameReader, index: int) -> Iterator[str]:
    """`const name = require(...)` and `const {a, b} = require(...)`."""
    if reader.is_name(index):
        yield reader.text(index)
    elif reader.text(index) == "}":
        yield from (reader.text(at) for at in range(reader.brackets.partner.get(index, index), index) if reader.is_name(at))
