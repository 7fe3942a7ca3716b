"""The rewrite `sql_parameters`: a query put together from values becomes a query with `?` and a tuple of the values.

Only where every value stands in a value's place (behind `=`, `LIKE`, in `VALUES (...)`); a table or column name can't be
a parameter, so such a query gets no fix. The query has to be one literal's worth of text on the same kind of quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ast_grep_py import SgNode

from rules.document import Document
from rules.sites import Site
from schema.finding import TextEdit

_VALUE_PLACE = re.compile(r"(?is)(=|<|>|\blike|\bglob|\blimit|\boffset|\bvalues\s*\((\s*(\?|[\w.]+|'[^']*')\s*,)*)\s*$")
_STRING = re.compile(r"(?s)[fF]?(\"\"\"|'''|\"|')(.*)\1")
_PERCENT = re.compile(r"%[sd]")
_FIELD = re.compile(r"\{(\w*)\}")
_FREE_END = re.compile(r"[\s,);]|$")


@dataclass(frozen=True)
class _Value:
    """An expression between two pieces of SQL text."""

    code: str


_Part = str | _Value


def sql_parameters(document: Document, site: Site) -> list[TextEdit] | None:
    """Edits of `C.execute(Q)`, or of `V = Q` and `C.execute(V)`; None where the rewrite would be a guess."""
    query, variable = site.capture("Q") or site.capture("VALUE"), site.capture("V")
    if query is None or (variable is not None and not _used_once(document, variable)):
        return None
    quotes: list[str] = []
    parts = _parts(query, quotes)
    if not parts or len(set(quotes)) != 1 or len(quotes[0]) != 1:
        return None
    rewritten = _rewrite(parts, quotes[0])
    if rewritten is None:
        return None
    text, values = rewritten
    arguments = f"({', '.join(values)}{',' if len(values) == 1 else ''})"
    if variable is None:
        return [_edit(document, query, f"{text}, {arguments}")]
    return [_edit(document, query, text), _edit(document, variable, f"{variable.text()}, {arguments}")]


def _edit(document: Document, node: SgNode, text: str) -> TextEdit:
    place = document.place(node)
    return TextEdit(place.start_line, place.start_column, place.end_line, place.end_column, text)


def _used_once(document: Document, variable: SgNode) -> bool:
    """The variable stands in its function twice: where it is given the query, and in the call."""
    region = document.outermost(variable)
    return sum(1 for node in region.find_all(kind="identifier") if node.text() == variable.text()) == 2  # noqa: PLR2004 - see above


def _parts(node: SgNode, quotes: list[str]) -> list[_Part]:
    """The query as text and values; empty when it is built in a way that is not understood."""
    kind = node.kind()
    if kind == "string":
        return _string_parts(node, quotes)
    if kind == "binary_operator" and _operator(node) == "%":
        return _formatted(node.field("left"), _tuple_items(node.field("right")), _PERCENT, quotes)
    if kind == "binary_operator" and _operator(node) == "+":
        return _sum_parts(node, quotes)
    if kind == "call":
        function, arguments = node.field("function"), node.field("arguments")
        is_format = function is not None and function.kind() == "attribute" and function.text().endswith(".format")
        if function is not None and arguments is not None and is_format:
            return _formatted(function.field("object"), arguments.named_children(), _FIELD, quotes)
    return []


def _operator(node: SgNode) -> str:
    operator = node.field("operator")
    return "" if operator is None else operator.text()


def _tuple_items(node: SgNode | None) -> list[SgNode]:
    if node is None:
        return []
    return node.named_children() if node.kind() == "tuple" else [node]


def _sum_parts(node: SgNode, quotes: list[str]) -> list[_Part]:
    """The operands of `a + b + c`; not recursive, as such chains are long."""
    operands: list[SgNode] = []
    current: SgNode | None = node
    while current is not None and current.kind() == "binary_operator" and _operator(current) == "+":
        right = current.field("right")
        operands += [] if right is None else [right]
        current = current.field("left")
    operands += [] if current is None else [current]
    parts: list[_Part] = []
    for operand in reversed(operands):
        if operand.kind() == "string":
            inner = _string_parts(operand, quotes)
            if not inner and operand.text() not in {'""', "''"}:
                return []
            parts += inner
        else:
            parts.append(_Value(_without_str(operand)))
    return parts


def _without_str(node: SgNode) -> str:
    """`str(x)` is `x` once it is a parameter."""
    arguments = node.field("arguments") if node.kind() == "call" and node.text().startswith("str(") else None
    inner = [] if arguments is None else arguments.named_children()
    return inner[0].text() if len(inner) == 1 else node.text()


def _string_parts(node: SgNode, quotes: list[str]) -> list[_Part]:
    """Text and interpolated values of one literal; empty for prefixes, formats and escapes that a rewrite could change."""
    text = node.text()
    shape = _STRING.fullmatch(text)
    if shape is None or "\\" in text or "\n" in text:
        return []
    quotes.append(shape[1])
    parts: list[_Part] = []
    for child in node.named_children():
        if child.kind() == "string_content":
            if text[0] in "fF" and ("{{" in child.text() or "}}" in child.text()):
                return []
            parts.append(child.text())
        elif child.kind() == "interpolation":
            inner = child.named_children()
            if len(inner) != 1 or "=" in child.text().rpartition(inner[0].text())[2]:
                return []
            parts.append(_Value(_without_str(inner[0])))
    return parts


def _formatted(template: SgNode | None, values: list[SgNode], field: re.Pattern[str], quotes: list[str]) -> list[_Part]:
    """`"..." % values` and `"...".format(values)`; only as many plain fields as values, in their order."""
    parts = [] if template is None or template.kind() != "string" else _string_parts(template, quotes)
    if len(parts) != 1 or not isinstance(parts[0], str):
        return []
    text = parts[0]
    fields = field.findall(text)
    plain = all(name in ("", str(index)) for index, name in enumerate(fields)) if field is _FIELD else "%%" not in text
    is_positional = all(value.kind() not in {"keyword_argument", "list_splat", "dictionary_splat", "dictionary"} for value in values)
    pieces = re.split(field.pattern.replace("(", "(?:"), text)
    if not plain or not is_positional or len(fields) != len(values) or any(mark in piece for piece in pieces for mark in "{}%"):
        return []
    mixed: list[_Part] = [pieces[0]]
    for value, piece in zip(values, pieces[1:], strict=True):
        mixed += [_Value(_without_str(value)), piece]
    return mixed


def _rewrite(parts: list[_Part], quote: str) -> tuple[str, list[str]] | None:
    """The new literal and the values; None when a value stands where only a name can."""
    text, values, quoted = "", [], False
    for part in parts:
        if isinstance(part, _Value):
            if quoted:
                return None
            quoted = text.endswith("'")
            text = text.removesuffix("'")
            if not _VALUE_PLACE.search(text):
                return None
            text += "?"
            values.append(part.code)
            continue
        if quoted and not part.startswith("'"):
            return None
        piece = part.removeprefix("'") if quoted else part
        if text.endswith("?") and not _FREE_END.match(piece):
            return None
        text, quoted = text + piece, False
    if quoted or not values or quote in text:
        return None
    return f"{quote}{text}{quote}", values
