"""Which names of a Python text are its own: bound in it, and so free to be called something else."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from utils.keywords import words

BUILTINS = words(
    """
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits
    delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id
    input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print
    property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip Ellipsis
    NotImplemented __import__ __name__ __file__ __doc__ unicode xrange raw_input long basestring unichr reduce
    match case
    """
)
"""Written out, because keys must not depend on the Python that makes them."""


@dataclass
class BoundNames:
    """What a text binds. `kept` (imports, members of classes) is never renamed, whatever else binds the same name."""

    bound: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    parameters: dict[str, set[str]] = field(default_factory=dict)
    """Parameters of each function or class of this text, by its name: their keyword arguments are names of this text."""

    @property
    def own(self) -> set[str]:
        """The names that may be renamed."""
        return {name for name in self.bound - self.kept if not (name.startswith("__") and name.endswith("__"))}


def bound_names(text: str) -> BoundNames | None:
    """The names that a text binds, or None when Python can't parse it (broken, too deep, too long, another version)."""
    tree = _parsed(text)
    if tree is None:
        return None
    names = BoundNames()
    for node in ast.walk(tree):
        names.bound.update(_bound_by(node))
        if isinstance(node, ast.alias):
            names.kept.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.ClassDef):
            _take_class(node, names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.parameters.setdefault(node.name, set()).update(_parameters(node.args))
    return names


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound_by(node: ast.AST) -> Iterator[str]:
    """The names that one node binds, imports left out."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Name(ctx=ast.Store() | ast.Del()):
            yield node.id
        case ast.arg():
            yield node.arg
        case ast.Global() | ast.Nonlocal():
            yield from node.names
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        yield argument.arg


def _take_class(node: ast.ClassDef, names: BoundNames) -> None:
    """Methods and class attributes are reached as members, so their names stay."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            names.kept.add(statement.name)
            if statement.name == "__init__":
                names.parameters.setdefault(node.name, set()).update(_parameters(statement.args))
        elif isinstance(statement, ast.ClassDef):
            names.kept.add(statement.name)
        else:
            names.kept.update(_targets(statement))


def _targets(statement: ast.stmt) -> Iterator[str]:
    """Names that an assignment in a class body makes members."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    for target in targets:
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                yield part.id
