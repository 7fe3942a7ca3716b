"""Records of every kind of report, made by hand: nothing in them changes from day to day."""

from __future__ import annotations

from dataclasses import dataclass, replace

from schema.experience import Saved
from schema.finding import Finding
from schema.fix import Check, Fix, Verification
from schema.match import Match, PastFix
from schema.record import TaskRecord
from schema.usage import Usage
from tests.reports.sample import CODE, finding

ID = "3fa2c1d9e8b7aaaa"
CHECKED = "checked by ruff 0.17.6, 28 rules, deceiving characters, hard-coded secrets"
STATIC = "static: logic was not checked by a model"
NOTHING_HELD = "No fix: nothing here knows how to mend this; with a model configured it would be asked."
NOT_MENDED = "Not mended: 1 finding has no fix yet (line 11)."
CLEAN = Verification("clean")


@dataclass(frozen=True)
class Picture:
    """A record and the code that it is about."""

    record: TaskRecord
    code: str


def _shop() -> Picture:
    """Three findings, one fix for all."""
    code = (
        "import os\n\n\ndef price(items, seen=[]):\n    # what a basket costs\n    total = 0\n"
        '    for item in items:\n        total = total + item["price"]\n    if total == None:\n'
        '        return "nothing"\n    return total / len(items)\n'
    )
    fixed = code.replace("seen=[]", "seen=None").replace("total == None", "total is None").replace("import os\n\n\n", "")
    findings = (
        _at(4, code, "[]", "high", "bugs/mutable-default", "The list is made once and shared by all calls.", "Use None."),
        _at(9, code, "== None", "low", "ruff/E711", "Comparison to `None` should be `cond is None`", ""),
        finding(11, "    return total / len(items)", (12, 30)),
    )
    fix = Fix(fixed, "Replaced the shared list; compared with `is`.", "rules", CLEAN)
    return Picture(_record(findings=findings, fix=fix, saved=Saved("added", ID), notes=(CHECKED, STATIC, NOT_MENDED)), code)


def _at(line: int, code: str, span: str, *words: str) -> Finding:
    """A finding on `span` in that line; `words` are severity, rule, message, suggestion."""
    severity, rule, message, suggestion = words
    text = code.split("\n")[line - 1]
    start = text.index(span) + 1
    found = finding(line, text, (start, start + len(span)), rule_id=rule, message=message, suggestion=suggestion)
    return replace(found, severity=severity)  # type: ignore[arg-type]  # one of the severities


def _record(**values: object) -> TaskRecord:
    record = TaskRecord("1", "python", "static", elapsed_ms=41, notes=(CHECKED, STATIC), saved=Saved("skipped", why="nothing_found"))
    return replace(record, **values)  # type: ignore[arg-type]  # fields of a record


def _transfer() -> Picture:
    code = CODE.replace("xs", "prices").replace("mean", "price")
    fixed = code.replace("    return", "    if not prices:\n        return 0\n    return")
    reason = "same code as your fix of 2026-11-30 20:16, names mapped"
    match = Match("SIMILAR", "renamed", ID, 1.0, coverage=1.0, trust="plausible", reason=reason, spared=Usage(3, 900, 210, 0.0021))
    found = finding(3, "    return total / len(prices)", (12, 31))
    fix = Fix(fixed, "An empty list gives 0.", "transfer", CLEAN, ID)
    saved = Saved("skipped", why="from_memory")
    return Picture(_record(match=match, findings=(found,), fix=fix, saved=saved), code)


def _identical() -> Picture:
    fixed = CODE.replace("    return", "    if not xs:\n        return 0\n    return")
    match = Match("IDENTICAL", "exact", ID, 1.0, coverage=1.0, trust="proved", reason="same code as your fix of 2026-11-30 20:16")
    tests = Check("tests", True, "passes; before the fix it fails with exit status 1")
    fix = Fix(fixed, "An empty list gives 0.", "memory", Verification("tested", (tests,)), ID)
    return Picture(_record(match=match, findings=(finding(),), fix=fix, saved=Saved("duplicate", ID)), CODE)


def _suggestion() -> Picture:
    past = PastFix(
        ID, CODE, CODE.replace("len(xs)", "max(1, len(xs))"), "No division by zero.", "the line that it changes is not in this code"
    )
    match = Match("SIMILAR", "near", ID, 0.71, 0.3, 0.65, coverage=0.6, trust="plausible")
    return Picture(_record(match=match, findings=(finding(),), suggestion=past, saved=Saved("skipped", why="no_fix")), CODE)


def _failed() -> Picture:
    error = {"code": "llm_request_failed", "message": "The model's endpoint can't be reached: check LLM_BASE_URL."}
    saved = Saved("skipped", why="error")
    usage = Usage(2, 0, 0, None)
    return Picture(_record(findings=(finding(),), error=error, exit_code=3, llm=usage, saved=saved, provider="openai"), CODE)


def _wide() -> Picture:
    """CJK, an emoji, a combining mark."""
    code = 'def 平均(数値):\n    合計 = sum(数値)  # 合計を求める 🎉\n    return 合計 / len(数値) + f("e\u0301")\n'
    found = finding(3, code.split("\n")[2], (12, 24), message="数値 が空のとき len(数値) は 0 です。除算の前に確かめてください。")
    fix = Fix(
        code.replace("    return", "    if not 数値:\n        return 0  # 空なら 0\n    return"), "空のリストは 0 です。", "rules", CLEAN
    )
    return Picture(_record(findings=(found,), fix=fix, saved=Saved("added", ID)), code)


def _hostile() -> Picture:
    """Control sequences, direction overrides and a bell in the code and in what a model says about it."""
    code = 'x = 1  # \x1b]0;owned\x07\x1b[2K\x1b[1GALL CHECKS PASSED\n\x1b[31my = "\u202edesrever" + eval(x)  # \x9b31m\x00\n'
    message = "\x1b[2Jcall \u202eeval\u2066\x9b1m\r\nFAKE: nothing found"
    found = finding(2, code.split("\n")[1], (1, 9), "critical", message=message, suggestion="\x1b]8;;http://x\x1b\\click\x1b]8;;\x1b\\")
    fix = Fix(code.replace("eval", "\x1b[5mint"), "\x07\x1b[?1049h fixed", "model", CLEAN)
    match = Match(reason="\x1b[1mclosest past fix\x1b[0m too far")
    notes = ("note \x1b[41mred\x08\x08", STATIC)
    return Picture(_record(findings=(found,), fix=fix, match=match, notes=notes, saved=Saved("added", ID)), code)


def _tabs() -> Picture:
    code = "def keep(x, seen=[]):\n\tif x:\n\t\tseen.append(x)\t# a tab here\n\treturn seen\n"
    found = (
        _at(1, code, "[]", "high", "bugs/mutable-default", "The list is shared by all calls.", ""),
        _at(3, code, "append", "info", "style/example", "An example.", ""),
    )
    fix = Fix(code.replace("seen=[]", "seen=None").replace("\tif x", "\tif seen is None:\n\t\tseen = []\n\tif x"), "", "rules", CLEAN)
    return Picture(_record(findings=found, fix=fix, saved=Saved("added", ID)), code)


def _minified() -> Picture:
    """One line of ten thousand characters, changed in its middle."""
    line = "function a(b){return b==null?0:b.length};" * 120 + "if(x=1){go()};" + "var c=a([1,2,3]);" * 280
    at = line.index("x=1") + 1
    found = finding(1, line, (at, at + 3), "high", rule_id="bugs/assignment-in-condition", message="This assigns.", suggestion="Use ===.")
    fix = Fix(line.replace("if(x=1)", "if(x===1)") + "\n", "Compared instead of assigned.", "rules", CLEAN)
    return Picture(_record(language="javascript", findings=(found,), fix=fix, saved=Saved("added", ID)), line + "\n")


def _many() -> Picture:
    """Seven of a kind between two others."""
    code = "import os\n" + "assert (x, 'said')\n" * 7 + "print(len(x) == None)\n"
    findings = [
        _at(line, code, "(x", "high", "ruff/F631", "Assert test is a non-empty tuple, which is always `True`", "") for line in range(2, 9)
    ]
    first = _at(1, code, "import os", "low", "ruff/F401", "`os` imported but unused", "Remove it.")
    last = _at(9, code, "== None", "low", "ruff/E711", "Comparison to `None` should be `cond is None`", "")
    saved = Saved("skipped", why="no_fix")
    return Picture(_record(findings=(first, *findings, last), saved=saved, notes=(CHECKED, NOTHING_HELD, STATIC)), code)


PICTURES: dict[str, Picture] = {
    "three-findings": _shop(),
    "similar-transfer": _transfer(),
    "identical": _identical(),
    "suggestion": _suggestion(),
    "error": _failed(),
    "cjk-emoji": _wide(),
    "hostile": _hostile(),
    "tabs": _tabs(),
    "minified": _minified(),
    "group": _many(),
    "nothing": Picture(_record(), "x = 1\n"),
}
