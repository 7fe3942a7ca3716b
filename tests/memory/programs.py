"""Small random programs of several functions, edits of them, and names to write them in. `program_writers` makes text of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from hypothesis import strategies as st

FUNCTIONS = ("collect", "measure", "settle")
NAMES = ("first", "second", "third", "total", "entry", "limit")
OTHER_FUNCTIONS = ("zulu", "yankee", "x_ray")
OTHER_NAMES = ("whisky", "victor", "größe", "uniform", "tango", "sierra")
NEW_NAME = len(NAMES)
"""The number of a name that no buggy program has, and a fix may bring along; it is called `fresh`."""
FRESH = "fresh"
KINDS = ("insert", "delete", "replace", "move", "wrap")


@dataclass(frozen=True)
class Name:
    """A variable."""

    number: int


@dataclass(frozen=True)
class Text:
    """A string with this between its quotes."""

    said: str


@dataclass(frozen=True)
class Call:
    """A call of one of the program's own functions, with two variables."""

    function: int
    first: Name
    second: Name


Part = Name | Text | Call | str
"""What an expression is made of; a plain string is an operator or a number."""
Expression = tuple[Part, ...]


@dataclass(frozen=True)
class Statement:
    """`kind` is declare, assign, add, show, return, note, if, loop or while. `otherwise`: the else branch of an if."""

    kind: str
    name: Name
    expression: Expression
    body: tuple[Statement, ...] = ()
    otherwise: tuple[Statement, ...] = ()
    comment: str = ""
    above: str = ""


Body = tuple[Statement, ...]
Program = tuple[Body, ...]
"""The bodies of its functions, each of which takes two parameters."""


@dataclass(frozen=True)
class Naming:
    """What functions and variables are called. Methods of a class keep their names whatever their text is renamed to."""

    functions: Sequence[str] = FUNCTIONS
    variables: Sequence[str] = (*NAMES, FRESH)


@dataclass(frozen=True)
class Look:
    """How a program is laid out; the comments are those of the statements when `commented` says so."""

    unit: str = "    "
    commented: bool = False
    blank_lines: bool = False
    spaced: bool = True
    brace_below: bool = False


@dataclass(frozen=True)
class Edit:
    """One change: `place` says where, whatever its size."""

    kind: str
    place: int
    new: Statement


class Maker:
    """Makes programs and edits from one seed. Hypothesis chooses the seed: building a program out of its own draws takes ten times as
    long as the law that it is for."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)  # noqa: S311  the same programs each time, nothing secret
        self.functions = self.random.randint(1, len(FUNCTIONS))

    def __repr__(self) -> str:
        return f"Maker({self.seed})"

    def program(self) -> Program:
        """All functions; each statement has a comment of its own beside it and above it."""
        bodies = [tuple(self.statement() for _ in range(self.random.randint(1, 5))) for _ in range(self.functions)]
        return tuple(_numbered(body, f"{number}.") for number, body in enumerate(bodies))

    def statement(self, depth: int = 0) -> Statement:
        """One statement, nested up to three levels."""
        simple = ["declare", "assign", "add", "show", "show", "return"]
        kind = self.random.choice(simple if depth > 2 else [*simple, "if", "if", "loop", "while"])
        is_open = kind in {"if", "loop", "while"}
        body = self._block(depth + 1) if is_open else ()
        otherwise = self._block(depth + 1) if kind == "if" and self.random.random() < 0.4 else ()
        return Statement(kind, self._name(), self._expression(), body, otherwise)

    def edits(self, kinds: Sequence[str] = KINDS) -> tuple[Edit, ...]:
        """What a fix does: up to three changes. Some of the statements that it brings along declare a name of its own."""
        made = [Edit(self.random.choice(kinds), self.random.randrange(10_000), self.statement(2)) for _ in range(self.random.randint(1, 3))]
        return tuple(replace(each, new=self._fresh()) if self.random.random() < 0.3 else each for each in made)

    def variables(self) -> list[str]:
        """Names for all variables: swapped with each other, quite others, or the one that the fix brings along."""
        return self.random.sample([*NAMES, FRESH, *OTHER_NAMES], len(NAMES))

    def look(self) -> Look:
        """Any layout."""
        chosen = (self.random.random() < 0.5 for _ in range(4))
        return Look(self.random.choice(["  ", "    ", "\t", "   "]), *chosen)

    def _block(self, depth: int) -> Body:
        return tuple(self.statement(depth) for _ in range(self.random.randint(1, 3)))

    def _fresh(self) -> Statement:
        return Statement("declare", Name(NEW_NAME), self._expression())

    def _name(self) -> Name:
        return Name(self.random.randrange(len(NAMES)))

    def _expression(self) -> Expression:
        parts: list[Part] = [self._atom()]
        while self.random.random() < 0.5:
            parts += [self.random.choice("+-*<"), self._atom()]
        return tuple(parts)

    def _atom(self) -> Part:
        choice = self.random.random()
        if choice < 0.5:
            return self._name()
        if choice < 0.7:
            return Call(self.random.randrange(self.functions), self._name(), self._name())
        return Text(self.random.choice(["", "open", "no such key"])) if choice < 0.8 else self.random.choice(["0", "1", "7", "42"])


MAKERS = st.integers(0, 1 << 32).map(Maker)


def _numbered(body: Body, prefix: str) -> Body:
    return tuple(
        replace(
            statement,
            comment=f"beside {prefix}{number}",
            above=f"above {prefix}{number}",
            body=_numbered(statement.body, f"{prefix}{number}a"),
            otherwise=_numbered(statement.otherwise, f"{prefix}{number}b"),
        )
        for number, statement in enumerate(body)
    )


def edited(program: Program, changes: Sequence[Edit]) -> Program:
    """The program with the changes made one after the other. No block is ever emptied."""
    for change in changes:
        at = change.place % len(program)
        program = (*program[:at], _edited_body(program[at], change.place // len(program), change), *program[at + 1 :])
    return program


def _edited_body(body: Body, place: int, change: Edit) -> Body:
    at = place % len(body)
    old = body[at]
    if old.body and place // len(body) % 2:
        inner = replace(old, body=_edited_body(old.body, place // len(body) // 2, change))
        return (*body[:at], inner, *body[at + 1 :])
    return tuple(_changed(body, at, change))


def _changed(body: Body, at: int, change: Edit) -> Iterator[Statement]:
    old, others = body[at], (*body[:at], *body[at + 1 :])
    if change.kind == "insert":
        yield from (*body[:at], change.new, *body[at:])
    elif change.kind == "wrap":
        yield from (*body[:at], Statement("if", change.new.name, change.new.expression, (old,)), *body[at + 1 :])
    elif change.kind == "delete" and others:
        yield from others
    elif change.kind == "move" and others:
        to = change.place // 7 % len(body)
        yield from (*others[:to], old, *others[to:])
    else:
        yield from (*body[:at], replace(old, expression=(*change.new.expression, "+", *old.expression)), *body[at + 1 :])


def touched(program: Program, changes: Sequence[Edit]) -> set[int]:
    """The functions that the changes are made in."""
    return {change.place % len(program) for change in changes}


def with_before(program: Program, comment: str, new: Statement) -> Program:
    """The program with a statement before the one that has this comment beside it."""
    return tuple(_with_before(body, comment, new) for body in program)


def _with_before(block: Body, comment: str, new: Statement) -> Body:
    found: list[Statement] = []
    for statement in block:
        found += [new] if statement.comment == comment else []
        body, otherwise = (_with_before(part, comment, new) for part in (statement.body, statement.otherwise))
        found.append(replace(statement, body=body, otherwise=otherwise))
    return tuple(found)


def walk(body: Body) -> Iterator[Statement]:
    """All statements of a body, outer ones first."""
    for statement in body:
        yield statement
        yield from walk(statement.body)
        yield from walk(statement.otherwise)
