"""Do two findings mean the same defect? By place, subject and words; a fixed rule, no model.

Same place: their lines overlap. Same meaning: they speak of the same subject (the table of subjects, or the same rule name), or share
enough of their telling words, and their categories can be the same defect: `bug` and `reliability` are near each other,
`security` and `performance` stand for themselves unless the subject is the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from schema.finding import Finding

MIN_SHARED = 2
"""Telling words that both must use; one alone (`value`, `list`) is chance."""
MIN_SHARE = 0.34
"""Of the telling words of the shorter one."""
WIDE = 8
"""Lines. A finding over more is about a whole function: overlapping it says little, so the subject must be the same."""

_NEAR = frozenset({"bug", "reliability", "maintainability"})
_WORD = re.compile(r"[a-z][a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STOP = re.compile(
    "the|and|for|with|that|this|from|into|are|was|not|can|may|will|when|which|where|its|has|have|been|being|but|one|two|all|"
    "any|instead|use|using|used|code|line|value|values|function|method|call|calls|called|should|would|could|does|make|made|"
    "than|then|them|they|there|here|always|never|only|also|more|most|some|such|same|other|each|after|before|without|under|"
    "over|out|off|set|get|new|old|return|returns"
)
"""Words that say nothing about a defect."""
SUBJECTS: Mapping[str, str] = {
    "shell": r"\bshell|os\.system|command injection|subprocess",
    "sql": r"\bsql\b|\bquery\b|queries",
    "html": r"\bxss\b|cross.site|inner ?html|unescaped|escap\w+ html",
    "secret": r"secret|credential|hard.?coded|password|api.?key|private key|\btoken\b",
    "eval": r"eval\b|\bexec\b|insecure function|code (?:from|injection)|arbitrary code",
    "tls": r"\btls\b|\bssl\b|certificate",
    "path": r"path traversal|directory traversal",
    "deserialise": r"pickle|deseriali|yaml\.load|unmarshal",
    "division": r"divi(?:de|sion|des|ding)|by zero|empty (?:list|sequence|input)",
    "mutable default": r"mutable|shared (?:default|between)|default (?:argument|object|list|value)",
    "range": r"off.by.one|past (?:the )?end|out of (?:range|bounds)|last (?:index|element|item)|index\w* (?:past|beyond|error)|overrun",
    "null": r"\bnone\b|\bnull\b|\bnil\b|undefined|dereference",
    "name": r"undefined name|not defined|nameerror|unbound",
    "await": r"await|coroutine|never awaited|\bpromise\b",
    "blocking": r"block(?:s|ing)\b.*(?:loop|async)|async.*block",
    "except": r"swallow|bare except|except(?:ion)? (?:is )?(?:ignored|hidden|silently)|try.except.pass|silently",
    "leak": r"not closed|never closed|unclosed|leak|close[sd]? (?:the )?(?:file|handle|connection|response)|with statement",
    "iteration": r"(?:modif|chang|remov|mutat)\w+ .*(?:iterat|loop)|(?:iterat|loop)\w* .*(?:modif|chang|remov|mutat)",
    "capture": r"captur|late.binding|closure|loop variable",
    "assert": r"assert",
    "format": r"format string|printf",
    "overflow": r"overflow|terminator|\bbuffer\b|strcpy|unbounded copy",
    "race": r"\brace\b|concurren|thread.?safe|lock",
    "float": r"float|rounding|precision",
    "comparison": r"==|!=|\bis\b literal|identity|boxed|equals\(",
    "strip": r"strip\(|l?r?strip",
    "sort": r"\bsort",
}
_SUBJECTS = {subject: re.compile(pattern) for subject, pattern in SUBJECTS.items()}


def same_place(one: Finding, other: Finding) -> bool:
    """True when their lines overlap."""
    return one.start_line <= other.end_line and other.start_line <= one.end_line


def same_meaning(one: Finding, other: Finding) -> bool:
    """True when both can speak of one defect, wherever they stand."""
    if subjects(_said(one)) & subjects(_said(other)):
        return True
    if one.category != other.category and not {one.category, other.category} <= _NEAR:
        return False
    mine, its = telling_words(_text(one)), telling_words(_text(other))
    shared = len(mine & its)
    return shared >= MIN_SHARED and shared >= MIN_SHARE * min(len(mine), len(its))


def same_defect(one: Finding, other: Finding) -> bool:
    """True for one defect that two have found."""
    if not same_place(one, other):
        return False
    wide = max(one.end_line - one.start_line, other.end_line - other.start_line) >= WIDE
    return bool(subjects(_said(one)) & subjects(_said(other))) if wide else same_meaning(one, other)


@lru_cache(maxsize=512)
def subjects(text: str) -> frozenset[str]:
    """What a finding is about, of the table."""
    lowered = text.lower()
    return frozenset(subject for subject, pattern in _SUBJECTS.items() if pattern.search(lowered))


@lru_cache(maxsize=512)
def telling_words(text: str) -> frozenset[str]:
    """Words that say something, cut to their stems (six letters tell enough: `divides` and `dividing`)."""
    words = _WORD.findall(_CAMEL.sub(" ", text).lower())
    return frozenset(word[:6] for word in words if len(word) > 2 and not _STOP.fullmatch(word))  # noqa: PLR2004 - shorter ones are grammar


def _said(finding: Finding) -> str:
    """What a finding says is wrong, its rule's name included. Not what it suggests: that speaks of the remedy."""
    name = finding.rule_id.split("/", 1)[-1].replace("-", " ")
    return f"{name}. {finding.message}"


def _text(finding: Finding) -> str:
    """All that a finding says."""
    return f"{_said(finding)}. {finding.suggestion}"
