"""Which names of a Kotlin text are its own: values, parameters of functions and lambdas, functions and classes of the text."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader
from utils.keywords import words
from utils.typed_blocks import HEAD_TOKENS, LIST_TOKENS, OwnNames, class_bodies, names_between, names_in_imports

_CLASS_WORDS = words("class interface object")
_LISTED = frozenset({"(", ","})


def kotlin_names(reader: NameReader) -> OwnNames:
    """The text's own names; members of classes and labels of calls to others keep theirs."""
    bodies = class_bodies(reader, _CLASS_WORDS)
    names = OwnNames()
    parameters: dict[str, set[str]] = {}
    names.refused.update(names_in_imports(reader, "import"), names_in_imports(reader, "package"))
    for index, token in enumerate(reader.tokens):
        if token.kind == "name" and reader.is_member(index):
            names.fixed.add(index)
        elif token.text in {"val", "var"}:
            _take_value(reader, index, bodies, names)
        elif token.text == "fun":
            _take_function(reader, index, bodies, names, parameters)
        elif token.text in _CLASS_WORDS | {"typealias"} and reader.is_name(index + 1):
            _take_class(reader, index + 1, names, parameters)
        elif token.text == "->":
            names.own.update(_lambda_parameters(reader, index))
        elif token.text in {"for", "catch"} and reader.text(index + 1) == "(":
            names.own.update(_loop_or_caught(reader, index + 1))
    names.fixed.update(_labels(reader, parameters))
    return names


def _take_value(reader: NameReader, index: int, bodies: set[int], names: OwnNames) -> None:
    """`val name`, `val (a, b)`; a property of a class is reached as a member, so its name stays."""
    at = index + 1
    if reader.text(at) == "(":
        names.own.update(names_between(reader, at + 1, reader.closes_at(at), _LISTED))
    elif reader.text(at) == "<" or reader.text(at + 1) == ".":
        return
    elif reader.is_name(at):
        is_property = reader.brackets.enclosing[index] in bodies or (reader.opener(index) == "(" and _heads_class(reader, index))
        (names.refused if is_property else names.own).add(reader.text(at))


def _heads_class(reader: NameReader, index: int) -> bool:
    """True within the parameters of a class."""
    opener = reader.brackets.enclosing[index]
    return reader.text(opener - 2) in _CLASS_WORDS or reader.text(opener - 1) in {"constructor", ">"}


def _take_function(reader: NameReader, index: int, bodies: set[int], names: OwnNames, parameters: dict[str, set[str]]) -> None:
    at = index + 1
    if reader.text(at) == "<":
        end = next((place for place in range(at, min(at + HEAD_TOKENS, len(reader.tokens))) if reader.text(place) == ">"), at)
        names.own.update(names_between(reader, at + 1, end, frozenset({"<", ","})))
        at = end + 1
    is_extension = False
    while at < min(index + HEAD_TOKENS, len(reader.tokens)) and reader.text(at) not in {"(", "{", "}", ";"}:
        is_extension = is_extension or reader.text(at) in {".", "?."}
        at += 1
    if reader.text(at) != "(":
        return
    said = reader.text(at - 1)
    if reader.is_name(at - 1) and not is_extension:
        (names.refused if reader.brackets.enclosing[index] in bodies else names.own).add(said)
    found = set(_parameters(reader, at))
    names.own |= found
    parameters.setdefault(said, set()).update(found)


def _take_class(reader: NameReader, index: int, names: OwnNames, parameters: dict[str, set[str]]) -> None:
    names.own.add(reader.text(index))
    if reader.text(index + 1) == "(":
        found = set(_parameters(reader, index + 1))
        names.own |= found
        parameters.setdefault(reader.text(index), set()).update(found)


def _parameters(reader: NameReader, opened: int) -> Iterator[str]:
    """Names before their types, directly between the parentheses."""
    for at in range(opened + 1, min(opened + LIST_TOKENS, reader.closes_at(opened))):
        if reader.brackets.enclosing[at] == opened and reader.is_name(at) and reader.text(at + 1) == ":":
            yield reader.text(at)


def _lambda_parameters(reader: NameReader, index: int) -> Iterator[str]:
    """`{ a, (b, c): Type -> ... }`; a branch of `when` has an arrow too, and declares nothing."""
    opened = reader.brackets.enclosing[index]
    if opened < 0 or reader.text(opened) != "{" or index - opened > HEAD_TOKENS or _is_when(reader, opened):
        return
    typed = False
    found = []
    for at in range(opened + 1, index):
        said = reader.text(at)
        if reader.tokens[at].kind not in {"name", "newline"} and said not in {",", "(", ")", ":", "<", ">", ".", "?"}:
            return
        typed = (typed or said == ":") and said != ","
        if not typed and reader.is_name(at):
            found.append(said)
    yield from found


def _is_when(reader: NameReader, opened: int) -> bool:
    before = opened - 1
    if reader.text(before) == ")":
        before = reader.brackets.partner.get(before, before) - 1
    return reader.text(before) == "when"


def _loop_or_caught(reader: NameReader, opened: int) -> Iterator[str]:
    """`for (x in`, `for ((i, v) in`, `catch (e: Error)`."""
    for at in range(opened + 1, min(opened + LIST_TOKENS, reader.closes_at(opened))):
        if reader.text(at) in {"in", ":"}:
            return
        if reader.is_name(at) and reader.text(at - 1) in _LISTED:
            yield reader.text(at)


def _labels(reader: NameReader, parameters: dict[str, set[str]]) -> Iterator[int]:
    """`call(name = value)` of a function that is not of this text, or takes no such parameter."""
    for index, token in enumerate(reader.tokens):
        opener = reader.brackets.enclosing[index]
        if token.kind != "name" or reader.text(index + 1) != "=" or reader.text(index - 1) not in _LISTED or reader.text(opener) != "(":
            continue
        if token.text not in parameters.get(reader.text(opener - 1), set()):
            yield index
