"""The check `returns_number`: a guard may `return 0` only from a function that gives a number wherever it ends.

A rewrite that adds no edit of its own: it lets the other keys of the fix pass, or refuses it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ast_grep_py import SgNode

from rules.document import Document
from rules.sites import Site
from schema.finding import TextEdit

_NUMBER_TYPES = frozenset({"float", "int", "Number", "Real", "int | float", "float | int", "Union[int, float]", "Union[float, int]"})
_NUMBER_CALLS = frozenset(
    {"round", "float", "int", "abs", "sum", "len", "min", "max", "pow", "sqrt", "fsum", "floor", "ceil", "mean", "log", "exp"}
)
_ALWAYS_NUMBER = frozenset({"-", "/", "//", "**"})
_FUNCTIONS = frozenset({"function_definition", "lambda"})
_TEXTS = frozenset({"string", "concatenated_string", "list", "tuple", "dictionary", "set", "none", "true", "false", "list_comprehension"})
_MAX_DEPTH = 30


def returns_number(document: Document, site: Site) -> list[TextEdit] | None:
    """No edits when every return gives a number that is not a constant other than 0; else None."""
    function = document.enclosing(site.node, "function")
    collection = site.capture("X")
    if function is None or not _may_be_number(function.field("return_type")):
        return None
    returned = [_value(node) for node in function.find_all(kind="return_statement") if _own(node, function)]
    judge = _Judge(function, "" if collection is None else collection.text())
    return [] if returned and all(judge.allows(value) for value in returned) else None


def _may_be_number(annotation: SgNode | None) -> bool:
    return annotation is None or annotation.text().strip("\"'") in _NUMBER_TYPES


def _value(statement: SgNode) -> SgNode | None:
    values = [child for child in statement.named_children() if child.kind() != "comment"]
    return values[0] if len(values) == 1 else None


def _own(node: SgNode, function: SgNode) -> bool:
    """The node belongs to this function and to none inside of it."""
    return next((outer for outer in node.ancestors() if outer.kind() in _FUNCTIONS), None) == function


@dataclass
class _Judge:
    """Tells numbers of one function; `collection` is the text of what may be empty: it is none itself."""

    function: SgNode
    collection: str
    asked: set[str] = field(default_factory=set)

    def allows(self, value: SgNode | None) -> bool:
        """A returned value beside which a returned 0 fits."""
        if value is None:
            return False
        if value.kind() in {"integer", "float"} or (value.kind() == "unary_operator" and value.text().lstrip("-+").isdigit()):
            return not value.text().strip("0.")
        return self.is_number(value)

    def is_number(self, node: SgNode | None, depth: int = 0) -> bool:
        """True when the expression can be nothing but a number, as far as this function shows."""
        if node is None or depth > _MAX_DEPTH:
            return False
        kind, parts = node.kind(), node.named_children()
        if kind in {"parenthesized_expression", "unary_operator"}:
            return self.is_number(parts[-1], depth + 1)
        if kind == "conditional_expression":
            return self.is_number(parts[0], depth + 1) and self.is_number(parts[-1], depth + 1)
        if kind == "binary_operator":
            return self._is_arithmetic(node, depth)
        if kind == "identifier":
            return self._is_number_name(node.text(), depth)
        called = node.field("function") if kind == "call" else None
        return kind in {"integer", "float"} or (called is not None and called.text().rpartition(".")[2] in _NUMBER_CALLS)

    def _is_arithmetic(self, node: SgNode, depth: int) -> bool:
        """`a - b` and the like give numbers; `a + b` and `a * b` only when one side is known to be one and no side is a text."""
        operator, left, right = node.field("operator"), node.field("left"), node.field("right")
        sides = [side for side in (left, right) if side is not None]
        if operator is None or any(side.kind() in _TEXTS or side.text() == self.collection for side in sides):
            return False
        sign = operator.text()
        known = [self.is_number(side, depth + 1) for side in sides]
        if sign in {"+", "*"}:
            return any(known) and not any(self._is_text(side) for side in sides)
        return sign in _ALWAYS_NUMBER or (sign == "%" and known[0])

    def _is_text(self, node: SgNode) -> bool:
        called = node.field("function") if node.kind() == "call" else None
        return called is not None and (called.text() in {"str", "repr", "list", "tuple"} or called.text().endswith((".join", ".format")))

    def _is_number_name(self, name: str, depth: int) -> bool:
        """Every value that the function gives the name is a number; a name that it is handed is not known to be one."""
        if name in self.asked:
            return True
        self.asked.add(name)
        try:
            values = [
                node.field("right")
                for node in self.function.find_all(kind="assignment")
                if (target := node.field("left")) is not None and target.text() == name and _own(node, self.function)
            ]
            return bool(values) and all(self.is_number(value, depth + 1) for value in values)
        finally:
            self.asked.discard(name)
