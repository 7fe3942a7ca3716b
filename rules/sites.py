"""Where the cases of a capability match, and what their captures stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ast_grep_py import SgNode

from errors import RuleInvalidError
from rules.document import Document, Regions
from rules.model import Adapter, Assigned, Case, NameTest

MAX_SITES = 500
"""Matches of one case in one file; what a generated file has beyond is not looked at."""

_PLACEHOLDER = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_CAPTURE = re.compile(r"\$(\$\$)?([A-Z][A-Z0-9_]*)")


@dataclass
class Site:
    """A match. `node` is what the finding points at, `match` the whole match, `given` captures of an assigned value."""

    node: SgNode
    match: SgNode
    case: Case
    given: dict[str, SgNode] = field(default_factory=dict)

    def capture(self, name: str) -> SgNode | None:
        """The captured node."""
        if name == "SELF":
            return self.match
        return self.match.get_match(name) or self.given.get(name)

    def text(self, name: str, document: Document) -> str | None:
        """What a capture, a transformed name or one of the case's `vars` stands for; None when it is nothing."""
        transformed = self.match.get_transformed(name)
        if transformed is not None:
            return transformed
        node = self.capture(name)
        if node is not None:
            return node.text()
        return self.render(self.case.vars[name], document) if name in self.case.vars else None

    def render(self, template: str, document: Document) -> str:
        """The template with `$X` and `$$$X` replaced; an unknown name stays as it stands."""

        def replaced(found: re.Match[str]) -> str:
            if not found[1]:
                text = self.text(found[2], document)
                return found[0] if text is None else text
            nodes = self.match.get_multiple_matches(found[2])
            if not nodes:
                return ""
            shift = len(document.parsed_text) - len(document.text)
            return document.parsed_text[document.place(nodes[0]).start + shift : document.place(nodes[-1]).end + shift]

        return _CAPTURE.sub(replaced, template)


def find_sites(document: Document, adapter: Adapter, capability: str) -> list[Site]:
    """All matches of a capability in the file, in the order of its cases; a place counts once, for the first case."""
    found: list[Site] = []
    seen: set[tuple[int, int]] = set()
    for case in adapter.capabilities[capability]:
        for match in find_case(document.root, case)[:MAX_SITES]:
            site = _site(document, adapter, case, match)
            if site is None:
                continue
            span = document.place(site.node)[:2]
            if span not in seen:
                seen.add(span)
                found.append(site)
    return found


def find_case(node: SgNode, case: Case, placeholders: Mapping[str, str] | None = None) -> list[SgNode]:
    """Matches of one case below (and at) a node, its placeholders filled in. Raises: RuleInvalidError."""
    try:
        return node.find_all(_config(case, placeholders or {}))
    except Exception as error:
        # ast-grep has no class of its own for a rule that does not compile.
        reason = " ".join(str(error).partition("Stack backtrace")[0].split())
        raise RuleInvalidError(f"{case.key} does not compile: {reason}") from error


def needs_of(case: Case) -> frozenset[str]:
    """The placeholders that a case needs before it can be searched for."""
    return frozenset(_placeholders([case.match, case.constraints]))


def fill(text: str, values: Mapping[str, str]) -> str:
    """A message with its `{{placeholders}}` replaced; unknown ones stay."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def placeholders_in(text: str) -> list[str]:
    """The names between double braces."""
    return _PLACEHOLDER.findall(text)


def _site(document: Document, adapter: Adapter, case: Case, match: SgNode) -> Site | None:
    """The site of one match; None when a name test or the assigned value says no."""
    site = Site(match, match, case)
    if not all(_passes(document, adapter, site, test) for test in case.names):
        return None
    if case.assigned is not None:
        given = _assigned(document, site, case, case.assigned)
        if given is None:
            return None
        site.given = given
    node = site.capture(case.site) if case.site else match
    if node is None:
        return None
    site.node = node
    return site


def _passes(document: Document, adapter: Adapter, site: Site, test: NameTest) -> bool:
    node = site.capture(test.capture)
    if node is None:
        return False
    start = document.place(node).start
    regions = _declared(document, adapter, test).get(node.text(), [])
    return any(first <= start < last for first, last in regions) == test.wanted


def _declared(document: Document, adapter: Adapter, test: NameTest) -> Regions:
    """Each name that the capability captures in the file, with the spans it is visible in; found once a document."""
    key = (id(adapter), test.capability, test.name)
    known = document.declared.get(key)
    if known is None:
        known = document.declared[key] = {}
        for case in adapter.capabilities[test.capability]:
            for match in find_case(document.root, case):
                node = match.get_match(test.name)
                if node is not None:
                    known.setdefault(node.text(), []).append(document.visible_in(match))
    return known


def _assigned(document: Document, site: Site, case: Case, wanted: Assigned) -> dict[str, SgNode] | None:
    """Captures of the value that the variable was last given; None when it does not match."""
    variable = site.capture(wanted.variable)
    value = None if variable is None else document.last_value(variable.text(), site.node)
    if value is None:
        return None
    config = _plain({"rule": wanted.match, "constraints": wanted.constraints, "utils": case.utils})
    found = next((match for match in value.find_all(config) if match.range().start.index == value.range().start.index), None)
    if found is None or found.text() != value.text():
        return None
    names = set(_CAPTURE.findall(str(wanted.match)))
    captured = {name: node for _, name in names if (node := found.get_match(name)) is not None}
    return {**captured, "VALUE": value}


def _config(case: Case, placeholders: Mapping[str, str]) -> Any:
    config = {"rule": case.match, "constraints": case.constraints, "transform": case.transform, "utils": case.utils}
    return _filled(_plain(config), placeholders)


def _plain(config: dict[str, Any]) -> Any:
    return {key: value for key, value in config.items() if value}


def _filled(value: Any, placeholders: Mapping[str, str], key: str = "") -> Any:
    """Placeholders replaced in every text; inside of a regular expression they are escaped."""
    if isinstance(value, str):
        quoted = {name: re.escape(text) if key == "regex" else text for name, text in placeholders.items()}
        return fill(value, quoted) if quoted else value
    if isinstance(value, list):
        return [_filled(item, placeholders, key) for item in value]
    if isinstance(value, Mapping):
        return {name: _filled(item, placeholders, name) for name, item in value.items()}
    return value


def _placeholders(value: Any) -> list[str]:
    if isinstance(value, str):
        return placeholders_in(value)
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [name for item in items for name in _placeholders(item)]
