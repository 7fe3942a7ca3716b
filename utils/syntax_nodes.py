"""What one definition node says of itself: its name, its parameters and its body, whatever the grammar calls them."""

from __future__ import annotations

from ast_grep_py import SgNode

_NAME_KINDS = ("simple_identifier", "type_identifier", "identifier", "property_identifier", "constant", "word")
_BODY_KINDS = frozenset({"function_body", "class_body", "enum_class_body", "body_statement", "field_declaration_list", "template_body"})
_VALUE_FIELDS = ("value", "right")
_PYTHON_PARAMETERS = {
    "identifier": "",
    "default_parameter": "",
    "typed_default_parameter": "",
    "typed_parameter": "",
    "list_splat_pattern": "*",
    "dictionary_splat_pattern": "**",
}
_NO_PARAMETER = frozenset({"comment", "line_comment", "block_comment", "attribute_item"})
_VARIADIC = ("variadic", "spread", "rest", "splat", "block_parameter", "keyword_parameter", "hash")


def name_of(node: SgNode) -> str:
    """The defined name; empty when it has none. An `impl` is named by its trait and type, a C function by its declarator."""
    kind = node.kind()
    if kind == "impl_item":
        return " for ".join(part.text() for part in (node.field("trait"), node.field("type")) if part is not None)
    if kind == "method_declaration" and (receiver := node.field("receiver")) is not None:
        return f"{receiver.text().strip('()').split()[-1].lstrip('*')}.{_field_text(node, 'name')}"
    named = node.field("name") or node.field("left") or node.field("key") or node.field("property")
    if named is not None:
        return " ".join(named.text().split())
    if node.field("declarator") is not None:
        return _declared_name(node)
    if kind in {"init_declaration", "deinit_declaration", "secondary_constructor"}:
        return "init"
    return next((child.text() for child in node.children() if child.kind() in _NAME_KINDS), "")


def body_of(node: SgNode, language: str) -> SgNode | None:
    """The body node: of the function that it holds, when the definition holds one as its value."""
    holder = _function_value(node)
    body = holder.field("body") or (holder.field("type") if node.kind() == "type_spec" else None)
    if body is not None:
        return body
    if language in {"kotlin", "scala", "ruby"}:
        return next((child for child in node.children() if child.kind() in _BODY_KINDS), None)
    return None


def signature_of(node: SgNode, language: str) -> str:
    """`(a, *args, k)`: parameter names in order and kind, without types and defaults; empty when nothing is declared."""
    parameters = _parameters(_function_value(node))
    if parameters is None:
        return ""
    if not parameters.children():
        return f"({parameters.text()})"
    named = [child for child in parameters.children() if child.is_named() and child.kind() not in _NO_PARAMETER]
    if language == "swift":
        named = [child for child in named if child.kind() == "parameter"]
    if language == "python":
        names = [_python_parameter(child) for child in named]
    else:
        names = [name for child in named for name in _parameter_names(child) if name]
    return f"({', '.join(names)})"


def _field_text(node: SgNode, field: str) -> str:
    found = node.field(field)
    return "" if found is None else found.text()


def _function_value(node: SgNode) -> SgNode:
    """The function that `const f = () => 1` and its like hold, else the node itself."""
    for field in _VALUE_FIELDS:
        value = node.field(field)
        if value is not None and "function" in value.kind():
            return value
    return node


def _declarator(node: SgNode) -> SgNode | None:
    """The `function_declarator` below pointers and references; None when there is none."""
    current = node.field("declarator")
    while current is not None and current.kind() != "function_declarator":
        current = current.field("declarator") or next((c for c in current.children() if c.kind().endswith("declarator")), None)
    return current


def _declared_name(node: SgNode) -> str:
    declarator = _declarator(node)
    inner = None if declarator is None else declarator.field("declarator")
    return "" if inner is None else " ".join(inner.text().split())


def _parameters(node: SgNode) -> SgNode | None:
    found = node.field("parameters") or node.field("parameter")
    if found is not None:
        return found
    if node.field("declarator") is not None:
        declarator = _declarator(node)
        return None if declarator is None else declarator.field("parameters")
    listed = next((child for child in node.children() if child.kind().endswith("parameters")), None)
    has_own = any(child.kind() == "parameter" for child in node.children())
    return listed if listed is not None else node if has_own else None


def _python_parameter(node: SgNode) -> str:
    kind = node.kind()
    if kind not in _PYTHON_PARAMETERS:
        return node.text()
    named = node.field("name")
    if named is not None:
        return named.text()
    text = node.text()
    return text.partition(":")[0].strip() if kind == "typed_parameter" else text


def _parameter_names(node: SgNode) -> list[str]:
    """The names that one parameter node declares (Go's `a, b int` declares two)."""
    mark = "..." if any(word in node.kind() for word in _VARIADIC) else ""
    for field in ("name", "pattern", "declarator"):
        found = node.field_children(field)
        if found:
            # Swift gives the field `name` to the type as well.
            found = found[:1] if node.kind() == "parameter" else found
            return [mark + " ".join(child.text().split()) for child in found]
    if node.kind().endswith(("literal", "modifier", "modifiers", "type", "annotation")):
        return []
    return [" ".join(node.text().partition("=")[0].split())]
