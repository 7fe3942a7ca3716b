"""What the words of the rules (function, parameter, async, assignment) mean in one language: `rules/languages/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from errors import RuleInvalidError
from rules.fields import Fields

LANGUAGES_FOLDER = Path(__file__).parent / "languages"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Entity:
    """Nodes of one of `kinds` (that also match `rule`); `name` is the path of fields that leads to its name."""

    kinds: frozenset[str]
    rule: Mapping[str, Any] | None = None
    name: tuple[str, ...] = ()


@dataclass(frozen=True)
class Binding:
    """A node kind that gives a name a value, and the fields of both."""

    kind: str
    name: str
    value: str


@dataclass(frozen=True)
class Vocabulary:
    """One language. `facts` maps `function.is_async` to an ast-grep rule; an absent fact means: this language can't tell."""

    language: str
    entities: Mapping[str, Entity]
    facts: Mapping[str, Mapping[str, Any]]
    bindings: tuple[Binding, ...]
    blocks: frozenset[str]
    """Kinds of nodes whose children are statements."""


def known_languages() -> frozenset[str]:
    """The languages that have a vocabulary file."""
    return frozenset(path.stem for path in LANGUAGES_FOLDER.glob("*.yaml"))


class _StrictLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping: YAML would silently take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The mapping. Raises: ConstructorError."""
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key.value} stands twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_yaml(text: str, where: str, *, strict: bool = False) -> Any:
    """The plain value of one YAML document; `strict` also refuses repeated keys, and is slow.

    Raises: RuleInvalidError with the line of the mistake.
    """
    try:
        return yaml.load(text, Loader=_StrictLoader if strict else _LOADER)  # noqa: S506 - both are safe loaders
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f" in line {mark.line + 1}"
        problem = getattr(error, "problem", None)
        reason = f": {problem}" if isinstance(error, yaml.constructor.ConstructorError) and problem else ""
        raise RuleInvalidError(f"{where}: no valid YAML{place}{reason}") from error


@lru_cache(maxsize=32)
def vocabulary(language: str) -> Vocabulary:
    """The vocabulary of a language. Raises: RuleInvalidError when there is none or its file is wrong."""
    path = LANGUAGES_FOLDER / f"{language}.yaml"
    if not path.is_file():
        raise RuleInvalidError(f"no rule can be written for {language}: rules/languages/{language}.yaml is missing")
    fields = Fields(read_yaml(path.read_text(encoding="utf-8"), path.name), path.name)
    base = vocabulary(fields.text("extends")) if "extends" in fields else None
    fields.choice("language", [language])
    entities = {name: _entity(value, f"{path.name}: {name}") for name, value in fields.mapping("entities").items()}
    bindings = tuple(_binding(value, path.name) for value in fields.items("bindings"))
    facts, blocks = fields.mapping("facts"), frozenset(fields.texts("blocks"))
    fields.finish()
    if base is None:
        return Vocabulary(language, entities, facts, bindings, blocks)
    return Vocabulary(language, {**base.entities, **entities}, {**base.facts, **facts}, base.bindings + bindings, base.blocks | blocks)


def _entity(plain: object, where: str) -> Entity:
    fields = Fields(plain, where)
    kinds, name = frozenset(fields.texts("kinds")), fields.texts("name")
    rule = fields.mapping("rule") if "rule" in fields else None
    fields.finish()
    return Entity(kinds, rule, name)


def _binding(plain: object, where: str) -> Binding:
    fields = Fields(plain, f"{where}: bindings")
    binding = Binding(fields.text("kind"), fields.text("name"), fields.text("value"))
    fields.finish()
    return binding
