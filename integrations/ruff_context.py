"""Where a ruff finding is known to be weak, told by the lines around it: what it says is true and yet mostly no bug."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from integrations.ruff_codes import Grade

_OVERLOADED_COMPARISON = re.compile(
    r"^\s*(?:import|from)\s+(?:sqlalchemy|flask_sqlalchemy|sqlmodel|peewee|pony|pandas|numpy|polars|pyspark|torch)\b", re.MULTILINE
)
_QUERY_OR_MASK = re.compile(
    r"\.(?:filter|filter_by|where|having|exclude|join|outerjoin|loc|select|update|delete|aggregate|annotate)\s*[(\[]"
    r"|\b(?:and_|or_|not_|Q|case|when)\(|\w\[[^\]]*[=!]=\s*None"
)
_FILLED = re.compile(r"\{([^{}]*)\}")
_CONSTANT = re.compile(r"^\s*[\w.]*\b[A-Z][A-Z0-9_]*\s*$")
_MARKS = re.compile(
    r"(?:placeholder|qmark|(?:\b|_)marks?\b)|[\"']\s*(?:\?|%s)\s*,?\s*[\"']\s*(?:\*|\]|for\b)|join\(\s*[\[(]?\s*[\"'](?:\?|%s)",
    re.IGNORECASE,
)
_SAID_NOT_RUN = re.compile(
    r"\b(?:print|logg?(?:er|ing)?\.\w+|log\.\w+|warnings\.warn|raise\s+\w+|\w*(?:Error|Exception)|flash|messagebox\.\w+)\s*\(\s*[rfRFbB]*[\"']"
)
_SQL = re.compile(
    r"(?s)\bSELECT\b|\bselect\b.+\bfrom\s+\w|\b(?:INSERT|insert)\s+(?:(?:OR|or)\s+\w+\s+)?(?:INTO|into)\b|\b(?:REPLACE|replace)\s+(?:INTO|into)\b"
    r"|\b(?:UPDATE|update)\b.+\b(?:SET|set)\b.+=|\b(?:DELETE|delete)\s+(?:FROM|from)\b|\b(?:WITH|with)\b.+\b(?:AS|as)\b"
)
_IMMEDIATE = frozenset(
    [
        "apply",
        "applymap",
        "map",
        "filter",
        "sorted",
        "sort",
        "min",
        "max",
        "sum",
        "any",
        "all",
        "reduce",
        "sort_values",
        "agg",
        "aggregate",
        "transform",
        "groupby",
        "assign",
        "pipe",
        "assertRaises",
        "raises",
        "next",
        "sub",
        "subn",
        "takewhile",
        "dropwhile",
        "starmap",
        "filterfalse",
        "accumulate",
        "where",
        "find",
        "find_all",
        "select",
        "timeit",
        "repeat",
        "nlargest",
        "nsmallest",
        "bisect_left",
        "bisect_right",
        "merge",
        "rename",
        "query",
        "mask",
        "combine",
    ]
)
"""Calls that are through with their function when they return."""
_CALL_NAME = re.compile(r"(\w+)\s*$")
_KEYWORD = re.compile(r"\bkey\s*=\s*$")
_DECORATOR_ROOT = re.compile(r"^\s*@([A-Za-z_]\w*)", re.MULTILINE)


def in_context(code: str, message: str, start: tuple[int, int], evidence: str, lines: Sequence[str], given: Grade) -> Grade:
    """The grade of a finding that starts at (line, column), lowered where its place makes it weak."""
    if code in {"S602", "S605"} and ("seems safe" in message or "quote(" in evidence):
        return replace(given, severity="low", confidence=0.3)
    if code == "S608" and not is_built_query(lines[start[0] - 1][: start[1]], evidence):
        return replace(given, severity="low", confidence=0.3)
    if code == "B023" and is_used_at_once(start, lines):
        return replace(given, severity="low", confidence=0.3)
    return given


def compares_overloaded(evidence: str, text: str) -> bool:
    """`column == None` builds a query or a mask there: `is None` would break it."""
    return _OVERLOADED_COMPARISON.search(text) is not None or _QUERY_OR_MASK.search(evidence) is not None


def is_built_query(before: str, evidence: str) -> bool:
    """False for a sentence that begins like SQL, and for SQL with only constants or placeholder marks put in.

    `before` is its first line up to the literal.
    """
    if _SAID_NOT_RUN.search(before + '"') or not _SQL.search(evidence):
        return False
    filled = _FILLED.findall(evidence)
    if filled and not re.search(r"[\"']\s*[%+]|\.format\(", evidence):
        return not all(_CONSTANT.match(value) or _MARKS.search(value) for value in filled)
    return _MARKS.search(evidence) is None


def is_used_at_once(start: tuple[int, int], lines: Sequence[str]) -> bool:
    """The lambda around the place is an argument of a call that uses it before the loop goes on, as `sorted(xs, key=lambda ...)`."""
    head = "\n".join([*lines[max(0, start[0] - 3) : start[0] - 1], lines[start[0] - 1][: start[1] - 1]])
    before, found, _ = head.rpartition("lambda")
    if not found:
        return False
    if _KEYWORD.search(before):
        return True
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(before[at], 0)
        if depth < 0:
            name = _CALL_NAME.search(before[:at]) if before[at] == "(" else None
            return name is not None and name[1] in _IMMEDIATE
    return False


def registries(text: str) -> frozenset[str]:
    """Names whose attributes decorate: `app` of `@app.route(...)`; in a paste they come from the part that was left out."""
    return frozenset(_DECORATOR_ROOT.findall(text))
