"""Which names of a Swift text are its own: values, parameters of functions and closures, functions and types of the text."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader
from utils.keywords import words
from utils.typed_blocks import HEAD_TOKENS, LIST_TOKENS, OwnNames, class_bodies, names_between, names_in_imports

_TYPE_WORDS = words("class struct enum protocol extension")
_LISTED = frozenset({"(", ","})


def swift_names(reader: NameReader) -> OwnNames:
    """The text's own names; members of types, cases and labels of calls to others keep theirs."""
    bodies = class_bodies(reader, _TYPE_WORDS)
    names = OwnNames()
    parameters: dict[str, set[str]] = {}
    names.refused.update(names_in_imports(reader, "import"))
    for index, token in enumerate(reader.tokens):
        said = token.text
        if token.kind == "name" and reader.is_member(index):
            names.fixed.add(index)
        elif said in {"let", "var"}:
            (names.refused if reader.brackets.enclosing[index] in bodies else names.own).update(_values(reader, index))
        elif said == "case" and reader.brackets.enclosing[index] in bodies:
            names.refused.update(_cases(reader, index))
        elif said in {"func", "init", "subscript"}:
            _take_function(reader, index, bodies, names, parameters)
        elif said in (_TYPE_WORDS - {"extension"}) | {"typealias"} and reader.is_name(index + 1):
            names.own.add(reader.text(index + 1))
        elif said == "in":
            names.own.update(_closure_parameters(reader, index))
        elif said == "for":
            names.own.update(_loop_variables(reader, index))
    names.fixed.update(_labels(reader, parameters))
    return names


def _values(reader: NameReader, index: int) -> Iterator[str]:
    """`let name`, `let (a, b)`, `case let .some(a, b)`, and further names of the same statement (`let a = 1, b = 2`)."""
    at = index + 1
    while reader.text(at) == "." and reader.text(at + 2) == "(":
        at += 2
    if reader.text(at) == "(":
        yield from names_between(reader, at + 1, reader.closes_at(at), _LISTED)
    elif reader.is_name(at):
        yield reader.text(at)
    opener = reader.brackets.enclosing[index]
    for further in range(at, min(at + HEAD_TOKENS, len(reader.tokens))):
        if reader.tokens[further].kind == "newline" and reader.brackets.enclosing[further] == opener:
            return
        is_named = reader.text(further - 1) == "," and reader.text(further + 1) in {"=", ":"}
        if is_named and reader.brackets.enclosing[further] == opener and reader.is_name(further) and reader.opener(index) != "(":
            yield reader.text(further)


def _cases(reader: NameReader, index: int) -> Iterator[str]:
    at = index + 1
    while reader.is_name(at):
        yield reader.text(at)
        if reader.text(at + 1) == "(":
            at = reader.closes_at(at + 1)
        if reader.text(at + 1) != ",":
            return
        at += 2


def _take_function(reader: NameReader, index: int, bodies: set[int], names: OwnNames, parameters: dict[str, set[str]]) -> None:
    """`func name<T>(label local: Type, name: Type)`: a label stays, a name that is label and variable at once is the text's own."""
    at = index + 1
    while at < min(index + HEAD_TOKENS, len(reader.tokens)) and reader.text(at) not in {"(", "{", "}"}:
        if reader.text(index) == "func" and at > index + 1 and reader.is_name(at) and reader.text(at - 1) in {"<", ","}:
            names.own.add(reader.text(at))
        at += 1
    if reader.text(at) != "(":
        return
    said = reader.text(index + 1)
    if reader.text(index) == "func" and reader.is_name(index + 1):
        (names.refused if reader.brackets.enclosing[index] in bodies else names.own).add(said)
    for place in range(at + 1, min(at + LIST_TOKENS, reader.closes_at(at))):
        if reader.tokens[place].kind != "name" or reader.brackets.enclosing[place] != at or reader.text(place + 1) != ":":
            continue
        names.own.add(reader.text(place))
        if reader.text(place - 1) in _LISTED:
            parameters.setdefault(said, set()).add(reader.text(place))
        elif reader.tokens[place - 1].kind == "name" and reader.text(place - 1) != "_":
            names.fixed.add(place - 1)


def _closure_parameters(reader: NameReader, index: int) -> Iterator[str]:
    """`{ a, b in`, `{ (a: Int) -> Int in`; not the `in` of a loop."""
    opened = reader.brackets.enclosing[index]
    if opened < 0 or reader.text(opened) != "{" or index - opened > HEAD_TOKENS:
        return
    typed = False
    for at in range(opened + 1, index):
        said = reader.text(at)
        if said in {"for", "let", "var", "="} or reader.tokens[at].kind == "string":
            return
        typed = (typed or said in {":", "->"}) and said not in {",", "("}
        if not typed and reader.is_name(at) and reader.text(at - 1) in _LISTED | {"{", "]", ""} and reader.opener(at) != "[":
            yield said


def _loop_variables(reader: NameReader, index: int) -> Iterator[str]:
    """`for name in`, `for (a, b) in`."""
    for at in range(index + 1, min(index + HEAD_TOKENS, len(reader.tokens))):
        if reader.text(at) in {"in", "{"}:
            return
        if reader.is_name(at) and reader.text(at - 1) in _LISTED | {"for", "case"}:
            yield reader.text(at)


def _labels(reader: NameReader, parameters: dict[str, set[str]]) -> Iterator[int]:
    """`call(label: value)` of a function that is not of this text, or takes its label from elsewhere."""
    for index, token in enumerate(reader.tokens):
        opener = reader.brackets.enclosing[index]
        if token.kind != "name" or reader.text(index + 1) != ":" or reader.text(index - 1) not in _LISTED or reader.text(opener) != "(":
            continue
        if reader.text(opener - 2) in {"func", "subscript"} or reader.text(opener - 1) == "init" or _is_closure_head(reader, opener):
            continue
        if token.text not in parameters.get(reader.text(opener - 1), set()):
            yield index


def _is_closure_head(reader: NameReader, opener: int) -> bool:
    return reader.text(opener - 1) == "{" or (reader.text(opener - 1) == ">" and reader.text(reader.closes_at(opener) + 1) in {"->", "{"})
