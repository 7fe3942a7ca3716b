"""The `tests:` of a rule file, typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errors import RuleInvalidError
from rules.fields import Fields
from rules.model import Examples, Invalid


def parse_examples(plain: Mapping[str, Any], where: str) -> dict[str, Examples]:
    return {language: _language_examples(value, f"{where}.{language}") for language, value in plain.items()}


def _language_examples(plain: object, where: str) -> Examples:
    fields = Fields(plain, where)
    invalid = tuple(_invalid(item, f"{where}.invalid[{i}]") for i, item in enumerate(fields.items("invalid")))
    valid = fields.texts("valid")
    fields.finish()
    if not invalid or not valid:
        raise RuleInvalidError(f"{where}: at least one invalid and one valid case are expected")
    return Examples(invalid, valid)


def _invalid(plain: object, where: str) -> Invalid:
    fields = Fields(plain, where)
    code = fields.text("code")
    lines = fields.items("lines") if "lines" in fields else [fields.take("line")]
    column = fields.take("column")
    fixed = fields.optional_text("fixed")
    fields.finish()
    if not lines or not all(isinstance(line, int) for line in lines) or not (column is None or isinstance(column, int)):
        raise RuleInvalidError(f"{where}: `line` (or `lines`) and `column` are numbers")
    return Invalid(code, tuple(lines), fixed, column)
