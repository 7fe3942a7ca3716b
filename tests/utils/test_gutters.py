"""Code that was copied with what stands beside it on a page, in a mail, in a debugger or in a diff."""

from __future__ import annotations

import pytest

from utils.gutters import without_gutter
from utils.paste import prepare

KEEP = "def keep(x, seen=[]):\n    seen.append(x)\n    return seen\n"
COPIED = {
    "blanks": "1  def keep(x, seen=[]):\n2      seen.append(x)\n3      return seen\n",
    "colon": "1: def keep(x, seen=[]):\n2:     seen.append(x)\n3:     return seen\n",
    "table": "| 1 | def keep(x, seen=[]):\n| 2 |     seen.append(x)\n| 3 |     return seen\n",
    "pipe": "   9 | def keep(x, seen=[]):\n  10 |     seen.append(x)\n  11 |     return seen\n",
    "cat -n": "     1\tdef keep(x, seen=[]):\n     2\t    seen.append(x)\n     3\t    return seen\n",
    "list": "1. def keep(x, seen=[]):\n2.     seen.append(x)\n3.     return seen\n",
    "brackets": "[1] def keep(x, seen=[]):\n[2]     seen.append(x)\n[3]     return seen\n",
    "letter": "L1: def keep(x, seen=[]):\nL2:     seen.append(x)\nL3:     return seen\n",
    "gap": "1: def keep(x, seen=[]):\n2:     seen.append(x)\n...\n9:     return seen\n",
    "alone": "1\ndef keep(x, seen=[]):\n2\n    seen.append(x)\n3\n    return seen\n",
    "blame": "".join(f"a1b2c3d4 (Ann Lee 2024-01-02 10:00:00 +0100 {at}) {line}\n" for at, line in enumerate(KEEP.splitlines(), 1)),
    "grep": "".join(f"src/a.py:{at}:{line}\n" for at, line in enumerate(KEEP.splitlines(), 7)),
    "mail": "> def keep(x, seen=[]):\n>     seen.append(x)\n>     return seen\n",
    "answered": "Hi,\n\n> def keep(x, seen=[]):\n>     seen.append(x)\n>     return seen\n\nwhat is wrong with it?\n",
    "quoted fence": "> ```python\n> def keep(x, seen=[]):\n>     seen.append(x)\n>     return seen\n> ```\n",
    "plus": "+def keep(x, seen=[]):\n+    seen.append(x)\n+    return seen\n",
    "hunk": "-def keep(x, seen=None):\n+def keep(x, seen=[]):\n     seen.append(x)\n     return seen\n",
    "pdb": "> /app/a.py(9)keep()\n-> return seen\n(Pdb) l\n  7  \tdef keep(x, seen=[]):\n  8 B\t    seen.append(x)\n"
    "  9  ->\t    return seen\n",
    "ipdb": "      1 def keep(x, seen=[]):\n----> 2     seen.append(x)\n      3     return seen\n\nipdb> p x\n3\n",
    "pytest": "    def keep(x, seen=[]):\n        seen.append(x)\n>       return seen\nE       AssertionError\n\na.py:3: AssertionError\n",
    "no blank": ">>>def keep(x, seen=[]):\n...    seen.append(x)\n...    return seen\n...\n",
    "indented": "    def keep(x, seen=[]):\n        seen.append(x)\n        return seen\n",
    "fenced": "See:\n```python\n 1 | def keep(x, seen=[]):\n 2 |     seen.append(x)\n 3 |     return seen\n```\n",
}


@pytest.mark.parametrize("form", COPIED)
def test_what_was_copied_beside_the_code_is_left_out(form: str) -> None:
    """The code is the bare function, in Python, and each of its lines knows where it stands in the paste."""
    prepared = prepare(COPIED[form])

    assert prepared.language == "python"
    assert [line.strip() for line in prepared.code.splitlines()] == [line.strip() for line in KEEP.splitlines()]
    pasted = COPIED[form].split("\n")
    assert [pasted[number - 1][shift:] for number, shift in prepared.line_map] == prepared.code.splitlines()


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("irb(main):001:0> def run(cmd)\nirb(main):002:1>   eval(cmd)\nirb(main):003:1> end\n=> :run\n", "ruby"),
        ("> function f(a) {\n...   return eval(a);\n... }\nundefined\n> f(1)\n1\n", "javascript"),
    ],
)
def test_what_was_typed_into_a_shell_is_code(typed: str, language: str) -> None:
    """Prompts and output of the shells of Ruby and Node are no code."""
    prepared = prepare(typed)

    assert prepared.language == language
    assert "eval" in prepared.code
    assert not {"undefined", "=> :run", "irb"} & set(prepared.code.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "1 + 1\n2 + 2\n3 + 3\n",
        "x = (1\n+ 2\n+ 3)\n",
        "8080: web\n8081: api\n",
        "10 PRINT 1\n20 GOTO 10\n",
        "> out.txt\n> err.txt\n",
        "switch (x) {\n  case 1: return 2;\n  case 2: return 3;\n}\n",
    ],
)
def test_numbers_and_signs_that_belong_to_a_text_stay(text: str) -> None:
    """Only a margin whose removal makes code of a text is taken off."""
    assert prepare(text).code == text


def test_an_indented_text_without_a_last_line_end_is_dedented_too() -> None:
    """Code and map agree."""
    prepared = prepare("  x = f(1)")

    assert (prepared.code, prepared.line_map) == ("x = f(1)\n", ((1, 2),))


@pytest.mark.parametrize("text", ["", "\n", "1\n", "1 x\n", "9" * 5_000 + "\n" + "9" * 5_000, "1 a\n3 b\n", "> a\n", "x\n1 y\n2 z\n"])
def test_too_little_is_no_margin(text: str) -> None:
    """One line tells nothing, numbers must count up, and no number is too long to look at."""
    assert without_gutter(text.split("\n")) is None
