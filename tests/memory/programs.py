"""Small random programs and edits of them, written out as Python or JavaScript in any names and layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

NAMES = ("work", "first", "second", "third", "total")
OTHER_NAMES = ("zulu", "yankee", "x_ray", "whisky", "größe")


@dataclass(frozen=True)
class Statement:
    """`kind` is assign, add, return, call, if or for; names are numbers, written through a table of names."""

    kind: str
    name: int
    expression: tuple[object, ...]
    body: tuple[Statement, ...] = ()
    comment: str = ""
    above: str = ""


@dataclass(frozen=True)
class Look:
    """How a program is laid out; the comments are those of the statements when `commented` says so."""

    names: Sequence[str] = NAMES
    unit: str = "    "
    commented: bool = False
    blank_lines: bool = False
    spaced: bool = True
    brace_below: bool = False


def _expressions() -> st.SearchStrategy[tuple[object, ...]]:
    atoms = st.sampled_from([(1,), (2,), (3,), (4,), ("7",), ("'text'",), ("0",)])
    return st.lists(st.tuples(atoms, st.sampled_from(["+", "-", "*"])), min_size=1, max_size=3).map(
        lambda parts: tuple(piece for (atom, sign) in parts for piece in (*atom, sign))[:-1]
    )


def _simple() -> st.SearchStrategy[Statement]:
    return st.builds(Statement, st.sampled_from(["assign", "add", "call", "return"]), st.integers(1, 4), _expressions())


def _compound(children: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    bodies = st.lists(children, min_size=1, max_size=3).map(tuple)
    return st.builds(Statement, st.sampled_from(["if", "for"]), st.integers(1, 4), _expressions(), bodies)


def statements() -> st.SearchStrategy[Statement]:
    """One statement, nested up to a few levels."""
    return st.recursive(_simple(), _compound, max_leaves=5)


def bodies() -> st.SearchStrategy[tuple[Statement, ...]]:
    """The body of a function, each statement with a comment of its own beside it and above it."""
    return st.lists(statements(), min_size=1, max_size=4).map(lambda body: _numbered(tuple(body), iter(range(1000))))


def _numbered(body: tuple[Statement, ...], numbers: Iterator[int]) -> tuple[Statement, ...]:
    return tuple(
        replace(statement, comment=f"beside {next(numbers)}", above=f"above {next(numbers)}", body=_numbered(statement.body, numbers))
        for statement in body
    )


def edited(body: tuple[Statement, ...], place: int, edit: str, new: Statement) -> tuple[Statement, ...]:
    """The body with one edit at a place: replace, insert, wrap or delete (a block is never emptied)."""
    at = place % len(body)
    old = body[at]
    if old.body and place // len(body) % 2:
        return (*body[:at], replace(old, body=edited(old.body, place // len(body) // 2, edit, new)), *body[at + 1 :])
    if edit == "insert":
        return (*body[:at], new, *body[at:])
    if edit == "wrap":
        return (*body[:at], Statement("if", new.name, new.expression, (old,)), *body[at + 1 :])
    if edit == "delete" and len(body) > 1:
        return (*body[:at], *body[at + 1 :])
    return (*body[:at], replace(old, expression=(*new.expression, "+", *old.expression)), *body[at + 1 :])


def written(body: tuple[Statement, ...], language: str, look: Look) -> str:
    """The program as text."""
    writer = _Python(look) if language == "python" else _JavaScript(look)
    return "\n".join(writer.function(body)) + "\n"


class _Writer:
    def __init__(self, look: Look) -> None:
        self.look = look

    def expression(self, parts: Sequence[object]) -> str:
        said = [self.look.names[part] if isinstance(part, int) else str(part) for part in parts]
        return (" " if self.look.spaced else "").join(said)

    def block(self, body: tuple[Statement, ...], depth: int) -> Iterator[str]:
        for statement in body:
            if self.look.blank_lines and statement.name % 2:
                yield ""
            if self.look.commented and statement.above:
                yield self.look.unit * depth + self.marker + statement.above
            yield from self.statement(statement, depth)

    marker = ""

    def statement(self, statement: Statement, depth: int) -> Iterator[str]:
        raise NotImplementedError

    def beside(self, statement: Statement) -> str:
        return f"  {self.marker}{statement.comment}" if self.look.commented and statement.comment else ""


class _Python(_Writer):
    marker = "# "

    def function(self, body: tuple[Statement, ...]) -> Iterator[str]:
        yield f"def {self.look.names[0]}({', '.join(self.look.names[1:])}):"
        yield from self.block(body, 1)

    def statement(self, statement: Statement, depth: int) -> Iterator[str]:
        name, value, equals = self.look.names[statement.name], self.expression(statement.expression), " = " if self.look.spaced else "="
        heads = {
            "assign": f"{name}{equals}{value}",
            "add": f"{name}{equals.replace('=', '+=')}{value}",
            "call": f"print({value}, sep={name})",
            "return": f"return {value}",
            "if": f"if {value}:",
            "for": f"for {name} in range({value}):",
        }
        yield self.look.unit * depth + heads[statement.kind] + self.beside(statement)
        yield from self.block(statement.body, depth + 1)


class _JavaScript(_Writer):
    marker = "// "

    def function(self, body: tuple[Statement, ...]) -> Iterator[str]:
        yield from self.opened(f"function {self.look.names[0]}({', '.join(self.look.names[1:])})", 0, "")
        yield from self.block(body, 1)
        yield "}"

    def opened(self, head: str, depth: int, beside: str) -> Iterator[str]:
        if self.look.brace_below:
            yield self.look.unit * depth + head + beside
            yield self.look.unit * depth + "{"
        else:
            yield self.look.unit * depth + head + " {" + beside

    def statement(self, statement: Statement, depth: int) -> Iterator[str]:
        name, value, equals = self.look.names[statement.name], self.expression(statement.expression), " = " if self.look.spaced else "="
        heads = {
            "assign": f"{name}{equals}{value};",
            "add": f"{name}{equals.replace('=', '+=')}{value};",
            "call": f"console.log({value}, {name});",
            "return": f"return {value};",
            "if": f"if ({value})",
            "for": f"for ({name} of {value})",
        }
        if not statement.body:
            yield self.look.unit * depth + heads[statement.kind] + self.beside(statement)
            return
        yield from self.opened(heads[statement.kind], depth, self.beside(statement))
        yield from self.block(statement.body, depth + 1)
        yield self.look.unit * depth + "}"
