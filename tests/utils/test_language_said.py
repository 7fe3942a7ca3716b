"""What a text says of its language in its first line or a mode line, against what it reads like."""

from __future__ import annotations

import pytest

from utils.language import detect
from utils.paste import prepare

PYTHON = "def keep(text, seen=[]):\n    return eval(text)\n"
SCRIPT = 'const a = require("fs");\nfunction f(x) {\n  return x === 1;\n}\n'


@pytest.mark.parametrize(
    ("head", "code", "language"),
    [
        ("#!/usr/bin/perl\n", PYTHON, "python"),
        ("#!/bin/bash\n", PYTHON, "python"),
        ("#!/usr/bin/env ruby\n", PYTHON, "python"),
        ("# vim: ft=sql\n", PYTHON, "python"),
        ("# vim: ft=text\n", PYTHON, "python"),
        ("# vim: ft=html\n", PYTHON, "python"),
        ("<?php /*\n", PYTHON, "python"),
        ("#!/usr/bin/perl\n", SCRIPT, "javascript"),
        ("", 'def f(x):\n    """\n    <?php echo 1\n    """\n    return eval(x)\n', "python"),
    ],
)
def test_code_that_reads_as_another_language_is_taken_for_that(head: str, code: str, language: str) -> None:
    """A line can say anything; what another grammar reads without an error is code, and a note says so."""
    found = prepare(head + code)

    assert found.language == language
    assert any(f"the code is {language}" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#!/usr/bin/env python\nprint 'x'\ndef f():\n  pass\n", "python"),
        ("#!/usr/bin/env python3\nimport os\n", "python"),
        ("#!/bin/sh\nfoo --bar\n", "bash"),
        ("#!/usr/bin/env node\n" + SCRIPT, "javascript"),
        ("-- vim: ft=sql\nselect a from b where c = 1;\n", "sql"),
        ("// -*- mode: c++ -*-\nint f(int a) { return a; }\n", "cpp"),
        ("#!/usr/bin/lua\nlocal x = 1\nprint(x)\n", "lua"),
        ("<?php\nfunction f( { return 1; }\n$a = 2;", "php"),
        ("<h1><?= $a ?></h1>\n<?php foreach ($a as $b): ?>\n<p><?= $b ?></p>\n<?php endforeach; ?>\n", "php"),
    ],
)
def test_what_the_text_says_stands_where_the_code_agrees(text: str, language: str) -> None:
    """Also when it has a mistake in it, and without a word about it."""
    found = detect(text)

    assert (found.language, found.note) == (language, "")


@pytest.mark.parametrize("text", ["#!/usr/bin/perl\nuse strict;\nmy $x = 1;\n", "#!/usr/bin/env Rscript\nx = c(1, 2)\nprint(x)\n"])
def test_a_language_that_nothing_here_reads_is_taken_on_trust_and_said(text: str) -> None:
    """The user learns where it comes from."""
    assert "taken from the first line" in detect(text).note
