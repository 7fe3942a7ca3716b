"""From the template of a case and a site to the edits of a suggested fix, or to none where the edit would be a guess."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ast_grep_py import SgNode

from rules.document import Document
from rules.model import Template
from rules.rewrites import REWRITES
from rules.sites import Site
from schema.finding import SuggestedFix, TextEdit

_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_STEP = "    "
_HEADER_COMMENT = re.compile(r"#!|#.*coding[:=]")


def suggest(document: Document, site: Site) -> SuggestedFix | None:
    """The fix of a site; None when its case has none, a condition of the fix fails, or an edit has no certain place."""
    template = site.case.fix
    if template is None or not _applies(document, site, template):
        return None
    parts = [
        _replacement(document, site, template),
        _captures(document, site, template),
        _before_statement(document, site, template),
        _body_start(document, site, template),
        _rewritten(document, site, template),
        _import(document, template),
    ]
    if any(part is None for part in parts):
        return None
    edits = tuple(edit for part in parts if part for edit in part)
    return SuggestedFix(edits, template.applicability) if edits else None


def _applies(document: Document, site: Site, template: Template) -> bool:
    if template.when is not None and not site.node.matches(**_rule(template.when)):
        return False
    if template.unless is not None and site.node.matches(**_rule(template.unless)):
        return False
    if template.file_has is not None and document.root.find(**_rule(template.file_has)) is None:
        return False
    return template.file_lacks is None or document.root.find(**_rule(template.file_lacks)) is None


def replace_node(document: Document, node: SgNode, text: str) -> TextEdit:
    """The edit that puts `text` in the node's place."""
    place = document.place(node)
    return TextEdit(place.start_line, place.start_column, place.end_line, place.end_column, text)


def _replacement(document: Document, site: Site, template: Template) -> list[TextEdit] | None:
    if template.replace is None:
        return []
    return [replace_node(document, site.node, site.render(template.replace, document))]


def _captures(document: Document, site: Site, template: Template) -> list[TextEdit] | None:
    edits = []
    for name, by in template.edits:
        node = site.capture(name)
        if node is None:
            return None
        edits.append(replace_node(document, node, site.render(by, document)))
    return edits


def _rewritten(document: Document, site: Site, template: Template) -> list[TextEdit] | None:
    return [] if template.rewrite is None else REWRITES[template.rewrite](document, site)


def _before_statement(document: Document, site: Site, template: Template) -> list[TextEdit] | None:
    """Lines above the statement of the site; None when the statement does not begin its line."""
    if template.insert_before is None:
        return []
    statement = document.statement(site.node)
    if statement is None:
        return None
    place = document.place(statement)
    indent = document.lines[place.start_line - 1][: place.start_column - 1]
    if indent.strip():
        return None
    return [_insert(place.start_line, _indented(document, site.render(template.insert_before, document), indent))]


def _body_start(document: Document, site: Site, template: Template) -> list[TextEdit] | None:
    """Lines at the start of the enclosing Python function's body; None when the body stands on the line of its header."""
    if template.insert_body is None:
        return []
    function = document.enclosing(site.node, "function")
    body = None if function is None else function.field("body")
    colon = None if function is None else next((child for child in function.children() if child.kind() == ":"), None)
    if body is None or colon is None or body.kind() != "block":
        return None
    statements = [child for child in body.named_children() if child.kind() != "comment"]
    if not statements:
        return None
    first = document.place(statements[0])
    after = document.place(colon).end_line
    if first.start_line == after:
        return None
    if _is_docstring(statements[0]):
        after = first.end_line
        if len(statements) > 1 and document.place(statements[1]).start_line == after:
            return None
    indent = document.lines[first.start_line - 1][: first.start_column - 1]
    text = _indented(document, site.render(template.insert_body, document), indent)
    return None if indent.strip() else [_insert_after(document, after, text)]


def _import(document: Document, template: Template) -> list[TextEdit] | None:
    """The import, unless a top import of the file reads the same; after the last of the imports at the top."""
    if template.add_import is None:
        return []
    line, previous = 0, False
    for child in document.root.named_children():
        place, kind = document.place(child), child.kind()
        if kind == "comment":
            line = place.end_line if not previous and _HEADER_COMMENT.match(child.text()) and place.start_line == line + 1 else line
        elif kind in _IMPORTS:
            if template.add_import in {child.text(), *_single_imports(child)}:
                return []
            line, previous = place.end_line, True
        elif _is_docstring(child) and not previous:
            line, previous = place.end_line, True
        else:
            break
    return [_insert_after(document, line, template.add_import + "\n")]


def _single_imports(node: SgNode) -> list[str]:
    """`import a, b` reads as `import a` and `import b`."""
    return [f"import {name.text()}" for name in node.field_children("name")] if node.kind() == "import_statement" else []


def _is_docstring(node: SgNode) -> bool:
    return node.kind() == "expression_statement" and len(node.named_children()) == 1 and node.named_children()[0].kind() == "string"


def _indented(document: Document, text: str, indent: str) -> str:
    """Whole lines at `indent`; the template's steps of four blanks become the file's own."""
    lines = []
    for line in text.rstrip("\n").split("\n"):
        depth = (len(line) - len(line.lstrip(" "))) // len(_STEP)
        lines.append(f"{indent}{document.indent_step * depth}{line[len(_STEP) * depth :]}\n")
    return "".join(lines)


def _insert(line: int, text: str) -> TextEdit:
    return TextEdit(line, 1, line, 1, text)


def _insert_after(document: Document, line: int, text: str) -> TextEdit:
    """Whole lines put below a line (0: at the top), also when that line is the last and has no line end."""
    if line < len(document.lines):
        return _insert(line + 1, text)
    end = len(document.lines[line - 1]) + 1
    return TextEdit(line, end, line, end, "\n" + text.removesuffix("\n"))


def _rule(rule: Mapping[str, Any]) -> Any:
    return dict(rule)
