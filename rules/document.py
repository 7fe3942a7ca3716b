"""One text as the rules see it: its tree, who encloses what, which names were given which values, what is suppressed.

Nothing recurses in Python. Offsets, lines and columns of ast-grep are characters. Asking ast-grep for a position costs a
walk along the line, so positions are asked for late and only of what already matched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from ast_grep_py import SgNode

from errors import OperationError
from rules.vocabulary import vocabulary
from utils.syntax import parse

MAX_DEPTH = 400
"""Levels of the tree. Relations of ast-grep (`inside`, `has` to the end) cost the square of the depth: 60,000 additions
in one expression would take minutes, and no program written by a person nests 400 levels."""

EVIDENCE_LIMIT = 300
"""Characters of one line of evidence; a longer (minified) line is cut around the column, with `...` at the cuts."""

_FEWEST_BLANKS, _MOST_BLANKS = 2, 8
_NOQA = re.compile(r"#\s*noqa(?![\w-])(?P<codes>\s*:\s*[\w/-]+(?:[\s,]+[\w/-]+)*)?", re.IGNORECASE)
_FILE_NOQA = re.compile(r"#\s*(?:ruff|flake8)\s*:\s*noqa(?P<codes>\s*:\s*[\w/-]+(?:[\s,]+[\w/-]+)*)?\s*$", re.IGNORECASE)
_WHOLE_FILE = 0
"""The line under which the codes of a `# ruff: noqa` or `# flake8: noqa` comment are kept."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_PHP_TAG = "<?php "
_TUPLES = frozenset({"pattern_list", "tuple_pattern", "expression_list", "tuple"})
_DEFINITIONS = frozenset({"decorated_definition", "class_definition", "class_declaration", "comment"})
_MARK = "..."


class Place(NamedTuple):
    """Where a node stands: offsets, 1-based lines and columns, the end exclusive."""

    start: int
    end: int
    start_line: int
    start_column: int
    end_line: int
    end_column: int


class Binding(NamedTuple):
    """A name that got a value somewhere; None when the value can't be told (unpacking)."""

    target: SgNode
    value: SgNode | None


Regions = dict[str, list[tuple[int, int]]]
"""Names with the spans (offsets) in which they are visible."""


class Document:
    """A parsed text. PHP without an opening tag is parsed as if it had one; positions are those of the text."""

    def __init__(self, text: str, language: str) -> None:
        """Parse `text` (LF line ends); lone surrogates count as one unknown character each.

        Raises: OperationError for a text that its grammar can't read in good time.
        """
        self.text = text
        self.language = language
        self.vocabulary = vocabulary(language)
        self._shift = len(_PHP_TAG) if language == "php" and "<?" not in text else 0
        self.parsed_text = _PHP_TAG[: self._shift] + _SURROGATE.sub("\ufffd", text)
        root = parse(self.parsed_text, language)
        if root is None:
            raise OperationError("its grammar can't read this in the time that it may take")
        self.root: SgNode = root
        self.lines = text.split("\n")
        self.declared: dict[tuple[int, str, str], Regions] = {}

    @cached_property
    def depth(self) -> int:
        """Levels of the tree, counted no further than just past MAX_DEPTH."""
        level, nodes = 0, [self.root]
        while nodes and level <= MAX_DEPTH:
            nodes = [child for node in nodes for child in node.children()]
            level += 1
        return level

    def place(self, node: SgNode) -> Place:
        """Where the node stands in the text."""
        span = node.range()
        start_shift = self._shift if span.start.line == 0 else 0
        end_shift = self._shift if span.end.line == 0 else 0
        return Place(
            max(0, span.start.index - self._shift),
            max(0, span.end.index - self._shift),
            span.start.line + 1,
            max(1, span.start.column + 1 - start_shift),
            span.end.line + 1,
            max(1, span.end.column + 1 - end_shift),
        )

    def is_entity(self, node: SgNode, entity: str) -> bool:
        """True when the vocabulary calls the node a function, parameter, ..."""
        if entity == "file":
            return node.parent() is None
        known = self.vocabulary.entities[entity]
        return node.kind() in known.kinds and (known.rule is None or node.matches(**_rule(known.rule)))

    def enclosing(self, node: SgNode, entity: str) -> SgNode | None:
        """The nearest entity around the node, itself excluded; the root for `file`."""
        if entity == "file":
            return self.root
        return next((outer for outer in node.ancestors() if self.is_entity(outer, entity)), None)

    def visible_in(self, declaration: SgNode) -> tuple[int, int]:
        """The span of the function that the declaration belongs to; the whole text at the top of the file or of a class."""
        function = self.enclosing(declaration, "function") if "function" in self.vocabulary.entities else None
        return (0, len(self.text) + 1) if function is None else self.place(function)[:2]

    def outermost(self, node: SgNode) -> SgNode:
        """The outermost function around the node, else its statement at the top of the file."""
        ancestors = node.ancestors()
        for outer in reversed(ancestors):
            if "function" in self.vocabulary.entities and self.is_entity(outer, "function"):
                return outer
        return ancestors[-2] if len(ancestors) > 1 else node

    def entities(self, entity: str) -> list[SgNode]:
        """All entities of one sort, in the order of the text."""
        if entity == "file":
            return [self.root]
        known = self.vocabulary.entities[entity]
        found = self.root.find_all(any=[{"kind": kind} for kind in sorted(known.kinds)])
        return [node for node in found if known.rule is None or node.matches(**_rule(known.rule))]

    def entity_name(self, node: SgNode, entity: str) -> str:
        """The entity's name, "<anonymous>" when it has none."""
        if entity == "file":
            return "file"
        current: SgNode | None = node
        for step in self.vocabulary.entities[entity].name:
            current = None if current is None else current.child(int(step)) if step.isdigit() else current.field(step)
        return "<anonymous>" if current is None or current is node else current.text()

    def fact(self, node: SgNode, entity: str, fact: str) -> bool | None:
        """True, false, or None when the language can't tell."""
        rule = self.vocabulary.facts.get(f"{entity}.{fact}")
        return None if rule is None else node.matches(**_rule(rule))

    def statement(self, node: SgNode) -> SgNode | None:
        """The nearest statement around the node (or itself): a child of a block."""
        current = node
        for outer in node.ancestors():
            if outer.kind() in self.vocabulary.blocks:
                return current
            current = outer
        return None

    @cached_property
    def top_statements(self) -> list[tuple[int, str, SgNode]]:
        """(offset, text, node) of the statements at the top of the file that define no function or class."""
        functions = self.vocabulary.entities["function"].kinds if "function" in self.vocabulary.entities else frozenset()
        nodes = [node for node in self.root.named_children() if node.kind() not in functions | _DEFINITIONS]
        return [(self.place(node).start, node.text(), node) for node in nodes]

    @cached_property
    def _bindings(self) -> dict[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        for known in self.vocabulary.bindings:
            for node in self.root.find_all(kind=known.kind):
                target, value = node.field(known.name), _value(node, known.value)
                if target is not None:
                    for name, bound in _pairs(target, value):
                        found.setdefault(name.text(), []).append(Binding(name, bound))
        return found

    def last_value(self, name: str, before: SgNode) -> SgNode | None:
        """What the name was last given, above `before` and in the same function; None when it can't be told."""
        limit = self.place(before).start
        scope = self.enclosing(before, "function") if "function" in self.vocabulary.entities else None
        candidates = []
        for binding in self._bindings.get(name, ()):
            start = self.place(binding.target).start
            is_above = start < limit and (binding.value is None or self.place(binding.value).end <= limit)
            if is_above and self._same_function(binding.target, scope):
                candidates.append((start, binding))
        return max(candidates, key=lambda pair: pair[0])[1].value if candidates else None

    def _same_function(self, node: SgNode, scope: SgNode | None) -> bool:
        if "function" not in self.vocabulary.entities:
            return True
        return self.enclosing(node, "function") == scope

    @cached_property
    def indent_step(self) -> str:
        """One level of the file's indentation: a tab, or the fewest blanks that a line begins with (2 to 8, else 4)."""
        starts = {line[: len(line) - len(line.lstrip(" \t"))] for line in self.lines if line.strip()}
        if any("\t" in start for start in starts):
            return "\t"
        widths = [len(start) for start in starts if _FEWEST_BLANKS <= len(start) <= _MOST_BLANKS]
        return " " * min(widths, default=4)

    def evidence(self, place: Place) -> str:
        """The whole source lines; of a line past EVIDENCE_LIMIT the part around the column."""
        lines = self.lines[place.start_line - 1 : place.end_line]
        return "\n".join(shorten(line, place.start_column if number == 0 else 1) for number, line in enumerate(lines))

    @cached_property
    def _suppressed(self) -> Mapping[int, frozenset[str]]:
        """Line -> codes of its `# noqa` comment (empty: all); only a real comment counts, no string."""
        if self.language != "python" or "noqa" not in self.text.lower():
            return {}
        found: dict[int, frozenset[str]] = {}
        for comment in self.root.find_all(kind="comment"):
            whole = _FILE_NOQA.match(comment.text())
            directive = whole or _NOQA.search(comment.text())
            if directive is not None:
                codes = re.findall(r"[\w/-]+", directive["codes"] or "")
                line = _WHOLE_FILE if whole else comment.range().start.line + 1
                found[line] = frozenset(code.lower() for code in codes)
        return found

    def suppresses(self, place: Place, names: frozenset[str]) -> bool:
        """True when a `# noqa` on one of the lines, or one for the whole file, names one of `names` (lower case), or nothing."""
        lines = (line for line in self._suppressed if line == _WHOLE_FILE or place.start_line <= line <= place.end_line)
        return any(not self._suppressed[line] or self._suppressed[line] & names for line in lines)


def shorten(line: str, column: int, limit: int = EVIDENCE_LIMIT) -> str:
    """The line, or at most `limit` characters of it around the 1-based column."""
    if len(line) <= limit:
        return line
    room = limit - 2 * len(_MARK)
    start = max(0, min(column - 1 - room // 3, len(line) - room))
    head = _MARK if start else ""
    tail = _MARK if start + room < len(line) else ""
    return head + line[start : start + room] + tail


def _rule(rule: Mapping[str, Any]) -> Any:
    """The mapping as ast-grep's stubs want it."""
    return dict(rule)


def _value(node: SgNode, field: str) -> SgNode | None:
    """The field; for `last` the last child, where a grammar has no field and there is more than the name."""
    if field != "last":
        return node.field(field)
    children = node.named_children()
    return children[-1] if len(children) > 1 else None


def _pairs(target: SgNode, value: SgNode | None) -> list[tuple[SgNode, SgNode | None]]:
    """Names with their values; of an unpacking that does not line up, names with None."""
    names = target.named_children() if target.kind() in _TUPLES else [target]
    values = (
        value.named_children()
        if value is not None and value.kind() in _TUPLES and len(names) >= 1 and target.kind() in _TUPLES
        else [value]
    )
    if len(names) == len(values):
        return list(zip(names, values, strict=True))
    return [(name, None) for name in names]
