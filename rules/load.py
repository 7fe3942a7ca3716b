"""Rule files from a folder: strict, and cheap when only one language is asked for.

A file holds one YAML document with the rule, or two: the rule, a line `---`, and `tests:`. The product reads the first
only, because most of a file are its cases.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from errors import RuleInvalidError
from rules.fields import Fields
from rules.model import Rule
from rules.parse import parse_rule
from rules.vocabulary import LANGUAGES_FOLDER, read_yaml, vocabulary

SETS_FOLDER = Path(__file__).parent / "sets"
_SPLIT = re.compile(r"(?m)^---[ \t]*$")
_ID_LINE = re.compile(r"(?m)^id:[ ]*(\S+)")
_ALIASES_LINE = re.compile(r"(?m)^aliases:[ ]*\[([^\]]*)\]")
_MOST_DOCUMENTS = 2
DIGEST_LENGTH = 12


def load_rules(folder: Path = SETS_FOLDER, *, language: str | None = None, with_tests: bool = True) -> tuple[Rule, ...]:
    """All rules below `folder`, sorted by id; with `language` only those that have an adapter for it.

    Raises: RuleInvalidError naming file and key, for a broken file, a repeated id, or (with tests) a missing case.
    """
    rules = [rule for path in rule_files(folder) if (rule := _load(path, folder, language, with_tests)) is not None]
    rules.sort(key=lambda rule: rule.id)
    for before, after in pairwise(rules):
        if before.id == after.id:
            raise RuleInvalidError(f"{after.file}: `id` {after.id} stands in {before.file} already")
    return tuple(rules)


def rule_files(folder: Path) -> list[Path]:
    """The rule files in a fixed order. Raises: RuleInvalidError when there is no such folder."""
    if not folder.is_dir():
        raise RuleInvalidError(f"no folder of rules: {folder}")
    return sorted(folder.rglob("*.yaml"))


def set_digest(folder: Path = SETS_FOLDER) -> str:
    """A digest of all rule and vocabulary files, from their bytes: cheap, nothing is parsed."""
    total = hashlib.sha256()
    for path in [*rule_files(folder), *sorted(LANGUAGES_FOLDER.glob("*.yaml"))]:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:DIGEST_LENGTH]


def rule_aliases(folder: Path = SETS_FOLDER) -> dict[str, frozenset[str]]:
    """Rule id -> ids of other analysers' rules for the same defect. Reads two keys of each file, so it is cheap at start."""
    aliases: dict[str, frozenset[str]] = {}
    for path in rule_files(folder):
        head = path.read_text(encoding="utf-8", errors="replace")
        rule_id, listed = _ID_LINE.search(head), _ALIASES_LINE.search(head)
        if rule_id is not None and listed is not None:
            aliases[rule_id[1]] = frozenset(part.strip() for part in listed[1].split(",") if part.strip())
    return aliases


def _load(path: Path, folder: Path, language: str | None, with_tests: bool) -> Rule | None:
    """One rule; None when it has no adapter for `language`."""
    name = path.relative_to(folder).as_posix()
    documents = _documents(path, name)
    if language is not None and not re.search(rf"\b{re.escape(language)}\b", documents[0]):
        return None
    plain = read_yaml(documents[0], name, strict=with_tests)
    if with_tests and len(documents) > 1:
        plain = _with_cases(plain, read_yaml(documents[1], name, strict=True), name)
    rule = parse_rule(plain, name)
    if language is not None and language not in rule.adapters:
        return None
    _check_languages(rule, [language] if language else rule.adapters)
    if with_tests:
        _check_cases(rule)
    return rule


def _documents(path: Path, name: str) -> list[str]:
    try:
        documents = _SPLIT.split(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RuleInvalidError(f"{name}: the file can't be read as UTF-8 text") from error
    if len(documents) > _MOST_DOCUMENTS:
        raise RuleInvalidError(f"{name}: at most two documents (the rule, then its tests)")
    return documents


def _with_cases(plain: object, cases: object, name: str) -> dict[str, object]:
    rule, second = Fields(plain, name).rest(), Fields(cases, f"{name}: second document")
    if "tests" in rule:
        raise RuleInvalidError(f"{name}: `tests` stands in both documents")
    tests = second.mapping("tests")
    second.finish()
    return {**rule, "tests": tests}


def _check_languages(rule: Rule, languages: Iterable[str]) -> None:
    """The vocabulary knows what the rule speaks of, in each of its languages."""
    for language in languages:
        known = vocabulary(language).entities
        if rule.entity != "file" and rule.entity not in known:
            raise RuleInvalidError(f"{rule.file}: adapters.{language}: the language has no entity `{rule.entity}`")


def _check_cases(rule: Rule) -> None:
    """Every adapter of its own has at least one invalid and one valid case."""
    for language, adapter in rule.adapters.items():
        if not adapter.like and language not in rule.tests:
            raise RuleInvalidError(f"{rule.file}: tests.{language}: no cases for this adapter")
    unknown = sorted(set(rule.tests) - set(rule.adapters))
    if unknown:
        raise RuleInvalidError(f"{rule.file}: tests.{unknown[0]}: there is no such adapter")
