"""Fixes: edits that keep what the author wrote, and none where an edit would be a guess."""

from __future__ import annotations

import pytest

from rules.engine import RuleEngine
from schema.source import Source
from utils.edits import apply_edits

ENGINE = RuleEngine()


def fixed(code: str, language: str = "python") -> str | None:
    """The code with the fix of the first fixable finding; None when there is none."""
    fixes = [finding.fix for finding in ENGINE.analyze(Source(code, language)) if finding.fix]
    return apply_edits(code, fixes[0].edits) if fixes else None


def test_every_comment_stays_beside_its_thing() -> None:
    """The default changes, the guard stands before the first comment of the body."""
    head = "def build(\n    name,\n    # order matters: first match wins\n    rules={},  # default: none\n    *,\n    strict=0,  # s\n):\n"
    body = "    # start from a copy\n    rules.append(name)\n    return rules if strict else list(rules)\n"
    guard = "    if rules is None:\n        rules = []\n"

    assert fixed(head.replace("{}", "[]") + body) == head.replace("{}", "None") + guard + body


def test_guard_has_the_indentation_of_the_body() -> None:
    """Tabs stay tabs, two blanks stay two."""
    assert fixed("def f(a=[]):\n\treturn a\n") == "def f(a=None):\n\tif a is None:\n\t\ta = []\n\treturn a\n"
    assert fixed("def f(a=[]):\n  return a\n") == "def f(a=None):\n  if a is None:\n    a = []\n  return a\n"


@pytest.mark.parametrize(
    "code",
    [
        "def f(a=[]): return a\n",
        'def f(a=[]):\n    """Doc."""; return a\n',
        "def f(xs): return sum(xs) / len(xs)\n",
        "def f(xs):\n    x = 1; return sum(xs) / len(xs)\n",
        "def f(xs):\n    return (sum(xs) / len(xs), 1)\n",
        "def f(xs):\n    yield sum(xs) / len(xs)\n    return 1\n",
        "def f(xs) -> str:\n    return g(sum(xs) / len(xs))\n",
        "def f(xs, a):\n    if a:\n        return 1\n    elif sum(xs) / len(xs) > 2:\n        return 2\n    return 3\n",
    ],
)
def test_no_fix_where_it_has_no_certain_place(code: str) -> None:
    """The finding is told, the edit is not guessed."""
    assert ENGINE.analyze(Source(code, "python"))
    assert fixed(code) is None


@pytest.mark.parametrize(
    ("head", "with_import"),
    [
        ("", "import asyncio\n"),
        ("import time\n", "import time\nimport asyncio\n"),
        ("import asyncio, time\n", "import asyncio, time\n"),
        ('"""Doc."""\n', '"""Doc."""\nimport asyncio\n'),
        ("from __future__ import annotations\n\nX = 1\n", "from __future__ import annotations\nimport asyncio\n\nX = 1\n"),
        ("#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n", "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nimport asyncio\n"),
        ("import os\n# about f\n", "import os\nimport asyncio\n# about f\n"),
    ],
)
def test_import_goes_where_imports_are(head: str, with_import: str) -> None:
    """After the last top import, a docstring or the shebang; never twice."""
    code = "async def f():\n    time.sleep(1)\n"

    assert fixed(head + code) == with_import + code.replace("time.sleep(1)", "await asyncio.sleep(1)")


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("f\"SELECT a FROM t WHERE b = '{x}'\"", '"SELECT a FROM t WHERE b = ?", (x,)'),
        ("f\"SELECT a FROM t WHERE b = {x} AND c = '{y.z}'\"", '"SELECT a FROM t WHERE b = ? AND c = ?", (x, y.z)'),
        ("f'SELECT a FROM t WHERE b >= {x} LIMIT {n}'", "'SELECT a FROM t WHERE b >= ? LIMIT ?', (x, n)"),
        ('"SELECT a FROM t WHERE b = \'" + x + "\' AND c = " + str(y)', '"SELECT a FROM t WHERE b = ? AND c = ?", (x, y)'),
        ("\"SELECT a FROM t WHERE b = %s AND c = '%s'\" % (x, y)", '"SELECT a FROM t WHERE b = ? AND c = ?", (x, y)'),
        ('"UPDATE t SET b = {} WHERE c = {}".format(x, y)', '"UPDATE t SET b = ? WHERE c = ?", (x, y)'),
    ],
)
def test_values_become_parameters(query: str, parameters: str) -> None:
    """Every value in a value's place, for sqlite3."""
    assert fixed(f"import sqlite3\ncur.execute({query})\n") == f"import sqlite3\ncur.execute({parameters})\n"


@pytest.mark.parametrize(
    "query",
    [
        'f"SELECT a FROM {t} WHERE b = 1"',
        'f"SELECT {a} FROM t"',
        "f\"SELECT a FROM t WHERE b LIKE '%{x + 1}%'\"",
        'f"SELECT a FROM t WHERE b = {x!r}"',
        'f"SELECT a FROM t WHERE b = {x:d}"',
        'f"SELECT a FROM t WHERE b IN ({xs})"',
        'f"SELECT a FROM t WHERE b = {x}suffix"',
        "f\"SELECT a FROM t WHERE b = 'pre{x}'\"",
        '"SELECT a FROM t WHERE b = %s" % (x, y)',
        '"SELECT a FROM t WHERE b = %(n)s" % x',
        '"SELECT a FROM t WHERE b = {n}".format(n=x)',
        '"SELECT a FROM t WHERE b = {1} AND c = {0}".format(x, y)',
        "\"SELECT a FROM t WHERE b = '\" + x + '\" AND c'",
        'f"SELECT a FROM t WHERE b = {x} AND d = \\"q\\""',
    ],
)
def test_query_that_parameters_cannot_say_is_left(query: str) -> None:
    """Names, patterns, formats and odd quoting: a finding, and no fix."""
    code = f"import sqlite3\ncur.execute({query})\n"

    assert [finding.rule_id for finding in ENGINE.analyze(Source(code, "python"))] == ["security/sql-by-concatenation"]
    assert fixed(code) is None


def test_long_chain_of_strings_is_no_danger() -> None:
    """A query of 180 pieces is rewritten without recursion."""
    pieces = " + ".join(f"' AND c{i} = ' + x{i}" for i in range(90))
    result = fixed(f"import sqlite3\ncur.execute('SELECT a FROM t WHERE b = ' + y + {pieces})\n")  # noqa: S608 - the query is the input of the test

    assert result is not None
    assert result.count("?") == 91
