"""ruff's JSON as findings: graded for a paste, which is mostly a fragment of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from integrations.ruff_codes import DISPLAY_ONLY, Grade, grade
from integrations.ruff_context import compares_overloaded, in_context, registries
from schema.finding import Applicability, Finding, Severity, SuggestedFix, TextEdit
from schema.source import Source

MAX_SYNTAX_FINDINGS = 3
MAX_UNDEFINED_NAMES = 3
"""A complete file that lacks more names than this is a part of one after all."""

MAX_LISTED_NAMES = 20
MAX_EVIDENCE_LINE = 1_000
"""Characters of one line of evidence."""
MIN_MISSPELT_LENGTH = 4
MISSPELT_LIKENESS = 0.82
"""difflib's ratio: one letter of six wrong, or two swapped."""

_APPLICABILITY: Mapping[str, Applicability] = {"safe": "safe", "unsafe": "unsafe"}
_COMPLETE = re.compile(r"^(?:import|from)\s+\w|^if\s+__name__\s*==", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w{3,}\b")
_QUOTED = re.compile(r"""(["'])(.*?)\1""")
_NOT_SECRET = re.compile(
    r"(?i)^(|pass(word|wd)?|secret|token|bearer|basic|none|null|true|false|changeme|change_me|example|dummy|test|"
    r"<.*>|\{.*\}|\$.*|x+|\*+|\.+|[\w.-]*(password|passwd|token|secret)[\w.-]*|.*\s.*)$"
)
_NAMES_A_FIELD = re.compile(r"(?i)(field|name|header|url|uri|path|type|param|label|column|prefix|regex|pattern)s?\"?$")


def to_findings(raw: Sequence[Mapping[str, Any]], source: Source) -> list[Finding]:
    """Findings sorted by place. At most three syntax errors, one a line; undefined names of a fragment become one finding."""
    lines = source.text.split("\n")
    found = [_finding(entry, source, lines) for entry in raw]
    syntax = list({finding.start_line: finding for finding in reversed(found) if finding.rule_id == "ruff/invalid-syntax"}.values())
    syntax.sort(key=lambda finding: finding.start_line)
    undefined = [finding for finding in found if finding.rule_id == "ruff/F821"]
    rest = [finding for finding in found if finding.rule_id not in {"ruff/invalid-syntax", "ruff/F821"}]
    kept = [*syntax[:MAX_SYNTAX_FINDINGS], *rest, *_undefined_names(undefined, source)]
    return sorted(kept, key=lambda finding: (finding.start_line, finding.start_column, finding.rule_id))


def _finding(entry: Mapping[str, Any], source: Source, lines: list[str]) -> Finding:
    code = entry.get("code") or "invalid-syntax"
    start_line, start_column = _place(entry["location"], lines)
    end_line, end_column = _place(entry["end_location"], lines)
    evidence = "\n".join(_cut(line, start_column if not number else 1) for number, line in enumerate(lines[start_line - 1 : end_line]))
    message, start = str(entry["message"]), (start_line, start_column)
    given, fix = in_context(code, message, start, evidence, lines, _graded(code, message, evidence)), _fix(entry.get("fix"))
    is_overloaded = code in {"E711", "E712"} and compares_overloaded(evidence, source.text)
    if is_overloaded:
        given = replace(given, severity="low", confidence=0.3)
    if fix and (is_overloaded or code in DISPLAY_ONLY):
        fix = replace(fix, applicability="display")
    return Finding(
        path=source.path,
        start_line=start_line,
        end_line=end_line,
        start_column=start_column,
        end_column=end_column,
        severity=given.severity,
        category=given.category,
        rule_id=f"ruff/{code}",
        message=_message(code, str(entry["message"])),
        suggestion=given.suggestion or _suggestion(entry),
        evidence=evidence,
        confidence=given.confidence,
        source=f"ruff:{code}",
        fix=fix,
    )


def _cut(line: str, column: int) -> str:
    """The line; of one that no person wrote the part around the 1-based column: thousands of findings may stand on it."""
    if len(line) <= MAX_EVIDENCE_LINE:
        return line
    start = max(0, min(column - 1 - MAX_EVIDENCE_LINE // 3, len(line) - MAX_EVIDENCE_LINE))
    return line[start : start + MAX_EVIDENCE_LINE]


def _place(location: Mapping[str, int], lines: list[str]) -> tuple[int, int]:
    """ruff may name the line after the last one ("unexpected end of file"): that is the end of the last line with text."""
    row, column = location["row"], location["column"]
    last = max(1, len(lines) - (1 if len(lines) > 1 and not lines[-1] else 0))
    return (row, column) if row <= last else (last, len(lines[last - 1]) + 1)


def _message(code: str, message: str) -> str:
    return f"Syntax error: {message[:1].lower()}{message[1:]}" if code == "invalid-syntax" else message


def _suggestion(entry: Mapping[str, Any]) -> str:
    fix = entry.get("fix")
    if fix and fix.get("message"):
        return f"{fix['message']}."
    return f"See {entry['url']}" if entry.get("url") else ""


def _fix(fix: Mapping[str, Any] | None) -> SuggestedFix | None:
    """The edits in the coordinates of the text; what ruff only displays is display here too."""
    if not fix or not fix.get("edits"):
        return None
    edits = tuple(
        TextEdit(
            edit["location"]["row"],
            edit["location"]["column"],
            edit["end_location"]["row"],
            edit["end_location"]["column"],
            edit.get("content") or "",
        )
        for edit in fix["edits"]
    )
    return SuggestedFix(edits, _APPLICABILITY.get(fix.get("applicability", ""), "display"))


def _graded(code: str, message: str, evidence: str) -> Grade:
    """The grade of the code, lowered where this very finding is known to be weak."""
    given = grade(code)
    if code in {"S105", "S106", "S107"} and not _is_secret(message, evidence):
        return replace(given, severity="low", confidence=0.3)
    if code == "F811" and re.search(r"^\s*(import|from)\b", evidence):
        return replace(given, severity="low")
    return given


def _is_secret(message: str, evidence: str) -> bool:
    """False for `TOKEN_HEADER = "x-token"` and `password = "changeme"`: a name of a field or a stand-in, not a secret."""
    if _NAMES_A_FIELD.search(message):
        return False
    values = [value for _, value in _QUOTED.findall(evidence)]
    return not values or any(not _NOT_SECRET.match(value) for value in values)


def _undefined_names(found: list[Finding], source: Source) -> list[Finding]:
    """What F821 is worth.

    A file, or a paste with imports, is complete: a name that nothing defines is a bug. A bare function uses names of its
    own file all the time; twenty findings of severity high would hide the real ones, so they become one low finding that
    lists the names. A misspelt name of the same text is told in both cases.
    """
    names = {name: finding for finding in reversed(found) if (name := _name_in(finding))}
    misspelt = {name: near for name in names if (near := _near(name, source.text, names))}
    complete = source.path != "paste" or _COMPLETE.search(source.text) is not None
    elsewhere = registries(source.text) if source.path == "paste" else frozenset()
    others = [name for name in names if name not in misspelt and name not in elsewhere]
    spelt = [_misspelt(names[name], name, near, "high" if complete else "medium") for name, near in misspelt.items()]
    if complete and len(others) <= MAX_UNDEFINED_NAMES:
        return [*spelt, *(names[name] for name in others), *_grouped([names[name] for name in names if name in elsewhere])]
    return [*spelt, *_grouped([names[name] for name in names if name not in misspelt])]


def _name_in(finding: Finding) -> str:
    quoted = re.search(r"`([^`]+)`", finding.message)
    return quoted.group(1) if quoted else ""


def _near(name: str, text: str, undefined: Mapping[str, Finding]) -> str:
    """A name that the text has, except for one slip of the pen; empty for short names and for a mere plural."""
    known = {word for word in _WORD.findall(text) if word not in undefined and abs(len(word) - len(name)) <= 1}
    near = get_close_matches(name, sorted(known), n=1, cutoff=MISSPELT_LIKENESS) if len(name) >= MIN_MISSPELT_LENGTH else []
    return near[0] if near and near[0].rstrip("s") != name.rstrip("s") else ""


def _misspelt(finding: Finding, name: str, near: str, severity: Severity) -> Finding:
    return replace(finding, severity=severity, message=f"Undefined name `{name}`: did you mean `{near}`?", suggestion=f"Write `{near}`.")


def _grouped(found: Sequence[Finding]) -> list[Finding]:
    """One low finding at the first place, naming them all."""
    if not found:
        return []
    first = min(found, key=lambda finding: (finding.start_line, finding.start_column))
    names = ", ".join(f"`{_name_in(finding)}`" for finding in found[:MAX_LISTED_NAMES])
    more = ", ..." if len(found) > MAX_LISTED_NAMES else ""
    return [
        replace(
            first,
            severity="low",
            confidence=0.3,
            message=f"Not defined in this code: {names}{more}",
            suggestion="Fine when the rest of the file defines or imports it; else define it or correct its spelling.",
        )
    ]
