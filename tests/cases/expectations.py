"""What a fixture's expectation means: one function a key, each with one assertion that names what it saw."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
RECORD_KEYS = {
    "id", "language", "provider", "match", "route", "findings", "fix", "saved", "llm", "elapsed_ms", "error",
}  # fmt: skip
MATCH_KEYS = {
    "status", "tier", "experience_id", "score", "distance", "threshold", "coverage", "regions", "already_fixed", "related",
}  # fmt: skip
ABOVE_LOW = {"medium", "high", "critical"}
LOGIC = re.compile(r"logic was not checked")
UNCHECKED = re.compile(r"not (?:been )?(?:checked|reviewed)|nothing .*check", re.IGNORECASE)


def said(finding: Mapping[str, Any]) -> str:
    """What a finding says of itself."""
    return f"{finding['rule_id']} {finding['message']} {finding['suggestion']}"


def places(record: Record) -> list[tuple[int, str, str]]:
    """All findings in short, for a failed assertion."""
    return [(found["start_line"], found["severity"], said(found)[:90]) for found in record["findings"]]


def fix_code(record: Record) -> str:
    """The fixed code, empty when there is no fix."""
    return str(record["fix"]["code"]) if record["fix"] else ""


def has_finding(record: Record, wanted: Mapping[str, Any]) -> bool:
    """A finding on one of the wanted lines says what the pattern asks for."""
    lines = wanted.get("lines") or [wanted["line"]]
    pattern = re.compile(wanted["about"], re.IGNORECASE)
    return any(found["start_line"] in lines and pattern.search(said(found)) for found in record["findings"])


def findings(record: Record, wanted: Sequence[Mapping[str, Any]]) -> None:
    """Each of these is reported."""
    missing = [one for one in wanted if not has_finding(record, one)]
    assert not missing, (missing, places(record))


def rule_findings(record: Record, wanted: Sequence[Mapping[str, Any]]) -> None:
    """Each of these is reported, and nothing is on other lines at medium or above."""
    findings(record, wanted)
    lines = {line for one in wanted for line in one["lines"]}
    assert all(found["start_line"] in lines for found in record["findings"] if found["severity"] in ABOVE_LOW), places(record)


def no_findings(record: Record, wanted: bool) -> None:
    """Nothing of medium or above."""
    assert wanted
    assert not [found for found in record["findings"] if found["severity"] in ABOVE_LOW], places(record)


def only_these(record: Record, wanted: bool) -> None:
    """One finding above low, which `findings` has named."""
    assert wanted
    assert len([found for found in record["findings"] if found["severity"] in ABOVE_LOW]) == 1, places(record)


def at_most(record: Record, wanted: int) -> None:
    """One finding for the kind, not one a character."""
    assert len(record["findings"]) <= wanted, places(record)


def max_findings(record: Record, wanted: int) -> None:
    """The record is cut to the limit."""
    assert len(record["findings"]) <= wanted


def clean_lines(record: Record, wanted: Sequence[int]) -> None:
    """Nothing is reported on these lines."""
    assert not [found for found in record["findings"] if found["start_line"] in wanted], places(record)


def finding_lines_within(record: Record, wanted: Sequence[int]) -> None:
    """Findings, if any, stand between two lines."""
    assert all(wanted[0] <= found["start_line"] <= wanted[1] for found in record["findings"]), places(record)


def not_rules(record: Record, wanted: Sequence[str]) -> None:
    """No finding of these rules."""
    assert not [found for found in record["findings"] if found["rule_id"].split("/")[-1] in wanted], places(record)


def severity(record: Record, wanted: Mapping[str, str]) -> None:
    """The worst finding on a line."""
    for line, level in wanted.items():
        assert level in {found["severity"] for found in record["findings"] if found["start_line"] == int(line)}, places(record)


def columns(record: Record, wanted: Mapping[str, int]) -> None:
    """A finding on the line begins at the column, when there is a finding on it."""
    for line, column in wanted.items():
        begins = {found["start_column"] for found in record["findings"] if found["start_line"] == int(line)}
        assert not begins or column in begins, (line, begins)


def language(record: Record, wanted: Sequence[str]) -> None:
    """One of these."""
    assert record["language"] in wanted


def language_not(record: Record, wanted: Sequence[str]) -> None:
    """None of these."""
    assert record["language"] not in wanted


def match(record: Record, wanted: str) -> None:
    """The status of the match."""
    assert record["match"]["status"] == wanted, record["match"]


def match_not(record: Record, wanted: Sequence[str]) -> None:
    """None of these."""
    assert record["match"]["status"] not in wanted, record["match"]


def tier(record: Record, wanted: str) -> None:
    """How memory knew; exact and renamed have score 1 and neither distance nor threshold."""
    found = record["match"]
    assert (found["tier"], found["score"], found["distance"], found["threshold"]) == (wanted, 1.0, None, None), found


def partly(record: Record, wanted: bool) -> None:
    """Memory explains a part, and says which lines."""
    assert wanted
    assert 0 < record["match"]["coverage"] < 1, record["match"]
    assert record["match"]["regions"]


def already_fixed(record: Record, wanted: bool) -> None:
    """The paste is the fixed side of something known."""
    assert record["match"]["already_fixed"] is wanted, record["match"]


def related_trust(record: Record, wanted: Sequence[str]) -> None:
    """The trust of what is listed as reading matter."""
    assert [related["trust"] for related in record["match"]["related"]] == wanted, record["match"]


def saved(record: Record, wanted: Sequence[str]) -> None:
    """One of these."""
    assert record["saved"]["status"] in wanted, record["saved"]


def saved_not(record: Record, wanted: Sequence[str]) -> None:
    """None of these."""
    assert record["saved"]["status"] not in wanted, record["saved"]


def level(record: Record, wanted: str) -> None:
    """The evidence level of the fix."""
    assert record["fix"]["verification"]["level"] == wanted, record["fix"]["verification"]


def level_not(record: Record, wanted: Sequence[str]) -> None:
    """None of these."""
    assert not record["fix"] or record["fix"]["verification"]["level"] not in wanted


def fix(record: Record, wanted: str) -> None:
    """`required` or `none`."""
    assert bool(record["fix"]) is (wanted == "required"), (record["fix"], record.get("notes"), places(record))


def fix_origin(record: Record, wanted: Sequence[str]) -> None:
    """Where the fix came from."""
    assert record["fix"]["origin"] in wanted


def fix_origin_not(record: Record, wanted: Sequence[str]) -> None:
    """Where it must not come from."""
    assert not record["fix"] or record["fix"]["origin"] not in wanted


def fix_keeps(record: Record, wanted: Sequence[str]) -> None:
    """These stand in the fix, when there is one."""
    code = fix_code(record)
    assert not code or all(text in code for text in wanted), code


def fix_lacks(record: Record, wanted: Sequence[str]) -> None:
    """These don't."""
    assert not [text for text in wanted if text in fix_code(record)], fix_code(record)


def fix_line_ends(record: Record, wanted: str) -> None:
    """All line ends of the fix are of one kind."""
    code = fix_code(record)
    crlf = code.count("\r\n")
    assert code.count("\n") == (crlf if wanted == "crlf" else code.count("\n"))
    assert (crlf > 0) is (wanted == "crlf")


def error(record: Record, wanted: str) -> None:
    """The code of the error."""
    assert (record["error"] or {}).get("code") == wanted, record["error"]


def error_says(record: Record, wanted: str) -> None:
    """The sentence of the error."""
    assert re.search(wanted, (record["error"] or {}).get("message", "")), record["error"]


def any_error(record: Record, wanted: bool) -> None:
    """Code that may be refused; an internal error it is not."""
    assert wanted
    assert (record["error"] or {}).get("code") != "internal_error"


def note(record: Record, wanted: str) -> None:
    """A sentence of the record."""
    assert re.search(wanted, " ".join(record["notes"])), record["notes"]


def logic_note(record: Record, wanted: bool) -> None:
    """The record says that no model looked at the logic."""
    assert wanted
    assert LOGIC.search(" ".join(record["notes"])), record["notes"]


def unchecked_note(record: Record, wanted: bool) -> None:
    """The record says that nothing knows this language."""
    assert wanted
    assert UNCHECKED.search(" ".join(record["notes"])), record["notes"]


def well_formed(record: Record) -> None:
    """Every key is there, no model was called, and no fix is offered without a level."""
    assert set(record) >= RECORD_KEYS
    assert set(record["match"]) >= MATCH_KEYS
    assert record["llm"] == {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
    assert not record["fix"] or record["fix"]["verification"]["level"] != "none"
    assert record["error"] is None or record["saved"]["status"] == "skipped"


def evidence_is_source(record: Record, lines: Sequence[str]) -> None:
    """The evidence of a finding is the exact text of its lines."""
    for found in record["findings"]:
        exact = "\n".join(lines[found["start_line"] - 1 : found["end_line"]])
        assert found["evidence"] == exact, (found["start_line"], found["evidence"], exact)


CHECKS: dict[str, Callable[[Record, Any], None]] = {
    check.__name__: check
    for check in (
        findings, rule_findings, no_findings, only_these, at_most, max_findings, clean_lines, finding_lines_within,
        not_rules, severity, columns, language, language_not, match, match_not, tier, partly, already_fixed, related_trust,
        saved, saved_not, level, level_not, fix, fix_origin, fix_origin_not, fix_keeps, fix_lacks, fix_line_ends, error, error_says,
        any_error, note, logic_note, unchecked_note,
    )
}  # fmt: skip
"""Every key of a record's expectation."""


def fix_changes_at_most(record: Record, wanted: int, lines: Sequence[str]) -> None:
    """A fix leaves all but so many lines as they are."""
    before, after = Counter(lines), Counter(fix_code(record).splitlines())
    assert (before - after).total() <= wanted
    assert (after - before).total() <= wanted


def check_record(record: Record, wanted: Mapping[str, Any], lines: Sequence[str]) -> None:
    """All checks of one record; `lines` are those of its paste. Raises KeyError for a key that is no check."""
    well_formed(record)
    for key, value in wanted.items():
        if key == "fix_changes_at_most":
            fix_changes_at_most(record, value, lines)
        else:
            CHECKS[key](record, value)
