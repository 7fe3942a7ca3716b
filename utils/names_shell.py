"""Which names of a shell text are its own: variables where they are variables, and functions where they are commands."""

from __future__ import annotations

from collections.abc import Iterator

from utils.declared import NameReader
from utils.keywords import words
from utils.typed_blocks import HEAD_TOKENS, OwnNames

_DECLARING = words("local declare typeset readonly unset read mapfile readarray")
_COMMAND_STARTS = words("; | || && & ( { ! then do else elif if while until time") | {""}
_ENVIRONMENT = words(
    """
    PATH HOME IFS PWD OLDPWD USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TERM TMPDIR PS1 PS2 PS4 EDITOR PAGER HOSTNAME UID EUID PPID
    RANDOM SECONDS LINENO REPLY OPTARG OPTIND OPTERR BASH_SOURCE BASH_REMATCH BASH_VERSION FUNCNAME PIPESTATUS CDPATH DISPLAY
    PYTHONPATH LD_LIBRARY_PATH
    """
)


def shell_names(reader: NameReader) -> OwnNames:
    """The text's own names; a word that is no variable or command of the text is fixed where it stands."""
    names = OwnNames()
    declared = set(_declared_words(reader))
    functions = {reader.text(index) for index in range(len(reader.tokens)) if _defines_function(reader, index)}
    for index, token in enumerate(reader.tokens):
        if token.kind != "name":
            continue
        if index in declared or _is_assigned(reader, index) or _is_used(reader, index):
            names.own.add(token.text)
        elif not (token.text in functions and _is_command(reader, index)):
            names.fixed.add(index)
    names.own |= functions
    names.refused.update(_ENVIRONMENT, _exported(reader))
    return names


def _is_glued(reader: NameReader, index: int) -> bool:
    """True when nothing stands between this token and the one before."""
    return index > 0 and reader.tokens[index - 1].end == reader.tokens[index].start and bool(reader.text(index - 1))


def _is_assigned(reader: NameReader, index: int) -> bool:
    """`name=`, `name+=`, `name[...]=`, at the start of a word."""
    at = index + 1
    if reader.text(at) == "[" and _is_glued(reader, at):
        at = reader.closes_at(at) + 1
    starts = not _is_glued(reader, index) or reader.text(index - 1) in {"(", ";", "|", "&"}
    return starts and reader.text(at) in {"=", "+="} and at < len(reader.tokens) and _is_glued(reader, at)


def _is_used(reader: NameReader, index: int) -> bool:
    """`$name`, `${name...}`, `${#name}`, or a name in an arithmetic expression."""
    before = reader.text(index - 1)
    if before == "$" or (before == "{" and reader.text(index - 2) == "$"):
        return _is_glued(reader, index)
    if before in {"#", "!"} and reader.text(index - 2) == "{" and reader.text(index - 3) == "$":
        return True
    return _is_arithmetic(reader, index)


def _is_arithmetic(reader: NameReader, index: int) -> bool:
    """Within `((...))`, `$((...))`, or the index of an array."""
    at = reader.brackets.enclosing[index]
    while at >= 0:
        said, is_glued = reader.text(at), _is_glued(reader, at)
        if said == "(" and is_glued and reader.text(at - 1) == "(":
            return True
        if said == "[" and is_glued and at >= 1 and reader.tokens[at - 1].kind == "name":
            return True
        if said == "{" or reader.text(at - 1) == "$":
            return False
        at = reader.brackets.enclosing[at]
    return False


def _defines_function(reader: NameReader, index: int) -> bool:
    if reader.tokens[index].kind != "name" or _is_glued(reader, index):
        return False
    return reader.text(index - 1) == "function" or (reader.text(index + 1) == "(" and reader.text(index + 2) == ")")


def _is_command(reader: NameReader, index: int) -> bool:
    return reader.text(index - 1) in _COMMAND_STARTS or reader.text(index - 1) == "function"


def _declared_words(reader: NameReader) -> Iterator[int]:
    """The words after `local` and its like, up to the line's end; the variable of a `for`; the one after `printf -v`."""
    for index, token in enumerate(reader.tokens):
        if token.text in _DECLARING:
            yield from _words_after(reader, index)
        elif (token.text in {"for", "select"} and token.kind == "keyword") or _is_option_v(reader, index):
            yield index + 1


def _is_option_v(reader: NameReader, index: int) -> bool:
    """`printf -v name`, `[[ -v name ]]`."""
    return reader.text(index) == "v" and reader.text(index - 1) == "-" and reader.text(index - 2) in {"printf", "["}


def _words_after(reader: NameReader, index: int) -> Iterator[int]:
    for at in range(index + 1, min(index + HEAD_TOKENS, len(reader.tokens))):
        token = reader.tokens[at]
        if token.kind == "newline" or token.text in {";", "|", "||", "&&", "<", ")"}:
            return
        if token.kind == "name" and not _is_glued(reader, at):
            yield at


def _exported(reader: NameReader) -> Iterator[str]:
    """Names that other programs read: exported ones, and those set for one command (`LC_ALL=C sort`)."""
    for index, token in enumerate(reader.tokens):
        if token.text == "export":
            yield from (reader.text(at) for at in _words_after(reader, index))
        elif token.kind == "name" and _is_assigned(reader, index) and _is_for_one_command(reader, index):
            yield token.text


def _is_for_one_command(reader: NameReader, index: int) -> bool:
    """`NAME=value command`: a word follows the value on the same line."""
    if reader.text(index - 1) not in _COMMAND_STARTS or not reader.text(index).isupper():
        return False
    at = index + 2
    while at < min(index + HEAD_TOKENS, len(reader.tokens)) and _is_glued(reader, at):
        at = reader.closes_at(at) + 1 if reader.text(at) in {"(", "{"} else at + 1
    return at < len(reader.tokens) and reader.tokens[at].kind == "name"
