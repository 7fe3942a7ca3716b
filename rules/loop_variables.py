"""The rewrite `bind_loop_variables`: a lambda made in a loop gets the loop's variables as defaults, bound when it is made."""

from __future__ import annotations

from ast_grep_py import SgNode

from rules.document import Document
from rules.sites import Site
from schema.finding import TextEdit

_COMPREHENSIONS = frozenset({"list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression"})


def bind_loop_variables(document: Document, site: Site) -> list[TextEdit] | None:
    """One insertion behind the parameters (keyword-only after `*args`), before a `**kw`.

    A signal's callback is handed arguments of its own, which would take the default's place: there it is keyword-only too.
    """
    function = site.node
    parameters = function.field("parameters")
    own = _names(parameters)
    loops = _loop_names(function)
    body = function.field("body")
    bound = [name for name in dict.fromkeys(_used(body)) if name in loops and name not in own]
    if not bound:
        return None
    defaults = ", ".join(f"{name}={name}" for name in bound)
    if parameters is not None:
        place = document.place(parameters)
        last = parameters.named_children()[-1]
        if last.kind() == "dictionary_splat_pattern":
            at = document.place(last)
            return [TextEdit(at.start_line, at.start_column, at.start_line, at.start_column, f"{defaults}, ")]
        return [TextEdit(place.end_line, place.end_column, place.end_line, place.end_column, f", {defaults}")]
    place = document.place(function)
    column = place.start_column + len("lambda")
    marker = "*, " if _is_signal_callback(function) else ""
    return [TextEdit(place.start_line, column, place.start_line, column, f" {marker}{defaults}")]


def _is_signal_callback(function: SgNode) -> bool:
    call = next((outer for outer in function.ancestors() if outer.kind() == "call"), None)
    called = None if call is None else call.field("function")
    return called is not None and called.text().endswith(".connect")


def _loop_names(function: SgNode) -> set[str]:
    """Variables of all loops and comprehensions around the lambda, up to the next function."""
    names: set[str] = set()
    for outer in function.ancestors():
        if outer.kind() in {"function_definition", "lambda"}:
            break
        if outer.kind() == "for_statement":
            names |= _names(outer.field("left"))
        elif outer.kind() in _COMPREHENSIONS:
            for clause in outer.children():
                if clause.kind() == "for_in_clause":
                    names |= _names(clause.field("left"))
    return names


def _names(node: SgNode | None) -> set[str]:
    return set() if node is None else {found.text() for found in node.find_all(kind="identifier")}


def _used(body: SgNode | None) -> list[str]:
    """Identifiers of the body that are variables: no attribute, no keyword."""
    if body is None:
        return []
    return [node.text() for node in body.find_all(kind="identifier") if _is_variable(node)]


def _is_variable(node: SgNode) -> bool:
    outer = node.parent()
    if outer is None or outer.kind() not in {"attribute", "keyword_argument"}:
        return True
    named = outer.field("attribute") if outer.kind() == "attribute" else outer.field("name")
    return named != node
