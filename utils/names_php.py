"""Which names of a PHP text are its own: all variables but `$this`, properties and the superglobals; its functions and classes."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader
from utils.keywords import words
from utils.typed_blocks import OwnNames, class_bodies, names_in_imports

_FIXED_VARIABLES = words("$this $GLOBALS $_SERVER $_GET $_POST $_FILES $_COOKIE $_SESSION $_REQUEST $_ENV $argc $argv")
_CLASS_WORDS = words("class interface trait enum")
_MODIFIERS = words("public private protected var static readonly final")


def php_names(reader: NameReader) -> OwnNames:
    """The text's own names, and the places where a word like them is something else."""
    bodies = class_bodies(reader, _CLASS_WORDS)
    imported = names_in_imports(reader, "use")
    names = OwnNames()
    for index, token in enumerate(reader.tokens):
        if token.kind != "name":
            continue
        if reader.is_member(index):
            names.fixed.add(index)
        elif token.text.startswith("$"):
            _take_variable(reader, index, bodies, names)
        elif reader.text(index - 1) in {"function", "&"} and reader.text(index + 1) == "(" and _follows_function(reader, index):
            (names.refused if reader.brackets.enclosing[index] in bodies else names.own).add(token.text)
        elif reader.text(index - 1) in _CLASS_WORDS and not reader.is_member(index - 1):
            names.own.add(token.text)
    names.refused.update(imported, _promoted(reader))
    return names


def _take_variable(reader: NameReader, index: int, bodies: set[int], names: OwnNames) -> None:
    """A variable, unless it is declared as a property."""
    said = reader.text(index)
    is_property = reader.brackets.enclosing[index] in bodies and reader.text(index - 1) not in {"=", ",", "."}
    if said in _FIXED_VARIABLES:
        names.refused.add(said)
    elif is_property:
        names.fixed.add(index)
    else:
        names.own.add(said)


def _follows_function(reader: NameReader, index: int) -> bool:
    return "function" in {reader.text(index - 1), reader.text(index - 2)}


def _promoted(reader: NameReader) -> Iterator[str]:
    """Parameters of a constructor that become properties: `public function __construct(private string $name)`."""
    for index, token in enumerate(reader.tokens):
        if token.text in _MODIFIERS and reader.opener(index) == "(":
            at = index + 1
            while at < len(reader.tokens) and reader.text(at) not in {",", ")", "="}:
                if reader.text(at).startswith("$"):
                    yield reader.text(at)
                at += 1
