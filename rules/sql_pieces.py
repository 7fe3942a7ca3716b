"""A query expression of Python taken apart: the pieces of text that its literals hold, and the values between them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ast_grep_py import SgNode

_STRING = re.compile(r"(?s)[fF]?(\"\"\"|'''|\"|')(.*)\1")
_PERCENT = re.compile(r"%%|%[sd]")
_FIELD = re.compile(r"\{\{|\}\}|\{\w*\}")
_UNPACKED = frozenset({"keyword_argument", "list_splat", "dictionary_splat", "dictionary"})


@dataclass(frozen=True)
class Value:
    """An expression between two pieces of SQL text."""

    code: str


@dataclass(frozen=True)
class Literal:
    """A piece of SQL text and the string literal that it stands in."""

    text: str
    node: SgNode

    @property
    def quote(self) -> str:
        """The quotes of the literal."""
        shape = _STRING.fullmatch(self.node.text())
        return "" if shape is None else shape[1]

    def written(self, text: str) -> str | None:
        """`text` as a plain literal with the same quotes; None when it can't be written so."""
        quote = self.quote
        if not quote or quote in text or text.endswith(quote[0]) or "\\" in text or ("\n" in text and len(quote) == 1):
            return None
        return f"{quote}{text}{quote}"


Piece = Literal | Value


def query_pieces(node: SgNode) -> list[Piece]:
    """The query as text and values; empty when it is built in a way that is not understood."""
    kind = node.kind()
    if kind == "concatenated_string":
        return _joined([_string_pieces(child) for child in node.named_children() if child.kind() != "comment"])
    if kind == "parenthesized_expression":
        inner = [child for child in node.named_children() if child.kind() != "comment"]
        return query_pieces(inner[0]) if len(inner) == 1 and inner[0].kind() in {"string", "concatenated_string"} else []
    if kind == "binary_operator":
        is_format = _operator(node) == "%"
        return _formatted(node.field("left"), _tuple_items(node.field("right")), _PERCENT) if is_format else _sum_pieces(node)
    return _call_pieces(node) if kind == "call" else _string_pieces(node)


def _call_pieces(node: SgNode) -> list[Piece]:
    """`"...".format(values)`."""
    function, arguments = node.field("function"), node.field("arguments")
    if function is None or arguments is None or function.kind() != "attribute" or not function.text().endswith(".format"):
        return []
    return _formatted(function.field("object"), arguments.named_children(), _FIELD)


def _joined(parts: list[list[Piece]]) -> list[Piece]:
    """All pieces in a row; none when one part is not understood."""
    return [piece for part in parts for piece in part] if all(parts) else []


def _operator(node: SgNode) -> str:
    operator = node.field("operator")
    return "" if operator is None else operator.text()


def _tuple_items(node: SgNode | None) -> list[SgNode]:
    if node is None:
        return []
    return node.named_children() if node.kind() == "tuple" else [node]


def _sum_pieces(node: SgNode) -> list[Piece]:
    """The operands of `a + b + c`; not recursive, as such chains are long."""
    operands: list[SgNode] = []
    current: SgNode | None = node
    while current is not None and current.kind() == "binary_operator" and _operator(current) == "+":
        right = current.field("right")
        operands += [] if right is None else [right]
        current = current.field("left")
    operands += [] if current is None else [current]
    parts: list[list[Piece]] = []
    for operand in reversed(operands):
        is_text = operand.kind() in {"string", "concatenated_string"}
        if operand.text() not in {'""', "''"}:
            parts.append(query_pieces(operand) if is_text else [Value(_without_str(operand))])
    return _joined(parts)


def _without_str(node: SgNode) -> str:
    """`str(x)` is `x` once it is a parameter."""
    arguments = node.field("arguments") if node.kind() == "call" and node.text().startswith("str(") else None
    inner = [] if arguments is None else arguments.named_children()
    return inner[0].text() if len(inner) == 1 else node.text()


def _string_pieces(node: SgNode) -> list[Piece]:
    """Text and interpolated values of one literal; empty for prefixes, formats and escapes that a rewrite could change."""
    text = node.text()
    if node.kind() != "string" or _STRING.fullmatch(text) is None or "\\" in text:
        return []
    pieces: list[Piece] = []
    for child in node.named_children():
        if child.kind() == "string_content":
            if text[0] in "fF" and ("{{" in child.text() or "}}" in child.text()):
                return []
            pieces.append(Literal(child.text(), node))
        elif child.kind() == "interpolation":
            inner = child.named_children()
            if len(inner) != 1 or "=" in child.text().rpartition(inner[0].text())[2]:
                return []
            pieces.append(Value(_without_str(inner[0])))
    return pieces


def _formatted(template: SgNode | None, values: list[SgNode], field: re.Pattern[str]) -> list[Piece]:
    """`"..." % values` and `"...".format(values)`; only as many plain fields as values, in their order."""
    if template is None or any(value.kind() in _UNPACKED for value in values):
        return []
    waiting = list(values)
    pieces: list[Piece] = []
    for piece in query_pieces(template):
        if isinstance(piece, Value):
            return []
        filled = _filled(piece, waiting, field, len(values))
        if not filled:
            return []
        pieces += filled
    return pieces if not waiting else []


def _filled(literal: Literal, waiting: list[SgNode], field: re.Pattern[str], count: int) -> list[Piece]:
    """One literal with its fields replaced by the next of the waiting values; empty when the two do not agree."""
    pieces: list[Piece] = []
    text, at, strange = "", 0, "%" if field is _PERCENT else "{}"
    for match in field.finditer(literal.text):
        between = literal.text[at : match.start()]
        text, at = text + between, match.end()
        if match[0] in {"%%", "{{", "}}"}:
            text += match[0][0]
            continue
        index = match[0].strip("{}") if field is _FIELD else ""
        if not waiting or index not in {"", str(count - len(waiting))} or any(mark in between for mark in strange):
            return []
        pieces += [Literal(text, literal.node), Value(_without_str(waiting.pop(0)))]
        text = ""
    rest = literal.text[at:]
    return [] if any(mark in rest for mark in strange) else [*pieces, Literal(text + rest, literal.node)]
