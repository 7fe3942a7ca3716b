"""Which names of a Ruby text are its own: what is assigned, parameters of methods and blocks, methods and classes of the text."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader
from utils.keywords import words
from utils.typed_blocks import HEAD_TOKENS, OwnNames, names_between

_ASSIGNING = words("= += -= *= /= %= ||= &&= |= &= ^=")
_BEFORE_PARAMETER = frozenset({"(", ",", "*", "&", "**", "|"})
_COMMANDS = words(
    """
    puts print p pp require require_relative include extend prepend attr_accessor attr_reader attr_writer raise fail loop lambda proc
    gets rand srand sleep exit abort at_exit format sprintf printf catch throw freeze block_given? binding caller warn private public
    protected module_function define_method Integer Float String Array Hash it _1 _2 __method__ __FILE__ __dir__ new
    """
)
_FOLLOWS_A_CALL = frozenset({"(", "?", "!", "{", "->", "do", "nil", "true", "false", "self", "not"})


def ruby_names(reader: NameReader) -> OwnNames:
    """The text's own names; a method that is called on something (`thing.name`), and one of a class, keeps its name."""
    names = OwnNames()
    is_class = any(token.kind == "keyword" and token.text in {"class", "module"} for token in reader.tokens)
    for index, token in enumerate(reader.tokens):
        if token.kind == "name" and reader.is_member(index):
            names.fixed.add(index)
        elif token.kind == "name" and _is_assigned(reader, index):
            names.own.add(token.text)
        elif token.text == "def" and token.kind == "keyword":
            _take_method(reader, index, names, is_class=is_class)
        elif token.text in {"class", "module", "for"} and token.kind == "keyword":
            names.own.update(_after(reader, index))
        elif token.text in {"|", "->", "=>"}:
            names.own.update(_block_parameters(reader, index))
    members = {reader.text(index) for index in names.fixed if reader.text(index - 1) == "."}
    names.refused.update(members & _methods(reader), _labels(reader))
    names.own.update(_free(reader, names.own))
    return names


def _is_assigned(reader: NameReader, index: int) -> bool:
    """`name =`, `name +=`, `a, *b = ...`; not a default argument's `key:` nor a comparison."""
    at = index
    while reader.text(at + 1) == "," and reader.opener(at) == reader.opener(index) != "(" and at < index + HEAD_TOKENS:
        at += 3 if reader.text(at + 2) == "*" else 2
        if not reader.is_name(at):
            return False
    return reader.text(at + 1) in _ASSIGNING and reader.opener(index) not in {"["}


def _take_method(reader: NameReader, index: int, names: OwnNames, *, is_class: bool) -> None:
    """`def name(a, b = 1, *c, &d)` or the same without parentheses, up to the line's end."""
    at = index + 1
    while reader.text(at + 1) == ".":
        at += 2
    if at == index + 1 and reader.tokens[at : at + 1] and reader.tokens[at].kind == "name":
        (names.refused if is_class else names.own).add(reader.text(at))
    start = at + 1
    while reader.text(start) in {"?", "!", "="}:
        start += 1
    if reader.text(start) == "(":
        names.own.update(names_between(reader, start + 1, reader.closes_at(start), _BEFORE_PARAMETER))
        return
    most = min(start + HEAD_TOKENS, len(reader.tokens))
    end = next((place for place in range(start, most) if reader.tokens[place].kind == "newline"), most)
    if start < end and reader.is_name(start):
        names.own.add(reader.text(start))
    names.own.update(names_between(reader, start, end, frozenset({",", "*", "&", "**"})))


def _labels(reader: NameReader) -> Iterator[str]:
    """`def f(key:)` and `f(key: 1)`: the parameter's name is part of each call."""
    for index, token in enumerate(reader.tokens):
        if token.kind == "string" and token.text.isidentifier() and reader.text(index + 1) == ":":
            yield token.text


def _methods(reader: NameReader) -> set[str]:
    return {reader.text(index + 1) for index, token in enumerate(reader.tokens) if token.text == "def"}


def _after(reader: NameReader, index: int) -> Iterator[str]:
    """The name of a class or module, or the variables of a `for`."""
    if reader.is_name(index + 1) and reader.text(index + 2) != "::":
        yield reader.text(index + 1)
    at = index + 2
    while reader.text(index) == "for" and reader.text(at) == "," and reader.is_name(at + 1):
        yield reader.text(at + 1)
        at += 2


def _block_parameters(reader: NameReader, index: int) -> Iterator[str]:
    """`{ |a, (b, c)| ... }`, `->(a, b) { }`, `-> a { }`, `rescue Error => e`."""
    said = reader.text(index)
    if said == "|" and reader.text(index - 1) in {"{", "do"}:
        end = next((at for at in range(index + 1, min(index + 60, len(reader.tokens))) if reader.text(at) == "|"), index)
        yield from names_between(reader, index + 1, end, _BEFORE_PARAMETER)
    elif said == "->" and reader.text(index + 1) == "(":
        yield from names_between(reader, index + 2, reader.closes_at(index + 1), _BEFORE_PARAMETER)
    elif reader.is_name(index + 1) and (said == "->" or (said == "=>" and _is_rescue(reader, index))):
        yield reader.text(index + 1)


def _is_rescue(reader: NameReader, index: int) -> bool:
    for at in range(index - 1, max(-1, index - 12), -1):
        if reader.text(at) == "rescue":
            return True
        if reader.tokens[at].kind == "newline":
            return False
    return False


def _free(reader: NameReader, own: set[str]) -> set[str]:
    """Variables whose definition was cut off: in lower case, with nothing behind that would make them calls."""
    seen: set[str] = set()
    refused: set[str] = set(_COMMANDS)
    for index, token in enumerate(reader.tokens):
        if token.kind != "name" or reader.is_member(index) or token.text in own:
            continue
        seen.add(token.text)
        after = reader.tokens[index + 1] if index + 1 < len(reader.tokens) else None
        is_call = after is not None and (after.text in _FOLLOWS_A_CALL or after.kind in {"name", "string", "number"})
        if not token.text[0].islower() or is_call or reader.text(index - 1) in {"def", "alias", "undef"}:
            refused.add(token.text)
    return seen - refused
