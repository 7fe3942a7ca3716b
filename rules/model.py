"""What a rule file says, typed: the rule, its conditions, the cases of its capabilities, its fixes and its own examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from schema.finding import Applicability, Category, Severity

Matcher = Mapping[str, Any]
"""An ast-grep rule object, as it stands in the YAML."""

Report = Literal["site", "entity"]
Position = Literal["before", "encloses", "either"]


@dataclass(frozen=True)
class Template:
    """How a site is mended. All texts are templates: `$X` and `$$$X` are captures, transformed names or `vars` of the case."""

    applicability: Applicability
    replace: str | None = None
    """What the whole site becomes."""
    edits: tuple[tuple[str, str], ...] = ()
    """(capture, what it becomes)."""
    insert_before: str | None = None
    """Lines put before the statement that the site stands in, indented like it."""
    insert_body: str | None = None
    """Lines put at the start of the enclosing function's body: after a docstring, before leading comments."""
    add_import: str | None = None
    rewrite: str | None = None
    """Name of a built-in rewrite of `rules/rewrites.py`."""
    when: Matcher | None = None
    """The site has to match this, or no fix is offered."""
    unless: Matcher | None = None
    file_has: Matcher | None = None
    file_lacks: Matcher | None = None


@dataclass(frozen=True)
class NameTest:
    """A capture's text is (or is not) a name that another capability of the adapter captures anywhere in the file."""

    capture: str
    capability: str
    name: str
    wanted: bool


@dataclass(frozen=True)
class Assigned:
    """One step of local def-use: the last assignment before the site to the captured variable has a value that matches."""

    variable: str
    match: Matcher
    constraints: Matcher = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One way to match a capability. `key` is `language/capability[index]`, as error messages and coverage name it."""

    key: str
    match: Matcher
    constraints: Matcher = field(default_factory=dict)
    transform: Matcher = field(default_factory=dict)
    utils: Matcher = field(default_factory=dict)
    vars: Mapping[str, str] = field(default_factory=dict)
    site: str | None = None
    """The capture that is the site; the whole match when absent."""
    severity: Severity | None = None
    confidence: float | None = None
    assigned: Assigned | None = None
    names: tuple[NameTest, ...] = ()
    mention: str | None = None
    """Of a guard: the capture that has to stand outside of the site for the guard to count."""
    position: Position = "either"
    fix: Template | None = None


@dataclass(frozen=True)
class Condition:
    """One line of `when`. `subject` is `has`, `entity.matches`, `entity.name`, `entity.FACT`, `owner.has`, `file.has_not`, ..."""

    subject: str
    capability: str = ""
    before_site: bool = False
    wanted: bool = True
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Adapter:
    """What the rule's capabilities mean in one language. `needs`: one of these texts stands in every file that can match."""

    language: str
    capabilities: Mapping[str, tuple[Case, ...]]
    needs: tuple[str, ...] = ()
    like: str = ""
    """The language whose adapter this one repeats; empty when it has its own."""


@dataclass(frozen=True)
class Invalid:
    """Code that the rule must report on exactly these lines, and what its fixes make of it (None: not fixed)."""

    code: str
    lines: tuple[int, ...]
    fixed: str | None = None
    column: int | None = None


@dataclass(frozen=True)
class Examples:
    """The cases of one language."""

    invalid: tuple[Invalid, ...] = ()
    valid: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One rule. `digest` pins its behaviour (scope, when, adapters), not its words or cases."""

    file: str
    id: str
    version: str
    digest: str
    severity: Severity
    category: Category
    confidence: float
    entity: str
    when: tuple[Condition, ...]
    report: Report
    message: str
    suggestion: str
    adapters: Mapping[str, Adapter]
    aliases: tuple[str, ...] = ()
    enabled: bool = True
    visibility: str = ""
    tests: Mapping[str, Examples] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """What a finding carries as its source."""
        return f"rule:{self.id}@{self.version}+{self.digest}"
