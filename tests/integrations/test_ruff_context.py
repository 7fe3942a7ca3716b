"""integrations.ruff_context: what ruff reports in right code too is low there, and stays grave where it is a bug."""

from __future__ import annotations

import pytest

from integrations.ruff import RuffAnalyzer
from schema.finding import Finding
from schema.source import Source


def found(text: str, rule: str) -> Finding:
    """The one finding of the rule."""
    (finding,) = [each for each in RuffAnalyzer().analyze(Source(text, "python")) if each.rule_id == f"ruff/{rule}"]
    return finding


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('def f(name):\n    print("Select a name from " + name + " where possible")\n', "S608"),
        ('def f(log, name):\n    log.info(f"update {name} set aside")\n', "S608"),
        ('def f(name):\n    raise ValueError(f"delete from cart failed: {name}")\n', "S608"),
        ('def f(c, ids):\n    marks = ",".join("?" * len(ids))\n    c.execute(f"SELECT a FROM t WHERE id IN ({marks})", ids)\n', "S608"),
        ('TABLE = "t"\ndef f(c, i):\n    c.execute(f"SELECT a FROM {TABLE} WHERE id = ?", (i,))\n', "S608"),
        ('import subprocess, shlex\ndef f(p):\n    subprocess.run(f"ls {shlex.quote(p)}", shell=True)\n', "S602"),
        ('import os\nos.system("clear")\n', "S605"),
        ("def f(df, cols):\n    for c in cols:\n        df[c] = df[c].apply(lambda v: v + len(c))\n", "B023"),
        ("def f(q, Row):\n    return q.filter(Row.deleted == None).all()\n", "E711"),
        ("def f(df):\n    return df[df.a == None]\n", "E711"),
    ],
)
def test_right_code_is_told_quietly(text: str, rule: str) -> None:
    """Sentences, constants, placeholder marks, quoted words, functions that are used at once, and columns."""
    assert found(text, rule).severity == "low"


@pytest.mark.parametrize(
    ("text", "rule", "severity"),
    [
        ("def f(c, n):\n    c.execute(f\"SELECT a FROM t WHERE n = '{n}'\")\n", "S608", "high"),
        ('def f(c, t, marks):\n    c.execute(f"SELECT a FROM {t} WHERE id IN ({marks})")\n', "S608", "high"),
        ("def f(ns):\n    out = []\n    for n in ns:\n        out.append(lambda: n)\n    return out\n", "B023", "high"),
        ("def f(x):\n    if x == None:\n        return 1\n    return 2\n", "E711", "medium"),
    ],
)
def test_the_bug_keeps_its_grade(text: str, rule: str, severity: str) -> None:
    """The same rules where they are right."""
    assert found(text, rule).severity == severity


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("def f(x):\n    if x == True:\n        return 1\n    return 2\n", "E712"),
        ('def f(a, b):\n    return "{0}".format(a, b)\n', "F523"),
        ('def f(a, b):\n    return "%(a)s" % {"a": a, "b": b}\n', "F504"),
    ],
)
def test_a_fix_that_may_change_the_meaning_is_only_shown(text: str, rule: str) -> None:
    """`x == True` is not `x`; a value without a placeholder may be a placeholder that was forgotten."""
    fix = found(text, rule).fix

    assert fix is not None
    assert fix.applicability == "display"


def test_what_a_paste_decorates_with_is_defined_elsewhere() -> None:
    """`@app.route` of a paste with imports is no undefined name; a name in the body is."""
    text = "from flask import request\n\n@app.route('/')\ndef index():\n    return render(request)\n"
    names = {each.message: each.severity for each in RuffAnalyzer().analyze(Source(text, "python")) if each.rule_id == "ruff/F821"}

    assert sorted(names.values()) == ["high", "low"]
    assert any("`app`" in message and severity == "low" for message, severity in names.items())
