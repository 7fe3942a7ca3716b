"""Which syntax nodes are functions, classes and their wrappers, for each language that ast-grep parses here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ast_grep_py import Config

AST_GREP: Mapping[str, str] = {
    "python": "python",
    "javascript": "javascript",
    "jsx": "jsx",
    "typescript": "typescript",
    "tsx": "tsx",
    "java": "java",
    "go": "go",
    "c": "c",
    "cpp": "cpp",
    "rust": "rust",
    "csharp": "csharp",
    "ruby": "ruby",
    "php": "php",
    "bash": "bash",
    "kotlin": "kotlin",
    "swift": "swift",
    "scala": "scala",
    "lua": "lua",
    "haskell": "haskell",
    "elixir": "elixir",
    "html": "html",
    "css": "css",
    "json": "json",
    "yaml": "yaml",
}
"""Our language name -> ast-grep's. A fixed list: an unknown name makes ast-grep panic, and a panic is no Exception."""


@dataclass(frozen=True)
class Kinds:
    """Node kinds of one grammar. `wrappers` lend their span to the definition inside (decorators, export, const)."""

    functions: tuple[str, ...]
    classes: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    holders: tuple[tuple[str, str], ...] = ()
    """(kind, field): a definition when the field holds a function value, as in `const f = () => 1`."""


_SCRIPT = Kinds(
    functions=("function_declaration", "generator_function_declaration", "method_definition"),
    classes=("class_declaration",),
    wrappers=("export_statement", "lexical_declaration", "variable_declaration", "expression_statement"),
    holders=(
        ("variable_declarator", "value"),
        ("field_definition", "value"),
        ("pair", "value"),
        ("assignment_expression", "right"),
    ),
)
_TYPED_SCRIPT = Kinds(
    functions=(*_SCRIPT.functions, "function_signature", "abstract_method_signature"),
    classes=(
        *_SCRIPT.classes,
        "abstract_class_declaration",
        "interface_declaration",
        "enum_declaration",
        "type_alias_declaration",
        "internal_module",
        "module",
    ),
    wrappers=(*_SCRIPT.wrappers, "ambient_declaration"),
    holders=(
        ("variable_declarator", "value"),
        ("public_field_definition", "value"),
        ("pair", "value"),
        ("assignment_expression", "right"),
    ),
)
FUNCTION_VALUES = ("arrow_function", "function_expression", "generator_function")
"""What a holder of JavaScript or TypeScript may hold."""

KINDS: Mapping[str, Kinds] = {
    "python": Kinds(("function_definition",), ("class_definition",), ("decorated_definition",)),
    "javascript": _SCRIPT,
    "jsx": _SCRIPT,
    "typescript": _TYPED_SCRIPT,
    "tsx": _TYPED_SCRIPT,
    "java": Kinds(
        ("method_declaration", "constructor_declaration", "compact_constructor_declaration"),
        ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration"),
    ),
    "go": Kinds(("function_declaration", "method_declaration"), ("type_spec",), ("type_declaration",)),
    "c": Kinds(("function_definition",), ("struct_specifier", "union_specifier", "enum_specifier"), ("declaration",)),
    "cpp": Kinds(
        ("function_definition",),
        ("class_specifier", "struct_specifier", "union_specifier", "enum_specifier", "namespace_definition"),
        ("template_declaration", "declaration"),
    ),
    "rust": Kinds(
        ("function_item", "function_signature_item", "macro_definition"),
        ("impl_item", "struct_item", "enum_item", "trait_item", "mod_item", "union_item", "type_item"),
    ),
    "csharp": Kinds(
        ("method_declaration", "constructor_declaration", "local_function_statement", "destructor_declaration", "operator_declaration"),
        (
            "class_declaration",
            "interface_declaration",
            "struct_declaration",
            "record_declaration",
            "enum_declaration",
            "namespace_declaration",
        ),
        ("global_statement",),
    ),
    "ruby": Kinds(("method", "singleton_method"), ("class", "module", "singleton_class")),
    "php": Kinds(
        ("function_definition", "method_declaration"),
        ("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"),
    ),
    "bash": Kinds(("function_definition",)),
    "kotlin": Kinds(("function_declaration", "secondary_constructor"), ("class_declaration", "object_declaration", "companion_object")),
    "swift": Kinds(("function_declaration", "init_declaration", "deinit_declaration"), ("class_declaration", "protocol_declaration")),
    "scala": Kinds(
        ("function_definition", "function_declaration"),
        ("class_definition", "object_definition", "trait_definition", "enum_definition"),
    ),
    "lua": Kinds(("function_declaration",)),
}
"""Languages whose functions and classes are known; the others of AST_GREP are only parsed."""


def definition_rule(kinds: Kinds) -> Config:
    """An ast-grep configuration that matches every definition and wrapper, in the order of the text."""
    plain = [{"kind": kind} for kind in (*kinds.functions, *kinds.classes, *kinds.wrappers)]
    values = [{"kind": kind} for kind in FUNCTION_VALUES]
    holding = [{"kind": kind, "has": {"field": field, "any": values}} for kind, field in kinds.holders]
    return cast("Config", {"rule": {"any": [*plain, *holding]}})
