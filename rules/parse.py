"""From the plain values of a rule file to a typed `Rule`; whatever the format does not know is refused by name."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, cast, get_args

from errors import RuleInvalidError
from rules.examples import parse_examples
from rules.fields import Fields
from rules.model import (
    Adapter,
    Assigned,
    Case,
    Condition,
    NameTest,
    Position,
    Report,
    Rule,
    Template,
)
from schema.finding import SEVERITIES, Applicability, Category, Severity

SCHEMA = "codemind-rule/1"
_ID = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)+")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_ALIAS = re.compile(r"[a-z0-9-]+/[A-Za-z0-9-]+(/[a-z0-9-]+)*")
_CAPABILITY = re.compile(r"[a-z][a-z0-9_]*")
_RELATIONS = ("owner.has", "owner.has_not", "file.has", "file.has_not")


def parse_rule(plain: object, file: str) -> Rule:
    """One rule. Raises: RuleInvalidError naming file and key."""
    fields = Fields(plain, file)
    fields.choice("schema", [SCHEMA])
    scope_plain, when_plain, adapters_plain = (fields.take(key) for key in ("scope", "when", "adapters"))
    scope = Fields(scope_plain, f"{file}: scope")
    adapters = _adapters(adapters_plain, f"{file}: adapters")
    rule = Rule(
        file=file,
        id=_matching(fields, "id", _ID),
        version=_matching(fields, "version", _VERSION),
        digest=_digest([scope_plain, when_plain, adapters_plain]),
        severity=cast("Severity", fields.choice("severity", SEVERITIES)),
        category=cast("Category", fields.choice("category", get_args(Category))),
        confidence=fields.share("confidence"),
        entity=scope.text("entity"),
        when=_conditions(when_plain, f"{file}: when"),
        report=cast("Report", fields.choice("report", get_args(Report))),
        message=fields.text("message"),
        suggestion=fields.text("suggestion"),
        adapters=adapters,
        aliases=_aliases(fields),
        enabled=fields.flag("enabled", True),
        visibility=scope.choice("visibility", ["public"], "") if "visibility" in scope else "",
        tests=parse_examples(fields.mapping("tests"), f"{file}: tests"),
    )
    scope.finish()
    fields.finish()
    _check_references(rule)
    return rule


def _digest(behaviour: list[object]) -> str:
    """Twelve hex digits of what a rule does; its words and cases do not count."""
    return hashlib.sha256(json.dumps(behaviour, sort_keys=True, default=str).encode()).hexdigest()[:12]


def _matching(fields: Fields, key: str, shape: re.Pattern[str]) -> str:
    value = fields.text(key)
    if not shape.fullmatch(value):
        raise fields.fail(key, f"must look like {shape.pattern}")
    return value


def _aliases(fields: Fields) -> tuple[str, ...]:
    aliases = fields.texts("aliases")
    for alias in aliases:
        if not _ALIAS.fullmatch(alias):
            raise fields.fail("aliases", f"{alias!r} is no rule id")
    return aliases


def _conditions(plain: object, where: str) -> tuple[Condition, ...]:
    if not isinstance(plain, list) or not plain:
        raise RuleInvalidError(f"{where}: a list of conditions is expected")
    return tuple(_condition(item, f"{where}[{index}]") for index, item in enumerate(plain))


def _condition(plain: object, where: str) -> Condition:
    fields = Fields(plain, where)
    pairs = list(fields.rest().items())
    if len(pairs) != 1:
        raise RuleInvalidError(f"{where}: exactly one condition a line")
    subject, value = pairs[0]
    if subject in ("has", "entity.matches"):
        return Condition(subject, capability=_capability(value, where))
    if subject in _RELATIONS:
        return _relation(subject, value, where)
    if subject == "entity.name":
        allowed = Fields(value, where)
        names = frozenset(allowed.texts("in"))
        allowed.finish()
        return Condition(subject, names=names)
    if subject.startswith("entity.") and isinstance(value, bool):
        return Condition(subject, wanted=value)
    raise RuleInvalidError(f"{where}: unknown condition `{subject}`")


def _relation(subject: str, value: object, where: str) -> Condition:
    """`owner.has_not: guard` or `owner.has_not: {capability: guard, before: site}`."""
    if isinstance(value, str):
        return Condition(subject, capability=_capability(value, where))
    fields = Fields(value, where)
    capability = _capability(fields.text("capability"), where)
    before = fields.choice("before", ["site"], "") if "before" in fields else ""
    fields.finish()
    return Condition(subject, capability=capability, before_site=bool(before))


def _capability(value: object, where: str) -> str:
    if not isinstance(value, str) or not _CAPABILITY.fullmatch(value):
        raise RuleInvalidError(f"{where}: {value!r} is no capability name")
    return value


def _adapters(plain: object, where: str) -> dict[str, Adapter]:
    """Adapters by language; `{like: javascript}` repeats another one."""
    fields = Fields(plain, where).rest()
    if not fields:
        raise RuleInvalidError(f"{where}: at least one language is expected")
    adapters: dict[str, Adapter] = {}
    for language, value in fields.items():
        inner = Fields(value, f"{where}.{language}")
        if "like" not in inner:
            adapters[language] = _adapter(inner, language)
            continue
        origin = adapters.get(inner.text("like"))
        inner.finish()
        if origin is None:
            raise RuleInvalidError(f"{where}.{language}: `like` must name a language that stands above")
        adapters[language] = Adapter(language, origin.capabilities, origin.needs, origin.like or origin.language)
    return adapters


def _adapter(fields: Fields, language: str) -> Adapter:
    needs = fields.texts("needs")
    shared = fields.mapping("utils")
    capabilities = {}
    for name, cases in fields.rest().items():
        where = f"{fields.where}.{name}"
        if not _CAPABILITY.fullmatch(name) or not isinstance(cases, list) or not cases:
            raise RuleInvalidError(f"{where}: a capability is a non-empty list of cases")
        capabilities[name] = tuple(_case(case, f"{where}[{i}]", f"{language}/{name}[{i}]", shared) for i, case in enumerate(cases))
    return Adapter(language, capabilities, needs)


def _case(plain: object, where: str, key: str, shared: Mapping[str, Any]) -> Case:
    fields = Fields(plain, where)
    names = [
        _name_test(item, where, wanted) for word, wanted in (("named_in", True), ("named_not_in", False)) for item in fields.items(word)
    ]
    match, constraints = _matcher(fields, "match"), fields.mapping("constraints")
    assigned = _assigned(fields.take("assigned"), where) if "assigned" in fields else None
    searched = [match, constraints] if assigned is None else [match, constraints, assigned.match, assigned.constraints]
    case = Case(
        key=key,
        match=match,
        constraints=constraints,
        transform=fields.mapping("transform"),
        utils=_used(shared, searched),
        vars=_templates(fields),
        site=fields.optional_text("site"),
        severity=cast("Severity", fields.choice("severity", SEVERITIES)) if "severity" in fields else None,
        confidence=fields.share("confidence") if "confidence" in fields else None,
        assigned=assigned,
        names=tuple(names),
        mention=fields.optional_text("mention"),
        position=cast("Position", fields.choice("position", get_args(Position), "either")),
        fix=_template(fields.take("fix"), f"{where}.fix") if "fix" in fields else None,
    )
    fields.finish()
    return case


def _used(shared: Mapping[str, Any], searched: list[Any]) -> dict[str, Any]:
    """The utils that the matchers refer to, directly or through each other: ast-grep compiles all that it is given."""
    used: dict[str, Any] = {}
    waiting = _references(searched)
    while waiting:
        name = waiting.pop()
        if name in shared and name not in used:
            used[name] = shared[name]
            waiting += _references(shared[name])
    return used


def _references(value: Any) -> list[str]:
    """All values of `matches` in an ast-grep rule."""
    if isinstance(value, Mapping):
        own = [value["matches"]] if isinstance(value.get("matches"), str) else []
        return own + [name for item in value.values() for name in _references(item)]
    return [name for item in value for name in _references(item)] if isinstance(value, list) else []


def _matcher(fields: Fields, key: str) -> dict[str, Any]:
    value = fields.mapping(key)
    if not value:
        raise fields.fail(key, "must be an ast-grep rule object")
    return value


def _optional_matcher(fields: Fields, key: str) -> dict[str, Any] | None:
    return _matcher(fields, key) if key in fields else None


def _templates(fields: Fields) -> dict[str, str]:
    values = fields.mapping("vars")
    if not all(isinstance(value, str) for value in values.values()):
        raise fields.fail("vars", "must map names to texts")
    return values


def _name_test(plain: object, where: str, wanted: bool) -> NameTest:
    fields = Fields(plain, f"{where}.named_in")
    test = NameTest(fields.text("var"), _capability(fields.text("capability"), where), fields.text("capture"), wanted)
    fields.finish()
    return test


def _assigned(plain: object, where: str) -> Assigned:
    fields = Fields(plain, f"{where}.assigned")
    assigned = Assigned(fields.text("var"), _matcher(fields, "match"), fields.mapping("constraints"))
    fields.finish()
    return assigned


def _template(plain: object, where: str) -> Template:
    fields = Fields(plain, where)
    edits = fields.mapping("edits")
    if not all(isinstance(value, str) for value in edits.values()):
        raise fields.fail("edits", "must map captures to texts")
    template = Template(
        applicability=cast("Applicability", fields.choice("applicability", get_args(Applicability))),
        replace=fields.optional_text("replace"),
        edits=tuple(edits.items()),
        insert_before=fields.optional_text("insert_before"),
        insert_body=fields.optional_text("insert_body"),
        add_import=fields.optional_text("add_import"),
        rewrite=fields.optional_text("rewrite"),
        when=_optional_matcher(fields, "when"),
        unless=_optional_matcher(fields, "unless"),
        file_has=_optional_matcher(fields, "file_has"),
        file_lacks=_optional_matcher(fields, "file_lacks"),
    )
    fields.finish()
    if not (template.replace or template.edits or template.insert_before or template.insert_body or template.rewrite):
        raise RuleInvalidError(f"{where}: the fix changes nothing")
    return template


def _check_references(rule: Rule) -> None:
    """Every capability that a condition or a name test asks for stands in every adapter."""
    wanted = {condition.capability for condition in rule.when if condition.capability}
    for language, adapter in rule.adapters.items():
        tests = {test.capability for cases in adapter.capabilities.values() for case in cases for test in case.names}
        missing = sorted((wanted | tests) - set(adapter.capabilities))
        unused = sorted(set(adapter.capabilities) - wanted - tests)
        if missing or unused:
            problem = f"lacks capability `{missing[0]}`" if missing else f"has a capability `{unused[0]}` that no condition asks for"
            raise RuleInvalidError(f"{rule.file}: adapters.{language} {problem}")
