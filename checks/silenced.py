"""Findings that comments in the code silence (`# noqa`, `# ruff: noqa`, ...): found again without those comments, so that they are told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from schema.finding import Finding

MAX_EVIDENCE = 300
_COMMENT = re.compile(r"#[^\n]*")
_DIRECTIVE = re.compile(r"(?i)noqa|\b(?:ruff|flake8)\s*:")
_NAMED = re.compile(r"(?i)#\s*(?:noqa\s*:|ruff\s*:\s*ignore\[)\s*(?P<codes>[\w/-]+(?:[\s,]+[\w/-]+)*)")


def without_directives(text: str, language: str) -> str:
    """The text with every such comment made harmless, all places kept; the text itself when there is none."""
    if language != "python" or _DIRECTIVE.search(text) is None:
        return text
    return _COMMENT.sub(lambda comment: _DIRECTIVE.sub(_harmless, comment.group()), text)


def _harmless(directive: re.Match[str]) -> str:
    word = directive.group()
    return "____" if word.lower() == "noqa" else word[:-1] + " "


def silenced(audible: Iterable[Finding], all_found: Iterable[Finding], text: str) -> tuple[Finding, ...]:
    """What is in `all_found`, made without the comments, and not in `audible`; with the evidence of `text`."""
    heard = {_place(finding) for finding in audible}
    lines = text.split("\n")
    return tuple(_as_written(finding, lines) for finding in all_found if _place(finding) not in heard)


def wholesale(found: Sequence[Finding], aliases: Mapping[str, frozenset[str]], text: str) -> tuple[Finding, ...]:
    """Those that no comment on their own lines names: one for the whole file, or one without a rule's name, silences them."""
    lines = text.split("\n")
    return tuple(one for one in found if not _is_named(one, aliases, lines[one.start_line - 1 : one.end_line]))


def _is_named(finding: Finding, aliases: Mapping[str, frozenset[str]], lines: Iterable[str]) -> bool:
    own = [finding.rule_id, *aliases.get(finding.rule_id, ())]
    names = {name.lower() for full in own for name in (full, full.rpartition("/")[2])}
    return any(name.startswith(code) for code in _codes(lines) for name in names)


def _codes(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        for directive in _NAMED.finditer(line):
            yield from re.findall(r"[\w/-]+", directive["codes"].lower())


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding.rule_id, finding.start_line, finding.start_column


def _as_written(finding: Finding, lines: Sequence[str]) -> Finding:
    written = "\n".join(line[:MAX_EVIDENCE] for line in lines[finding.start_line - 1 : finding.end_line])
    return replace(finding, evidence=written)
